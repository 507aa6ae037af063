/** Which files of a commit a reading is made of: the position's globs over the tree, less what is excluded and withheld. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../contract/canonical-json.js';
import { ColdsealError } from '../contract/error.js';
import { LONGEST_PATH_BYTES, MOST_ITEMS } from '../contract/item-bounds.js';
import { compileGlob, type PathMatch } from '../contract/path-glob.js';
import { printable } from '../contract/printable.js';
import { printablePath } from '../contract/printable-path.js';
import type { Position, ReadingPreset } from '../contract/reading.js';
import type { TreeEntry } from '../contract/repository.js';
import { ASSEMBLER_VERSION, itemKind, recordIdOf } from './reading-item-kind.js';

export interface Exclusion {
  readonly path: string;
  readonly reason: 'excluded' | 'withheld' | 'binary';
}

export interface ReadingEntry {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export interface SelectRequest {
  readonly position: Position;
  readonly entry: ReadingEntry;
  /** Of the target commit, bytewise path order. */
  readonly tree: readonly TreeEntry[];
  /** By path or object: what the owner and the compiled list keep back. */
  readonly isWithheld: (entry: TreeEntry) => boolean;
}

export interface SelectedReading {
  readonly files: readonly TreeEntry[];
  readonly exclusions: readonly Exclusion[];
  readonly preset: ReadingPreset;
  /** `sha256:` + hex over the entry. */
  readonly presetHash: string;
  /** `sha256:` + hex over everything that decides the items: the same stamp, the same items. No path can be read from it. */
  readonly contextStamp: string;
}

const sha256 = (value: unknown): string => `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;

/** True for a path that the entry's globs take. */
export const isIncluded = ({ include, exclude }: ReadingEntry): PathMatch => {
  const included = include.map((glob) => compileGlob(glob));
  const excluded = exclude.map((glob) => compileGlob(glob));
  return (path) => included.some((meets) => meets(path)) && !excluded.some((meets) => meets(path));
};

/** `INPUT_MISSING` for a glob that meets no file, `ITEM_TOO_LARGE` for too many files or too long a path. */
export const selectReading = (request: SelectRequest): SelectedReading => {
  const { position, entry, tree, isWithheld } = request;
  const included = entry.include.map((glob) => ({ glob, meets: compileGlob(glob), isMet: false }));
  const excluded = entry.exclude.map((glob) => compileGlob(glob));
  const files: TreeEntry[] = [];
  const exclusions: Exclusion[] = [];
  for (const file of tree) {
    let isMet = false;
    for (const one of included) {
      if (!one.meets(file.path)) continue;
      one.isMet = true;
      isMet = true;
    }
    if (!isMet) continue;
    if (excluded.some((meets) => meets(file.path))) exclusions.push(exclusion(file, 'excluded'));
    else if (isWithheld(file)) exclusions.push(exclusion(file, 'withheld'));
    else files.push(file);
  }
  const unmet = included.find((one) => !one.isMet);
  if (unmet !== undefined) throw missing(position, unmet.glob);
  if (files.length === 0) throw missing(position, null);
  checkBounds(files);
  const records = [...new Set(files.flatMap(({ path }) => recordIdOf(path) ?? []))].sort();
  const preset: ReadingPreset = {
    kinds: [...new Set(files.map(({ path }) => itemKind(path)))].sort(),
    records,
    location_narrowings: [...entry.include, ...entry.exclude].filter((glob) => glob !== '**').length,
  };
  const presetHash = sha256({ position, ...entry });
  const contextStamp = sha256({
    assembler: ASSEMBLER_VERSION,
    presetHash,
    files: files.map(({ path, mode, objectId }) => [Buffer.from(path).toString('latin1'), mode, objectId]),
  });
  return { files, exclusions, preset, presetHash, contextStamp };
};

export const exclusion = ({ path }: Pick<TreeEntry, 'path'>, reason: Exclusion['reason']): Exclusion => ({
  path: printablePath(path),
  reason,
});

const missing = (position: Position, glob: string | null): ColdsealError =>
  new ColdsealError(
    'INPUT_MISSING',
    `${glob === null ? 'The include list' : `"${printable(glob)}" in the include list`} of the ${position} position meets no file of the commit that is read${glob === null ? ' that may be included' : ''}. Correct it in .abcd/config/reading-presets.json, or commit the file.`,
    { facts: { input: 'items' } },
  );

const checkBounds = (files: readonly TreeEntry[]): void => {
  if (files.length > MOST_ITEMS) {
    throw new ColdsealError(
      'ITEM_TOO_LARGE',
      `The reading would have ${files.length} items; at most ${MOST_ITEMS} are taken. Narrow the include list.`,
      { facts: { items: files.length, limit_items: MOST_ITEMS } },
    );
  }
  const long = files.find(({ path }) => path.length > LONGEST_PATH_BYTES);
  if (long === undefined) return;
  throw new ColdsealError(
    'ITEM_TOO_LARGE',
    `A path of ${long.path.length} bytes would be in the reading; at most ${LONGEST_PATH_BYTES} are taken. It begins with ${printablePath(long.path.subarray(0, 64))}.`,
    { facts: { path_bytes: long.path.length, limit_bytes: LONGEST_PATH_BYTES } },
  );
};
