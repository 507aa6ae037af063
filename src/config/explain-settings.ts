/**
 * Where each setting in force comes from: its value, the file, and the line it stands in. What a repository may not set
 * is listed too, as ignored, so that nobody wonders why it has no effect. A queue's URL may hold a password and is shown
 * without it; a program's variables may hold keys and are shown by name.
 */
import { DEFAULT_CAP_BYTES } from '../contract/bundle.js';
import { shownQueueUrl } from '../contract/queue-url.js';
import { dottedPath, type JsonNode, type JsonValue, nodeAt, plainValue } from './json-document.js';
import type { SettingsWithSources } from './read-settings.js';
import type { SettingsDocument } from './read-settings-file.js';

type SettingOrigin = 'machine' | 'repository' | 'default';

export interface ExplainedSetting {
  /** Dotted path, e.g. `oracle.bundles.cap`. */
  readonly key: string;
  readonly value: JsonValue;
  readonly origin: SettingOrigin;
  /** Absolute; `null` for a default. */
  readonly file: string | null;
  /** 1-based; `null` for a default. */
  readonly line: number | null;
  /** Stands in a repository and has no effect. */
  readonly ignored: boolean;
}

const OWNED = ['oracle', 'coldseal'] as const;
const ORACLE_MEMBERS: ReadonlySet<string> = new Set([
  'api',
  'roles',
  'denylist',
  'bundled_context_providers',
  'bundles',
]);
/** What a repository's file may say; anything else of ours in it is ignored. */
const REPOSITORY_KEYS = ['oracle.roles', 'oracle.denylist'];

/** Every setting in force, the machine file's first, then the repository's, then the defaults of what is not set. */
export function explainSettings(read: SettingsWithSources): readonly ExplainedSetting[] {
  const rows = [...rowsOf(read.machine, 'machine'), ...rowsOf(read.repository, 'repository')];
  const set = new Set(rows.filter((row) => row.origin === 'machine').map((row) => row.key));
  return [...rows, ...defaultsOf(read).filter((row) => !set.has(row.key))];
}

/** The rows of one key: the key itself, or everything below it. */
export function explainSetting(read: SettingsWithSources, key: string): readonly ExplainedSetting[] {
  return explainSettings(read).filter((row) => row.key === key || row.key.startsWith(`${key}.`));
}

function rowsOf(document: SettingsDocument | null, origin: 'machine' | 'repository'): readonly ExplainedSetting[] {
  if (document === null) return [];
  return OWNED.flatMap((owner) => leavesOf(nodeAt(document.root, [owner]), [owner]))
    .filter(({ path }) => path[0] !== 'oracle' || ORACLE_MEMBERS.has(path[1] ?? ''))
    .map(({ path, node }) => {
      const key = dottedPath(path);
      return {
        key,
        value: shownValue(key, node),
        origin,
        file: document.file,
        line: document.placeOf(node.start).line,
        ignored: origin === 'repository' && !REPOSITORY_KEYS.some((known) => `${key}.`.startsWith(`${known}.`)),
      };
    });
}

interface Leaf {
  readonly path: readonly string[];
  readonly node: JsonNode;
}

function leavesOf(node: JsonNode | null, path: readonly string[]): readonly Leaf[] {
  if (node === null) return [];
  if (node.kind !== 'object' || node.members.length === 0) return [{ path, node }];
  return node.members.flatMap((member) => leavesOf(member.value, [...path, member.name]));
}

const PROGRAM_VARIABLE = /^coldseal\.providers\..*\.spawn\.env\./;

function shownValue(key: string, node: JsonNode): JsonValue {
  if (PROGRAM_VARIABLE.test(key)) return '…';
  if (key !== 'coldseal.queue.url' || node.kind !== 'string') return plainValue(node);
  return shownQueueUrl(node.value);
}

function defaultsOf({ settings }: SettingsWithSources): readonly ExplainedSetting[] {
  const { own } = settings;
  const values: readonly (readonly [key: string, value: JsonValue])[] = [
    ['oracle.bundles.cap', DEFAULT_CAP_BYTES],
    ['coldseal.threads', own.threads],
    ['coldseal.in_flight_bytes', own.inFlightBytes],
    ['coldseal.records_dir', own.recordsFolder],
    ...[...settings.providers.values()].flatMap((provider) => [
      [dottedPath(['coldseal', 'providers', provider.name, 'timeout']), provider.totalTimeoutMs / 1000] as const,
      ...(provider.spawn === null
        ? [[dottedPath(['coldseal', 'providers', provider.name, 'usage_chunk']), provider.usageChunk] as const]
        : []),
    ]),
  ];
  return values.map(([key, value]) => ({ key, value, origin: 'default', file: null, line: null, ignored: false }));
}
