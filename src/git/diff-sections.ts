/**
 * Split git's patch into one part a file, exactly: every byte belongs to one section. A line that starts with
 * `diff --git ` can only be a header, because git puts a sign before every line of content and quotes a newline in a name.
 *
 * A change of type (a file became a link) is printed as two patches; they are one section of one change. Each section
 * names the objects it compares, and a section that names others than the change it should belong to is an error: what
 * is withheld is judged by the change.
 */
import { ColdsealError } from '../contract/error.js';
import type { DiffSection, TreeChange } from '../contract/repository.js';

const HEADER = Buffer.from('diff --git ');
const BOUNDARY = Buffer.from('\ndiff --git ');

/** Collects chunks and gives back whole patches. */
class PatchSplitter {
  #parts: Buffer[] = [];
  #carry: Buffer = Buffer.alloc(0);

  /** Patches that ended inside this chunk. */
  *push(chunk: Buffer): Generator<Buffer, void, undefined> {
    const bytes = this.#carry.length === 0 ? chunk : Buffer.concat([this.#carry, chunk]);
    let start = 0;
    for (let at = bytes.indexOf(BOUNDARY); at >= 0; at = bytes.indexOf(BOUNDARY, start)) {
      this.#parts.push(bytes.subarray(start, at + 1));
      yield this.#take();
      start = at + 1;
    }
    // A boundary may be cut by the end of the chunk: its possible beginning waits for the next one.
    const kept = Math.max(start, bytes.length - (BOUNDARY.length - 1));
    if (kept > start) this.#parts.push(bytes.subarray(start, kept));
    this.#carry = bytes.subarray(kept);
  }

  /** The last patch, or nothing when there was no output at all. */
  *finish(): Generator<Buffer, void, undefined> {
    if (this.#carry.length > 0) this.#parts.push(this.#carry);
    this.#carry = Buffer.alloc(0);
    if (this.#parts.length > 0) yield this.#take();
  }

  #take(): Buffer {
    const [first] = this.#parts;
    const patch = this.#parts.length === 1 && first !== undefined ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    return patch;
  }
}

/** The lines of a patch before its content. */
const headerLines = (patch: Buffer): readonly string[] => {
  const end = patch.indexOf('\n@@ ');
  return (end < 0 ? patch : patch.subarray(0, end)).toString('latin1').split('\n');
};

/** Whether a patch compares these two objects; a patch without an `index` line changes the mode alone. */
const compares = (patch: Buffer, oldId: string, newId: string): boolean => {
  if (!patch.subarray(0, HEADER.length).equals(HEADER)) return false;
  const index = headerLines(patch).find((line) => line.startsWith('index '));
  if (index === undefined) return oldId === newId;
  const [, named] = index.split(' ');
  return named === `${oldId}..${newId}`;
};

/** The patches git prints for a change, as pairs of objects. */
const expectedPatches = (change: TreeChange): readonly (readonly [string, string])[] => {
  const none = '0'.repeat(change.newId.length);
  if (change.status !== 'T') return [[change.oldId, change.newId]];
  return [
    [change.oldId, none],
    [none, change.newId],
  ];
};

const disagree = (): ColdsealError =>
  new ColdsealError('GIT_FAILED', 'git lists other changes than it prints; nothing of this range can be trusted.');

/** Sections in the order of `changes`, every change having one. Memory: one section at a time, owned by the caller. */
export async function* splitDiff(
  chunks: AsyncIterable<Buffer>,
  changes: readonly TreeChange[],
): AsyncGenerator<DiffSection, void, undefined> {
  const splitter = new PatchSplitter();
  let at = 0;
  let before: Buffer[] = [];
  const place = (patch: Buffer): DiffSection | null => {
    const change = changes[at];
    if (change === undefined) throw disagree();
    const expected = expectedPatches(change);
    const [oldId, newId] = expected[before.length] ?? ['', ''];
    if (!compares(patch, oldId, newId)) throw disagree();
    before.push(patch);
    if (before.length < expected.length) return null;
    const bytes = before.length === 1 ? patch : Buffer.concat(before);
    before = [];
    at += 1;
    return { change: at - 1, bytes };
  };
  for await (const chunk of chunks) {
    for (const patch of splitter.push(chunk)) {
      const section = place(patch);
      if (section !== null) yield section;
    }
  }
  for (const patch of splitter.finish()) {
    const section = place(patch);
    if (section !== null) yield section;
  }
  if (at !== changes.length) throw disagree();
}
