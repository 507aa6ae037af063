/**
 * The model settings of one call: what the person typed with `--set`, over the machine file's for this provider, over the
 * repository's for this agent on a leg that stays on this machine. Settings are a closed list; anything else is refused
 * by name, never dropped, because a dropped `max_tokens` changes the answer in silence.
 */
import { ColdsealError } from '../contract/error.js';
import { modelSettingProblem } from '../contract/model-setting.js';
import { printable } from '../contract/printable.js';
import type { Route } from '../contract/route.js';
import type { Settings } from '../contract/settings.js';

export type ModelSettings = Readonly<Record<string, unknown>>;

export interface SettingsChoice {
  readonly route: Route & { readonly kind: 'provider' };
  /** Every `--set` as typed: `NAME=JSON`. */
  readonly typed: readonly string[];
  readonly settings: Settings;
}

/** `USAGE` for words that are no `NAME=JSON`, `SETTING_REFUSED` for a name or value outside the closed list. */
export function chooseSettings({ route, typed, settings }: SettingsChoice): ModelSettings {
  const chosen = new Map<string, unknown>();
  for (const [name, value] of repositorySettings(route, settings)) {
    requireSetting(name, value, 'in .abcd/config/oracle-routing.json');
    chosen.set(name, value);
  }
  for (const [name, value] of Object.entries(route.provider.settings)) chosen.set(name, value);
  for (const [name, value] of typedSettings(typed)) {
    requireSetting(name, value, 'typed with --set');
    chosen.set(name, value);
  }
  return Object.freeze(Object.fromEntries(chosen));
}

function repositorySettings(
  route: SettingsChoice['route'],
  settings: Settings,
): readonly (readonly [string, unknown])[] {
  if (route.provider.endpoint.remote) return [];
  return settings.repositoryAgentSettings
    .filter((row) => row.agent === route.agent)
    .flatMap((row) => Object.entries(row.settings));
}

function typedSettings(typed: readonly string[]): ReadonlyMap<string, unknown> {
  const read = new Map<string, unknown>();
  for (const words of typed) {
    const equals = words.indexOf('=');
    if (equals < 1) throw usage('--set takes NAME=JSON, for example --set temperature=0.2');
    const name = words.slice(0, equals);
    if (read.has(name)) throw usage(`--set names ${printable(name)} twice; type it once.`);
    read.set(name, parse(name, words.slice(equals + 1)));
  }
  return read;
}

function parse(name: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw usage(
      `--set ${printable(name)}: the value is no JSON; a text stands in double quotes, as in --set reasoning_effort='"low"'`,
    );
  }
}

function requireSetting(name: string, value: unknown, where: string): void {
  const problem = modelSettingProblem(name, value);
  if (problem === null) return;
  const shown = printable(name);
  throw new ColdsealError('SETTING_REFUSED', `The setting ${shown} ${where} ${problem}.`, {
    facts: { setting: shown },
  });
}

function usage(message: string): ColdsealError {
  return new ColdsealError('USAGE', message);
}
