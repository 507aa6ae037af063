/** `coldseal providers test NAME`: how far a probe of one provider came, step by step. */
import { type TestedProvider, testProvider as test } from '../../app/test-provider.js';
import type { VerbAction } from '../verb-context.js';

const step = (name: string, ms: number | null): readonly string[] =>
  ms === null ? [] : [`${name.padEnd(11)} ok, after ${ms} ms`];

const showModels = ({ answered_ms, models }: TestedProvider['document']): string =>
  answered_ms === null
    ? 'the program is there and may be started; a test does not start it'
    : `it lists ${models?.length ?? 0}`;

export const testProvider: VerbAction = async ({ flags, terminal, surroundings }, words) => {
  const { exit, document } = await test(surroundings, words.args[0] ?? '');
  if (flags.json) {
    await terminal.write(`${JSON.stringify(document)}\n`);
    return exit;
  }
  const { provider, host, remote, proxy, models, unlisted } = document;
  const lines = [
    `${provider} (${host}) is ${remote ? 'remote' : 'on this machine'}${proxy === null ? '' : `, through the proxy ${proxy}`}`,
    ...step('connection', document.connected_ms),
    ...step(remote ? 'TLS' : 'line', document.open_ms),
    ...step('answer', document.answered_ms),
    ...(document.outcome === 'reached'
      ? [`models      ${models === null ? 'it has no list of models' : showModels(document)}`]
      : []),
    ...unlisted.map((model) => `            ${model} of the machine file is not among them`),
  ];
  await terminal.write(`${lines.join('\n')}\n`);
  if (document.outcome !== 'reached')
    terminal.say(`provider failed (${document.code ?? ''}): ${document.message ?? ''}`);
  return exit;
};
