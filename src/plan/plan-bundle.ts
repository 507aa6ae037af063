/**
 * Kind, list and repository to the ordered items of a bundle. Every bound is judged here, from names and object sizes:
 * nothing of an item is read before its place and its size are settled.
 */
import { ColdsealError } from '../contract/error.js';
import {
  type CommitRange,
  type ItemPlan,
  KIND_INPUTS,
  type KindName,
  type ListEntry,
  type PlannedItem,
  type PreparedInputs,
} from '../contract/item.js';
import { countItems, LONGEST_PATH_BYTES, mostItemBytes } from '../contract/item-bounds.js';
import { compileGlob, type PathMatch } from '../contract/path-glob.js';
import { printablePath } from '../contract/printable-path.js';
import type { Repository, TreeChange, TreeEntry } from '../contract/repository.js';
import { expandList, type ListedItem } from './expand-list.js';
import { gatherHidden, judgeWithheld } from './withheld-blobs.js';

export interface PlanRequest {
  readonly kind: KindName;
  /** The list in force, in its order. */
  readonly entries: readonly ListEntry[];
  readonly listOrigin: 'compiled' | 'owner';
  readonly range: CommitRange | null;
  readonly repository: Repository;
  /** What the kind composed for its own inputs; empty for kinds that read only the repository. */
  readonly prepared: PreparedInputs;
  /** By the path alone: the compiled list and the owner's globs. */
  readonly isWithheld: PathMatch;
  readonly capBytes: number;
}

/** The compiled list of a kind, as entries. */
export const compiledEntries = (kind: KindName): readonly ListEntry[] =>
  KIND_INPUTS[kind].map((input) => ({ kind: 'input', input }));

/** `INPUT_MISSING`, `ITEM_UNREADABLE` or `ITEM_TOO_LARGE`; nothing was read then. */
export const planBundle = async (request: PlanRequest): Promise<ItemPlan> => {
  const { kind, entries, listOrigin, range, repository, prepared, isWithheld, capBytes } = request;
  const changes = await changesOf(request);
  const { tree, hidden } = await treeOf(request);
  for (const { path } of changes) checkPath(path);
  const withheld = judgeWithheld({ format: repository.objectFormat, isWithheld, changes, hidden });
  const listed = expandList({ kind, entries, range, changes, tree, prepared, withheld });
  const count = countItems('The bundle would have', 'Narrow the range or the list.');
  for (const _item of listed) count();
  const items = numbered(await withSizes(repository, listed));
  for (const item of items) checkSize(item, capBytes);
  const deleted = changes.filter(({ status }) => status === 'D').map(({ path }) => path);
  return { kind, listOrigin, range, items, deleted };
};

const names = (entries: readonly ListEntry[], ...inputs: readonly string[]): boolean =>
  entries.some((entry) => entry.kind === 'input' && inputs.includes(entry.input));

const changesOf = async ({ entries, range, repository }: PlanRequest): Promise<readonly TreeChange[]> => {
  if (range === null || !names(entries, 'diff', 'changed_files')) return [];
  return repository.changes(range.base, range.head);
};

interface ListedTree {
  /** What some `path:` entry matches. */
  readonly tree: readonly TreeEntry[];
  readonly hidden: Iterable<string>;
}

/** Listing a big tree costs time, so it is done for `path:` entries alone, and nothing is held that none of them matches. */
const treeOf = async ({ entries, range, repository, isWithheld }: PlanRequest): Promise<ListedTree> => {
  const globs = entries.flatMap((entry) => (entry.kind === 'path' ? [compileGlob(entry.glob)] : []));
  const commit = globs.length === 0 ? null : (range?.head ?? (await repository.head()));
  if (commit === null) return { tree: [], hidden: [] };
  const hidden = gatherHidden(isWithheld);
  const count = countItems('The bundle would have', 'Narrow the list.');
  const tree = await repository.listTree(commit, (entry) => {
    hidden.take(entry);
    if (!globs.some((matches) => matches(entry.path))) return false;
    count();
    return true;
  });
  return { tree, hidden: hidden.ids };
};

const withSizes = async (repository: Repository, listed: readonly ListedItem[]): Promise<readonly ListedItem[]> => {
  const wanted = new Set<string>();
  for (const { origin } of listed) if (origin.kind === 'blob') wanted.add(origin.objectId);
  const ids = [...wanted];
  const sizes = await repository.blobSizes(ids);
  const sizeOf = new Map(ids.map((id, at) => [id, sizes[at] ?? 0]));
  return listed.map((item) =>
    item.origin.kind === 'blob' ? { ...item, rawBytes: sizeOf.get(item.origin.objectId) ?? 0 } : item,
  );
};

const numbered = (listed: readonly ListedItem[]): readonly PlannedItem[] =>
  listed.map((item, at) => ({ id: `itm-${String(at + 1).padStart(4, '0')}`, ...item }));

const checkPath = (path: Uint8Array): void => {
  if (path.length <= LONGEST_PATH_BYTES) return;
  throw new ColdsealError(
    'ITEM_TOO_LARGE',
    `A path of ${path.length} bytes is in the range; at most ${LONGEST_PATH_BYTES} are read. It begins with ${printablePath(path.subarray(0, 64))}.`,
    { facts: { path_bytes: path.length, limit_bytes: LONGEST_PATH_BYTES } },
  );
};

const checkSize = ({ id, path, rawBytes, withheld }: PlannedItem, capBytes: number): void => {
  if (path !== null) checkPath(path);
  const limit = mostItemBytes(capBytes);
  if (withheld || rawBytes === null || rawBytes <= limit) return;
  const name = path === null ? id : printablePath(path);
  throw new ColdsealError(
    'ITEM_TOO_LARGE',
    `${name} has ${rawBytes} bytes; at most ${limit} (four times the cap, or 64 MiB) are read. Withhold it with \`coldseal withhold add GLOB\`, or raise the cap.`,
    { facts: { item: id, bytes: rawBytes, limit_bytes: limit } },
  );
};
