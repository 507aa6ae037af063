/**
 * Repositories that mean harm, of any size, written through `git fast-import` or by hand where git would not write them.
 * Everything is made while it runs: no such pack lies among the project's files.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { gitTestEnvironment, type MadeRepository, makeRepository } from './make-repository.js';

const COMMIT = 'commit refs/heads/main\ncommitter Ada Example <ada@example.org> 1704164645 +0000\ndata 1\nx\n';
const STREAM_BYTES = 1024 * 1024;

/** Feeds a stream of commands, waiting where git is slower. */
const fastImport = async (into: MadeRepository, commands: Iterable<string | Uint8Array>): Promise<MadeRepository> => {
  const words = ['-c', 'pack.compression=1', 'fast-import', '--quiet', '--force'];
  const child = spawn('git', words, {
    cwd: into.folder,
    env: gitTestEnvironment(),
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(child, 'close');
  let text = '';
  const flush = async (bytes: string | Uint8Array): Promise<void> => {
    if (!child.stdin.write(bytes)) await Promise.race([once(child.stdin, 'drain'), ended]);
  };
  for (const command of commands) {
    if (typeof command === 'string') text += command;
    if (typeof command === 'string' && text.length < STREAM_BYTES) continue;
    await flush(text);
    text = '';
    if (typeof command !== 'string') await flush(command);
  }
  child.stdin.end(text);
  const [status] = await ended;
  if (status !== 0) throw new Error(`git fast-import ended with ${status}`);
  return into;
};

/** Every file its own few bytes, a thousand a folder. */
export const manyFiles = (count: number): Promise<MadeRepository> =>
  fastImport(
    makeRepository(),
    (function* () {
      yield COMMIT;
      for (let at = 0; at < count; at += 1) {
        const text = `${at}\n`;
        yield `M 100644 inline d${Math.floor(at / 1000)}/f${at}\ndata ${text.length}\n${text}\n`;
      }
    })(),
  );

/** As many paths, all of one small file: `folders` names for one tree of a thousand. Made by a handful of git calls. */
export const sameFiles = (folders: number): MadeRepository => {
  const made = makeRepository();
  const blob = made.git(['hash-object', '-w', '--stdin'], 'x\n');
  const files = Array.from({ length: 1000 }, (_, at) => `100644 blob ${blob}\tf${at}\n`);
  const folder = made.git(['mktree'], files.join(''));
  const rows = Array.from({ length: folders }, (_, at) => `040000 tree ${folder}\td${at}\n`);
  const root = made.git(['mktree'], rows.join(''));
  made.git(['update-ref', 'refs/heads/main', made.git(['commit-tree', '-m', 'x', root])]);
  return made;
};

/** One file of lines that compress well; `lineBytes` of its length is one line. */
export const bigFile = (bytes: number, lineBytes: number): Promise<MadeRepository> =>
  fastImport(
    makeRepository(),
    (function* () {
      yield `${COMMIT}M 100644 inline big.txt\ndata ${bytes}\n`;
      const words = Buffer.alloc(STREAM_BYTES, 'total of rows and more; ');
      for (let at = 0; at < bytes; at += words.length) {
        const part = Buffer.from(words.subarray(0, Math.min(words.length, bytes - at)));
        const firstEnd = Math.ceil((at + 1) / lineBytes) * lineBytes - 1;
        for (let end = firstEnd; end < at + part.length; end += lineBytes) part[end - at] = 0x0a;
        yield part;
      }
      yield '\n';
    })(),
  );

export const oneFileAt = (...paths: readonly string[]): Promise<MadeRepository> =>
  fastImport(
    makeRepository(),
    paths.map((path, at) => `${at === 0 ? COMMIT : ''}M 100644 inline ${path}\ndata 2\nx\n\n`),
  );

export const deepTree = (depth: number): Promise<MadeRepository> => oneFileAt(`${'d/'.repeat(depth)}f`);

/** Paths of exactly these many bytes, in names of at most 255. */
export const pathOf = (bytes: number): string =>
  `${`${'n'.repeat(254)}/`.repeat(Math.floor((bytes - 1) / 255))}`.padEnd(bytes, 'm');

/** Branches that all stand at HEAD. */
export const manyRefs = async (count: number): Promise<MadeRepository> => {
  const made = await oneFileAt('a.txt');
  const head = made.git(['rev-parse', 'HEAD']);
  const refs = Array.from({ length: count }, (_, at) => `${head} refs/heads/b/${String(at).padStart(7, '0')}\n`);
  writeFileSync(
    join(made.folder, '.git', 'packed-refs'),
    `# pack-refs with: peeled fully-peeled sorted \n${refs.join('')}`,
  );
  return made;
};

/** A commit of one file that is this object, which is written by `plant` afterwards. */
const withBlob = (id: string, plant: (objects: string) => void): MadeRepository => {
  const made = makeRepository();
  const tree = made.git(['mktree', '--missing'], `100644 blob ${id}\tbomb.txt\n`);
  made.git(['update-ref', 'refs/heads/main', made.git(['commit-tree', '-m', 'x', tree])]);
  plant(join(made.folder, '.git', 'objects'));
  return made;
};

const nameOf = (seed: string): string => createHash('sha1').update(seed).digest('hex');

/** A loose object that says another size than it has. */
export const lyingLoose = (saysBytes: number, hasBytes: number): MadeRepository => {
  const id = nameOf(`loose ${saysBytes}`);
  return withBlob(id, (objects) => {
    mkdirSync(join(objects, id.slice(0, 2)), { recursive: true });
    const body = Buffer.concat([Buffer.from(`blob ${saysBytes}\0`), Buffer.alloc(hasBytes, 'x')]);
    writeFileSync(join(objects, id.slice(0, 2), id.slice(2)), deflateSync(body));
  });
};

interface PackEntry {
  readonly id: string;
  readonly bytes: Buffer;
}

const BLOB = 3;
const REF_DELTA = 7;

/** git's header of an object in a pack: type and size, seven bits a byte after the first four. */
const entryHeader = (type: number, size: number): Buffer => {
  const bytes = [(type << 4) | (size % 16)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(rest % 128);
  }
  return Buffer.from(bytes.map((byte, at) => (at < bytes.length - 1 ? byte | 0x80 : byte)));
};

const sizeOf = (size: number): readonly number[] =>
  size < 128 ? [size] : [(size % 128) | 0x80, ...sizeOf(Math.floor(size / 128))];

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const sha1 = (bytes: Uint8Array): Buffer => createHash('sha1').update(bytes).digest();

/** A pack and its index, with the names that it is told and whatever the entries say. */
const writePack = (objects: string, entries: readonly PackEntry[]): void => {
  const head = Buffer.concat([Buffer.from('PACK'), uint32(2), uint32(entries.length)]);
  const offsets = new Map<string, number>();
  let at = head.length;
  for (const { id, bytes } of entries) {
    offsets.set(id, at);
    at += bytes.length;
  }
  const body = Buffer.concat([head, ...entries.map(({ bytes }) => bytes)]);
  const pack = Buffer.concat([body, sha1(body)]);
  const sorted = entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const fanout = Array.from({ length: 256 }, (_, first) =>
    uint32(sorted.filter(({ id }) => Number.parseInt(id.slice(0, 2), 16) <= first).length),
  );
  const index = Buffer.concat([
    Buffer.from('ff744f6300000002', 'hex'),
    ...fanout,
    ...sorted.map(({ id }) => Buffer.from(id, 'hex')),
    ...sorted.map(({ bytes }) => uint32(crc32(bytes))),
    ...sorted.map(({ id }) => uint32(offsets.get(id) ?? 0)),
    sha1(body),
  ]);
  const name = join(objects, 'pack', `pack-${sha1(body).toString('hex')}`);
  mkdirSync(join(objects, 'pack'), { recursive: true });
  writeFileSync(`${name}.pack`, pack);
  writeFileSync(`${name}.idx`, Buffer.concat([index, sha1(index)]));
};

/** An object in a pack whose header says another size than it has. */
export const lyingPack = (saysBytes: number, hasBytes: number): MadeRepository => {
  const id = nameOf(`pack ${saysBytes}`);
  const bytes = Buffer.concat([entryHeader(BLOB, saysBytes), deflateSync(Buffer.alloc(hasBytes, 'x'))]);
  return withBlob(id, (objects) => writePack(objects, [{ id, bytes }]));
};

const deltaEntry = (id: string, base: string, from: number, to: number, copies: readonly number[]): PackEntry => {
  // One copy from the base's start: command, then the size in three bytes.
  const copied = copies.flatMap((size) => [
    0x80 | 0x70,
    size % 256,
    Math.floor(size / 256) % 256,
    Math.floor(size / 65536),
  ]);
  const delta = Buffer.from([...sizeOf(from), ...sizeOf(to), ...copied]);
  const bytes = Buffer.concat([entryHeader(REF_DELTA, delta.length), Buffer.from(base, 'hex'), deflateSync(delta)]);
  return { id, bytes };
};

const DELTA_BASE_BYTES = 8 * 1024 * 1024;

/**
 * A chain of three: a base, a middle that is the base many times over, and a file that copies `fileBytes` of the middle.
 * The file is as small as it says; to read it, git has to make the middle.
 */
export const deltaBomb = (middleBytes: number, fileBytes: number): MadeRepository => {
  const [base, middle, file] = ['base', 'middle', 'file'].map((part) => nameOf(`delta ${part}`)) as [
    string,
    string,
    string,
  ];
  const times = Math.floor(middleBytes / DELTA_BASE_BYTES);
  const copies = Array.from({ length: times }, () => DELTA_BASE_BYTES);
  const first = Buffer.concat([
    entryHeader(BLOB, DELTA_BASE_BYTES),
    deflateSync(Buffer.alloc(DELTA_BASE_BYTES, 'row;\n')),
  ]);
  const most = DELTA_BASE_BYTES;
  const parts = Array.from({ length: Math.ceil(fileBytes / most) }, (_, at) => Math.min(most, fileBytes - at * most));
  return withBlob(file, (objects) =>
    writePack(objects, [
      { id: base, bytes: first },
      deltaEntry(middle, base, DELTA_BASE_BYTES, times * DELTA_BASE_BYTES, copies),
      deltaEntry(file, middle, times * DELTA_BASE_BYTES, fileBytes, parts),
    ]),
  );
};

/** Ten names for one tree, `levels` times: ten to the power of `levels` files out of a few hundred bytes. */
export const treeBomb = (levels: number): MadeRepository => {
  const made = makeRepository();
  let row = `100644 blob ${made.git(['hash-object', '-w', '--stdin'], 'x\n')}`;
  for (let level = 0; level < levels; level += 1) {
    const rows = Array.from({ length: 10 }, (_, at) => `${row}\tn${at}\n`);
    row = `040000 tree ${made.git(['mktree'], rows.join(''))}`;
  }
  made.git(['update-ref', 'refs/heads/main', made.git(['commit-tree', '-m', 'x', row.split(' ')[2] ?? ''])]);
  return made;
};

/** Links to themselves, to each other and to the folder they stand in. */
export const cyclicLinks = (): MadeRepository => {
  const made = makeRepository();
  for (const [path, target] of [
    ['self', 'self'],
    ['a', 'b'],
    ['b', 'a'],
    ['folder/up', '..'],
    ['folder/here', '.'],
  ] as const) {
    made.link(path, target);
  }
  made.commit('links', { 'folder/text.txt': 'x\n' });
  return made;
};
