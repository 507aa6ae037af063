/** Plans and reads a bundle's items from a repository, as plain values that a test can compare. */
import type { KindName, ListEntry, LoadedItem, PreparedInputs } from '../../src/contract/item.js';
import { compileGlob } from '../../src/contract/path-glob.js';
import { printablePath } from '../../src/contract/printable-path.js';
import type { Repository } from '../../src/contract/repository.js';
import { compiledEntries, planBundle } from '../../src/plan/plan-bundle.js';
import { resolveRange } from '../../src/plan/resolve-range.js';
import { openItems } from '../../src/source/open-items.js';

export interface PlanWords {
  readonly kind?: KindName;
  readonly typed?: string | null;
  readonly entries?: readonly ListEntry[];
  readonly withhold?: readonly string[];
  readonly capBytes?: number;
  readonly prepared?: PreparedInputs;
}

export const planOf = async (repository: Repository, words: PlanWords = {}) => {
  const { kind = 'change_review', typed = null, withhold = [], capBytes = 4 * 1024 * 1024 } = words;
  const globs = withhold.map((glob) => compileGlob(glob));
  return planBundle({
    kind,
    entries: words.entries ?? compiledEntries(kind),
    listOrigin: words.entries === undefined ? 'compiled' : 'owner',
    range: await resolveRange({ repository, typed, kind }),
    repository,
    prepared: words.prepared ?? new Map(),
    isWithheld: (path) => globs.some((matches) => matches(path)),
    capBytes,
  });
};

export interface ReadItem {
  readonly id: string;
  readonly input: string;
  readonly name: string;
  readonly text: string;
  readonly omitted: LoadedItem['omitted'];
  readonly lossy: number;
  readonly encoding: LoadedItem['encoding'];
}

export const readPlan = async (repository: Repository, words: PlanWords = {}): Promise<readonly ReadItem[]> => {
  const plan = await planOf(repository, words);
  const capBytes = words.capBytes ?? 4 * 1024 * 1024;
  const items: ReadItem[] = [];
  for await (const batch of openItems({ plan, repository, capBytes, signal: new AbortController().signal })) {
    for (const { item, text, omitted, lossy, encoding } of batch) {
      const { id, input, path, label } = item;
      const name = path === null ? (label ?? '') : printablePath(path);
      items.push({ id, input, name, text: Buffer.from(text).toString('utf8'), omitted, lossy, encoding });
    }
  }
  return items;
};
