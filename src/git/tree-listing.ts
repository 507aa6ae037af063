/** Read what `diff-tree --raw -z` and `ls-tree -z` print. Paths are bytes and stay bytes. */
import { ColdsealError } from '../contract/error.js';
import type { TreeChange, TreeEntry } from '../contract/repository.js';

const NUL = 0;
const TAB = 0x09;

const unexpected = (verb: string): ColdsealError =>
  new ColdsealError('GIT_FAILED', `git ${verb} printed a row that cannot be read; its version is not known here.`);

/** NUL-ended fields, without copying. A rest without its NUL is an error. */
function* fields(output: Buffer, verb: string): Generator<Buffer, void, undefined> {
  let start = 0;
  while (start < output.length) {
    const end = output.indexOf(NUL, start);
    if (end < 0) throw unexpected(verb);
    yield output.subarray(start, end);
    start = end + 1;
  }
}

const STATUSES: ReadonlySet<string> = new Set(['A', 'M', 'D', 'T']);
const isStatus = (text: string): text is TreeChange['status'] => STATUSES.has(text);

/** `:<old mode> <new mode> <old id> <new id> <status>` NUL `<path>` NUL. */
export const parseChanges = (output: Buffer): readonly TreeChange[] => {
  const changes: TreeChange[] = [];
  const rows = fields(output, 'diff-tree');
  for (const row of rows) {
    const [oldMode, newMode, oldId, newId, status] = row.toString('latin1').split(' ');
    const path = rows.next();
    if (oldMode?.[0] !== ':' || newMode === undefined || oldId === undefined || newId === undefined) {
      throw unexpected('diff-tree');
    }
    if (status === undefined || !isStatus(status) || path.done === true) throw unexpected('diff-tree');
    changes.push({ status, path: path.value, oldMode: oldMode.slice(1), newMode, oldId, newId });
  }
  return changes;
};

/** `<mode> <type> <id>` TAB `<path>` NUL. */
export const parseTree = (output: Buffer): readonly TreeEntry[] => {
  const entries: TreeEntry[] = [];
  for (const row of fields(output, 'ls-tree')) {
    const tab = row.indexOf(TAB);
    const [mode, type, objectId] = row.toString('latin1', 0, Math.max(tab, 0)).split(' ');
    if (mode === undefined || objectId === undefined || (type !== 'blob' && type !== 'commit')) {
      throw unexpected('ls-tree');
    }
    entries.push({ path: row.subarray(tab + 1), mode, type, objectId });
  }
  return entries;
};
