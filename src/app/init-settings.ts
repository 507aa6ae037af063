/** The first machine file: one provider that may take file-reading helpers, and the agents routed to it. */
import type { Edit } from '../config/edit-json-text.js';
import type { JsonValue } from '../config/json-document.js';
import type { TypedMember } from '../config/typed-member.js';
import type { WrittenMachineFile } from '../config/write-machine-file.js';
import { writeSettings } from './edit-settings.js';
import type { Surroundings } from './surroundings.js';

export interface FirstProvider {
  readonly name: string;
  readonly baseUrl: string;
  readonly model: string;
  /** Environment variable that holds the key, or `null` for a provider without one. */
  readonly keyVariable: string | null;
  /** Agents routed to it. */
  readonly agents: readonly string[];
}

export const initSettings = (surroundings: Surroundings, first: FirstProvider): Promise<WrittenMachineFile> => {
  const block: JsonValue = {
    base_url: first.baseUrl,
    ...(first.keyVariable === null ? {} : { key: first.name }),
    models: [first.model],
  };
  const credential: readonly Edit[] =
    first.keyVariable === null
      ? []
      : [{ kind: 'set', path: ['coldseal', 'credentials', first.name], value: { env: first.keyVariable } }];
  const edits: readonly Edit[] = [
    { kind: 'set', path: ['oracle', 'api', first.name], value: block },
    ...first.agents.map(
      (agent): Edit => ({ kind: 'set', path: ['oracle', 'roles', agent], value: `${first.name}/${first.model}` }),
    ),
    { kind: 'append', path: ['oracle', 'bundled_context_providers'], value: first.name },
    ...credential,
  ];
  return writeSettings(surroundings, edits, typedFor(first.name));
};

const typedFor = (name: string): readonly TypedMember[] => [
  { path: ['oracle', 'api', name], word: '--provider' },
  { path: ['oracle', 'api', name, 'base_url'], word: '--base-url' },
  { path: ['oracle', 'api', name, 'models'], word: '--model' },
  { path: ['coldseal', 'credentials', name], word: '--provider' },
  { path: ['coldseal', 'credentials', name, 'env'], word: '--key-env' },
  { path: ['oracle', 'roles'], word: null },
  { path: ['oracle', 'bundled_context_providers'], word: null },
];
