/**
 * From the entries of a list to the items they stand for, in list order. A file that two entries name stands where the
 * first one put it.
 */
import { ColdsealError } from '../contract/error.js';
import type { InputName, KindName, ListEntry, PlannedItem, PreparedInputs, PreparedItem } from '../contract/item.js';
import { compileGlob } from '../contract/path-glob.js';
import { printable } from '../contract/printable.js';
import type { TreeChange, TreeEntry } from '../contract/repository.js';
import type { WithheldJudge } from './withheld-blobs.js';

/** An item with its place in the list, its number still to come. */
export type ListedItem = Omit<PlannedItem, 'id'>;

export interface ListSources {
  readonly kind: KindName;
  readonly entries: readonly ListEntry[];
  readonly range: { readonly base: string; readonly head: string } | null;
  readonly changes: readonly TreeChange[];
  readonly tree: readonly TreeEntry[];
  readonly prepared: PreparedInputs;
  readonly withheld: WithheldJudge;
}

const SUBMODULE = '160000';

/** Throws `INPUT_MISSING` for an input that is not there and a glob that matches nothing. */
export const expandList = (sources: ListSources): readonly ListedItem[] => {
  const seen = new Set<string>();
  const items: ListedItem[] = [];
  for (const entry of sources.entries) {
    for (const item of itemsOf(sources, entry)) {
      if (item.path !== null) {
        const key = Buffer.from(item.path).toString('latin1');
        if (seen.has(key)) continue;
        seen.add(key);
      }
      items.push(item);
    }
  }
  return items;
};

const itemsOf = (sources: ListSources, entry: ListEntry): readonly ListedItem[] => {
  if (entry.kind === 'path') return globbed(sources, entry.glob);
  switch (entry.input) {
    case 'diff':
      return [diffItem(sources)];
    case 'changed_files':
      return sources.changes.flatMap((change) =>
        change.status === 'D'
          ? []
          : [fileItem(sources, 'changed_files', change.path, change.newMode, change.newId, [change.oldId])],
      );
    case 'files':
      return ownFiles(sources);
    default:
      return preparedItems(sources, entry.input);
  }
};

const fileItem = (
  sources: ListSources,
  input: InputName,
  path: Uint8Array,
  mode: string,
  objectId: string,
  otherIds: readonly string[] = [],
): ListedItem => ({
  input,
  path,
  label: null,
  withheld: sources.withheld.isWithheld(path, [objectId, ...otherIds]),
  ...(mode === SUBMODULE ? submodule(objectId) : { origin: { kind: 'blob', objectId, mode }, rawBytes: null }),
});

/** A submodule is no file here: its pointer travels, in git's words. */
const submodule = (commit: string): Pick<ListedItem, 'origin' | 'rawBytes'> => {
  const bytes = Buffer.from(`Subproject commit ${commit}\n`);
  return { origin: { kind: 'text', bytes }, rawBytes: bytes.length };
};

const diffItem = (sources: ListSources): ListedItem => {
  const { range, changes, withheld } = sources;
  if (range === null) throw new ColdsealError('INTERNAL', 'A diff was planned without a range.');
  const hidden = new Set<number>();
  for (const [at, { path, oldId, newId }] of changes.entries()) {
    if (withheld.isWithheld(path, [oldId, newId])) hidden.add(at);
  }
  return {
    input: 'diff',
    path: null,
    label: `${range.base}..${range.head}`,
    origin: { kind: 'diff', base: range.base, head: range.head, changes, withheld: hidden },
    rawBytes: null,
    withheld: false,
  };
};

const globbed = (sources: ListSources, glob: string): readonly ListedItem[] => {
  const matches = compileGlob(glob);
  const found = sources.tree.filter(({ path }) => matches(path));
  if (found.length > 0) {
    return found.map(({ path, mode, objectId }) => fileItem(sources, 'path', path, mode, objectId));
  }
  throw new ColdsealError(
    'INPUT_MISSING',
    `path:${printable(glob)} matches no tracked file of the commit that is read. Correct it with \`coldseal list set ${sources.kind} ...\`, or commit the file.`,
    { facts: { input: 'path' } },
  );
};

/** The `files` input stands for the owner's own `path:` entries, which bring their items themselves. */
const ownFiles = (sources: ListSources): readonly ListedItem[] => {
  if (sources.entries.some((entry) => entry.kind === 'path')) return [];
  throw new ColdsealError(
    'INPUT_MISSING',
    `No files are named for this project. Set them with \`coldseal list set ${sources.kind} path:GLOB\`.`,
    { facts: { input: 'files' } },
  );
};

const preparedItems = (sources: ListSources, input: InputName): readonly ListedItem[] => {
  const prepared = sources.prepared.get(input);
  if (prepared === undefined) {
    throw new ColdsealError('INPUT_MISSING', `The input \`${input}\` of ${sources.kind} is not there.`, {
      facts: { input },
    });
  }
  return prepared.map((item) => ({ ...item, input, withheld: isPreparedWithheld(sources, item) }));
};

const isPreparedWithheld = ({ withheld }: ListSources, { path, origin }: PreparedItem): boolean =>
  path !== null && withheld.isWithheld(path, origin.kind === 'blob' ? [origin.objectId] : []);
