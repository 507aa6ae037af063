/**
 * The programs that the engine is held against, each over the very same items in one thread (repomix: its two). None is a
 * part of the product: ripgrep and Hyperscan are used where the machine has them, secretlint and repomix where
 * `bench/peers` is installed, whole scanners where they are on the PATH.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOf } from '../../src/engine/pattern/byte-set.js';
import type { RuleTables } from '../../src/engine/rule-tables.js';
import type { Round } from './measure.js';
import { startPeer } from './peer-process.js';
import { versionOf } from './run-record.js';

export interface OpenPeer {
  readonly name: string;
  readonly version: string | null;
  readonly threads: number;
  readonly facts: Readonly<Record<string, unknown>>;
  round(): Promise<Round> | Round;
  close(): Promise<void>;
}

/** Where a peer finds items: `text`, `lengths`, `patterns` and `words`. */
export interface PeerFiles {
  readonly root: string;
  readonly folder: string;
}

/** The lower-case text of a literal that is one text but for letter case, else `null`. */
const wordOf = (literal: readonly Uint32Array[]): string | null => {
  const letters = literal.map((set) => {
    const folded = new Set(bytesOf(set).map((byte) => String.fromCharCode(byte).toLowerCase()));
    return folded.size === 1 ? [...folded].join('') : '';
  });
  return letters.length > 2 && letters.every((letter) => letter >= ' ' && letter <= '~') ? letters.join('') : null;
};

/** The keywords of all rules that are plain text; the few that are not are counted. */
export const keywordsOf = (tables: RuleTables): { readonly words: readonly string[]; readonly leftOut: number } => {
  const literals = tables.rules.flatMap(({ plan }) => plan?.anchors.flatMap((anchor) => anchor.literals) ?? []);
  const words = literals.map(wordOf);
  const plain = words.filter((word) => word !== null);
  return { words: [...new Set(plain)].sort(), leftOut: words.length - plain.length };
};

export const writePeerFiles = (files: PeerFiles, items: readonly Buffer[], tables: RuleTables): void => {
  const { folder } = files;
  const lengths = Buffer.alloc(4 * items.length);
  items.forEach((item, index) => {
    lengths.writeUInt32LE(item.length, 4 * index);
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'text'), Buffer.concat(items));
  writeFileSync(join(folder, 'lengths'), lengths);
  writeFileSync(join(folder, 'patterns'), tables.rules.map(({ rule }) => `${rule.id}\0${rule.pattern}\0`).join(''));
  writeFileSync(join(folder, 'words'), `${keywordsOf(tables).words.join('\n')}\n`);
};

/** Programs of the machine, not of a package. */
const COMPILER = 'cc';
const HYPERSCAN_FLAGS = 'pkg-config';

/** Compiled once a process; `null` where there is no compiler or no library. */
let hyperscanProgram: string | null | undefined;

const buildHyperscan = (root: string): string | null => {
  const target = join(root, 'node_modules', '.cache', 'coldseal-bench', 'hyperscan');
  try {
    const flags = execFileSync(HYPERSCAN_FLAGS, ['--cflags', '--libs', 'libhs'], { encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    const source = join(root, 'bench', 'peers', 'hyperscan.c');
    execFileSync(COMPILER, ['-O2', '-Wall', '-o', target, source, ...flags], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return target;
  } catch {
    return null;
  }
};

const openHyperscan = async ({ root, folder }: PeerFiles): Promise<OpenPeer | null> => {
  hyperscanProgram ??= buildHyperscan(root);
  if (hyperscanProgram === null) return null;
  const peer = await startPeer(hyperscanProgram, ['patterns', 'text', 'lengths'], folder);
  const { version, ...facts } = peer.facts;
  return { name: 'hyperscan', version: String(version), threads: 1, facts, round: peer.round, close: peer.close };
};

const NODE_PEERS = [
  { name: 'secretlint', needs: '@secretlint/core', threads: 1 },
  { name: 'repomix', needs: 'repomix', threads: 2 },
] as const;

const openNodePeer = async (
  { root, folder }: PeerFiles,
  { name, needs, threads }: (typeof NODE_PEERS)[number],
): Promise<OpenPeer | null> => {
  const peers = join(root, 'bench', 'peers');
  if (!existsSync(join(peers, 'node_modules', needs))) return null;
  const peer = await startPeer(process.execPath, [join(peers, 'secretlint.mjs'), name, 'text', 'lengths'], folder);
  return { name, version: String(peer.facts['version']), threads, facts: {}, round: peer.round, close: peer.close };
};

/** One run of a program by bash, whose own account of processor time has three digits. */
const runTimed = (folder: string, words: readonly string[], countLines: boolean): Round => {
  const began = performance.now();
  const ran = spawnSync('bash', ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bash', ...words], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1024 * 1024 * 1024,
    env: { PATH: process.env['PATH'], HOME: folder, GOMAXPROCS: '1' },
  });
  const wallMs = performance.now() - began;
  const [user = Number.NaN, system = Number.NaN] = (ran.stderr.trimEnd().split('\n').at(-1) ?? '')
    .split(' ')
    .map(Number);
  if (ran.status === null || Number.isNaN(user + system)) throw new Error(`${words[0]} did not run to its end`);
  const found = countLines ? ran.stdout.split('\n').length - 1 : Number(ran.stdout.trim() || 0);
  return { wallMs, cpuMs: (user + system) * 1000, found };
};

/** Programs that are started anew each round; their start is a part of what they are. */
const PROGRAMS: readonly { readonly name: string; readonly words: readonly string[]; readonly lines: boolean }[] = [
  {
    name: 'rg',
    words: ['--no-config', '-j1', '-F', '-i', '-c', '-a', '-f', 'words', 'text'],
    lines: false,
  },
  { name: 'gitleaks', words: ['dir', 'text', '--no-banner', '--exit-code', '0', '-f', 'json', '-r', '-'], lines: true },
  {
    name: 'betterleaks',
    words: ['dir', 'text', '--no-banner', '--exit-code', '0', '-f', 'json', '-r', '-'],
    lines: true,
  },
  { name: 'kingfisher', words: ['scan', 'text', '--no-validate', '--jobs', '1', '--format', 'jsonl'], lines: true },
  {
    name: 'trufflehog',
    words: ['filesystem', 'text', '--no-verification', '--no-update', '--json', '--concurrency=1'],
    lines: true,
  },
];

const openProgram = ({ folder }: PeerFiles, { name, words, lines }: (typeof PROGRAMS)[number]): OpenPeer | null => {
  const version = versionOf(name);
  return version === null
    ? null
    : {
        name,
        version,
        threads: 1,
        facts: {},
        round: () => runTimed(folder, [name, ...words], lines),
        close: () => Promise.resolve(),
      };
};

/** Every peer that this machine has, over the items that were written to `folder`. The caller closes them. */
export const openPeers = async (files: PeerFiles): Promise<OpenPeer[]> => {
  const open = [
    await openHyperscan(files),
    ...(await Promise.all(NODE_PEERS.map((peer) => openNodePeer(files, peer)))),
    ...PROGRAMS.map((program) => openProgram(files, program)),
  ];
  return open.filter((peer) => peer !== null);
};
