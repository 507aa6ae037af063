/**
 * Rows of `diff-tree --raw -z` and `ls-tree -z`, judged one by one while git prints them: a commit of millions of files
 * costs what is kept of it. Paths are bytes and stay bytes.
 */
import { countItems } from '../contract/item-bounds.js';
import type { RowJudge, TreeChange, TreeEntry } from '../contract/repository.js';
import { FieldCutter, unexpectedRow } from './cut-fields.js';

const TAB = 0x09;
const SPACE = 0x20;

/** Takes what git prints; `end` gives the rows that were kept. */
export interface RowReader<Row> {
  push(chunk: Buffer): void;
  end(): readonly Row[];
}

const STATUSES: ReadonlySet<string> = new Set(['A', 'M', 'D', 'T']);
const isStatus = (text: string): text is TreeChange['status'] => STATUSES.has(text);

const parseChange = (row: string): Omit<TreeChange, 'path'> => {
  const [oldMode, newMode, oldId, newId, status] = row.split(' ');
  if (oldMode?.[0] !== ':' || newMode === undefined || oldId === undefined || newId === undefined) {
    throw unexpectedRow('diff-tree');
  }
  if (status === undefined || !isStatus(status)) throw unexpectedRow('diff-tree');
  return { status, oldMode: oldMode.slice(1), newMode, oldId, newId };
};

/** `:<old mode> <new mode> <old id> <new id> <status>` NUL `<path>` NUL. `ITEM_TOO_LARGE` at the first row too many. */
export const readChanges = (): RowReader<TreeChange> => {
  const changes: TreeChange[] = [];
  const count = countItems('The range would bring', 'Narrow the range.');
  let facts: Omit<TreeChange, 'path'> | null = null;
  const cutter = new FieldCutter('diff-tree', (field) => {
    if (facts === null) {
      facts = parseChange(field.toString('latin1'));
      return;
    }
    count();
    changes.push({ ...facts, path: Buffer.from(field) });
    facts = null;
  });
  return {
    push: (chunk) => cutter.push(chunk),
    end: () => {
      cutter.end();
      if (facts !== null) throw unexpectedRow('diff-tree');
      return changes;
    },
  };
};

/** `<mode> <type> <id>` TAB `<path>`; the path is a view. */
const parseEntry = (row: Buffer): TreeEntry => {
  const tab = row.indexOf(TAB);
  const afterMode = row.indexOf(SPACE);
  const afterType = row.indexOf(SPACE, afterMode + 1);
  const type = row.toString('latin1', afterMode + 1, Math.max(afterType, 0));
  if (afterMode < 0 || afterType < 0 || tab < afterType || (type !== 'blob' && type !== 'commit')) {
    throw unexpectedRow('ls-tree');
  }
  const mode = row.toString('latin1', 0, afterMode);
  return { path: row.subarray(tab + 1), mode, type, objectId: row.toString('latin1', afterType + 1, tab) };
};

/** `ls-tree -r -z`, less what `keeps` lets go. */
export const readTree = (keeps: RowJudge): RowReader<TreeEntry> => {
  const entries: TreeEntry[] = [];
  const cutter = new FieldCutter('ls-tree', (field) => {
    const entry = parseEntry(field);
    if (keeps(entry)) entries.push({ ...entry, path: Buffer.from(entry.path) });
  });
  return {
    push: (chunk) => cutter.push(chunk),
    end: () => {
      cutter.end();
      return entries;
    },
  };
};
