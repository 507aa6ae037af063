/**
 * Files into shared memory, some at a time. Small ones are read at once, in place: asking the system costs less than
 * waiting for it. A link is its own text, the name it points to; nothing is ever read through one.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { isBinaryFrom } from '../../source/decode-text.js';
import type { FoundFile } from './found-file.js';
import {
  BATCH_BYTES,
  binaryDetail,
  LARGEST_TEXT_BYTES,
  readTogether,
  type SourceBatch,
  type SourceEntry,
  tooLarge,
} from './scan-source.js';

type Unscanned = Extract<SourceEntry, { kind: 'unscanned' }>;

/** A file or link whose size is known, or an entry that is settled already. */
type Sized =
  | { readonly kind: 'file'; readonly found: FoundFile; readonly bytes: number }
  | { readonly kind: 'link'; readonly found: FoundFile; readonly text: Buffer; readonly bytes: number }
  | Unscanned;

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK_BYTES = 8 * 1024 * 1024;
/** Of a large file that is looked at first: one that is binary mostly shows it here. */
const FIRST_BYTES = 1024 * 1024;

const unscanned = (path: Uint8Array, reason: Unscanned['reason'], detail: string): Unscanned => ({
  kind: 'unscanned',
  path,
  reason,
  detail,
});

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown fault';

/** `null` for a file that is not there any more: a deletion that git was not told of. */
const sizeOf = (found: FoundFile): Sized | null => {
  let facts: Stats;
  try {
    facts = lstatSync(found.file);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    return unscanned(found.path, 'unreadable', code);
  }
  if (facts.isSymbolicLink()) {
    const text = readlinkSync(found.file, 'buffer');
    return { kind: 'link', found, text, bytes: text.length };
  }
  if (facts.isDirectory()) return unscanned(found.path, 'repository', 'a repository of its own; scan it with -C');
  if (!facts.isFile()) return unscanned(found.path, 'special', 'no regular file');
  if (facts.size > LARGEST_TEXT_BYTES) return unscanned(found.path, 'too-large', tooLarge(facts.size));
  return { kind: 'file', found, bytes: facts.size };
};

const CHANGED = 'it changed while it was read';

/** `target` is filled; why not, else. One byte more is asked for: a file that grew was not read whole. */
const fillNow = (file: Buffer, target: Uint8Array): string | null => {
  const descriptor = openSync(file, FLAGS);
  try {
    if (!fstatSync(descriptor).isFile()) return CHANGED;
    let at = 0;
    while (at < target.length) {
      const read = readSync(descriptor, target, at, target.length - at, at);
      if (read === 0) return CHANGED;
      at += read;
    }
    return readSync(descriptor, new Uint8Array(1), 0, 1, at) === 0 ? null : CHANGED;
  } finally {
    closeSync(descriptor);
  }
};

const BINARY = 'binary';

/**
 * As `fillNow`, and `BINARY` as soon as the file can be nothing else, by the judgement that a bundle's objects are told
 * by: the rest is not read and its memory never touched. It is looked at again each time there is twice as much.
 */
const fillLarge = async (
  file: Buffer,
  target: Uint8Array,
  signal: AbortSignal,
  includesBinary: boolean,
): Promise<string | null> => {
  const handle = await open(file, FLAGS);
  try {
    if (!(await handle.stat()).isFile()) return CHANGED;
    let at = 0;
    let askAt = includesBinary ? Number.POSITIVE_INFINITY : FIRST_BYTES;
    while (at < target.length) {
      signal.throwIfAborted();
      const most = Math.min(at < FIRST_BYTES ? FIRST_BYTES - at : CHUNK_BYTES, target.length - at);
      const { bytesRead } = await handle.read(target, at, most, at);
      if (bytesRead === 0) return CHANGED;
      at += bytesRead;
      if (at < askAt) continue;
      const start = target.subarray(0, at);
      if (isBinaryFrom(start, target.length)) return BINARY;
      // What begins as text is not looked at again: that would cost a large text as much as reading it.
      askAt = isBinaryFrom(start, at) ? 2 * at : Number.POSITIVE_INFINITY;
    }
    return (await handle.read(new Uint8Array(1), 0, 1, at)).bytesRead === 0 ? null : CHANGED;
  } finally {
    await handle.close();
  }
};

const readOne = async (
  sized: Exclude<Sized, Unscanned>,
  target: Uint8Array,
  signal: AbortSignal,
  includesBinary: boolean,
): Promise<SourceEntry> => {
  const { path, file } = sized.found;
  if (sized.kind === 'link') {
    target.set(sized.text);
    return { kind: 'text', path, bytes: target, brought: null };
  }
  try {
    const isLarge = sized.bytes > BATCH_BYTES;
    const why = isLarge ? await fillLarge(file, target, signal, includesBinary) : fillNow(file, target);
    if (why === BINARY) return unscanned(path, 'binary', binaryDetail(sized.bytes));
    return why === null ? { kind: 'text', path, bytes: target, brought: null } : unscanned(path, 'unreadable', why);
  } catch (error) {
    signal.throwIfAborted();
    return unscanned(path, 'unreadable', codeOf(error));
  }
};

const readGroup = async (
  group: readonly Sized[],
  target: Uint8Array,
  signal: AbortSignal,
  includesBinary: boolean,
): Promise<readonly SourceEntry[]> => {
  signal.throwIfAborted();
  const entries: SourceEntry[] = [];
  let at = 0;
  for (const sized of group) {
    if (sized.kind === 'unscanned') {
      entries.push(sized);
      continue;
    }
    entries.push(await readOne(sized, target.subarray(at, at + sized.bytes), signal, includesBinary));
    at += sized.bytes;
  }
  return entries;
};

/** In the order found. `includesBinary`: what is no text is read whole as well. */
export function* readFiles(
  found: Iterable<FoundFile | Unscanned>,
  signal: AbortSignal,
  includesBinary: boolean,
): Generator<SourceBatch> {
  const bytesOf = (sized: Sized): number => (sized.kind === 'unscanned' ? 0 : sized.bytes);
  for (const { group, bytes } of readTogether(sizedOf(found), bytesOf)) {
    yield { bytes, load: (take) => readGroup(group, take(bytes), signal, includesBinary) };
  }
}

function* sizedOf(found: Iterable<FoundFile | Unscanned>): Generator<Sized> {
  for (const one of found) {
    const sized = 'kind' in one ? one : sizeOf(one);
    if (sized !== null) yield sized;
  }
}
