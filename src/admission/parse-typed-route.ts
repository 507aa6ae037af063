/**
 * `--route AGENT=PROVIDER/MODEL` and `--route AGENT=host-decides` as a person types them. What is typed is meant: a word
 * that does not fit is an error, never passed over.
 */
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import { type AgentName, kindsOf, requireKind } from './require-kind.js';

export const HOST_DECIDES = 'host-decides';

export type RouteTarget =
  | { readonly kind: 'host' }
  | { readonly kind: 'provider'; readonly provider: string; readonly model: string };

/** The text of a route, split at its first `/`; `null` where it names no provider and model. Names are judged later. */
export function splitRoute(text: string): { readonly provider: string; readonly model: string } | null {
  const slash = text.indexOf('/');
  if (slash < 1 || slash === text.length - 1) return null;
  return { provider: text.slice(0, slash), model: text.slice(slash + 1) };
}

/**
 * The target that was typed for `agent`, or `null`. `NO_KIND` where an agent without a kind was typed, `USAGE` where the
 * words do not fit, name an agent this verb does not dispatch, or name one agent twice.
 */
export function typedTarget(agent: AgentName, typed: readonly string[]): RouteTarget | null {
  const targets = typed.map((words) => readWords(agent, words));
  if (targets.length > 1) throw usage(`--route names ${agent} ${targets.length} times; type it once.`);
  return targets[0] ?? null;
}

function readWords(agent: AgentName, words: string): RouteTarget {
  const equals = words.indexOf('=');
  if (equals < 1) throw usage(`--route ${printable(words)} does not fit; write --route ${agent}=PROVIDER/MODEL.`);
  const named = requireKind(words.slice(0, equals));
  if (named !== agent) {
    throw usage(`--route names ${named} (kinds: ${kindsOf(named).join(', ')}), but this verb dispatches ${agent}.`);
  }
  const target = words.slice(equals + 1);
  if (target === HOST_DECIDES) return { kind: 'host' };
  const route = splitRoute(target);
  if (route !== null) return { kind: 'provider', ...route };
  throw usage(`--route ${printable(words)} does not fit; write ${agent}=PROVIDER/MODEL or ${agent}=${HOST_DECIDES}.`);
}

function usage(message: string): ColdsealError {
  return new ColdsealError('USAGE', message);
}
