/** The first look in WebAssembly gives the very lists of the one in plain code, wherever parts and blocks are cut. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FindCandidates, findCandidates } from '../../src/views/candidates.js';
import { CANDIDATE_PAGES, type CandidateExports, candidatesThroughWasm } from '../../src/views/wasm-candidates.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A compiler of its own process on a busy machine. */
const COMPILE_LIMIT_MS = 120_000;

interface Wasm {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  readonly Instance: new (module: object, imports: object) => { readonly exports: CandidateExports };
}
const { WebAssembly: wasm } = globalThis as unknown as { readonly WebAssembly: Wasm };

let folder = '';
let throughWasm: FindCandidates = findCandidates;

beforeAll(() => {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'coldseal-test-'));
  const outFile = join(folder, 'candidates.wasm');
  execFileSync(process.execPath, [
    join(root, 'node_modules/assemblyscript/bin/asc.js'),
    join(root, 'src/views/wasm/candidates.as.ts'),
    ...['--config', 'none', '--outFile', outFile, '--runtime', 'stub', '--optimizeLevel', '3', '--shrinkLevel', '0'],
    ...['--enable', 'simd', '--importMemory', '--noAssert'],
  ]);
  const memory = new wasm.Memory({ initial: CANDIDATE_PAGES, maximum: CANDIDATE_PAGES });
  const instance = new wasm.Instance(new wasm.Module(readFileSync(outFile)), { env: { memory } });
  throughWasm = candidatesThroughWasm(instance.exports, memory);
}, COMPILE_LIMIT_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lists = (find: FindCandidates, text: Uint8Array) => {
  const { triggers, runs, ...facts } = find(text);
  return { triggers: Array.from(triggers), runs: Array.from(runs), ...facts };
};

const expectSame = (text: Uint8Array): void => {
  expect(lists(throughWasm, text)).toEqual(lists(findCandidates, text));
};

describe('candidates through WebAssembly', () => {
  it('are those of plain code for every byte and every byte behind it', () => {
    const pairs = Buffer.alloc(65536 * 2);
    for (let pair = 0; pair < 65536; pair += 1) pairs.writeUInt16BE(pair, pair * 2);
    expectSame(pairs);
    expectSame(pairs.subarray(1));
  });

  it('are those of plain code for random bytes and for text of few characters', () => {
    const part = fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom('%41', '\\n', '&amp;', '=3D', '" + "', 'AbCd0123+/-_', 'a', ' ', '=\n')
        .map((text) => Buffer.from(text)),
      fc.integer({ min: 1, max: 60 }).map((count) => Buffer.alloc(count, 'x')),
      fc.integer({ min: 1, max: 6 }).map((count) => Buffer.alloc(count, '-')),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), fc.nat({ max: 20 }), (parts, lead) => {
        expectSame(Buffer.concat([Buffer.alloc(260 + lead, ' '), ...parts]));
        expectSame(Buffer.concat([...parts, Buffer.alloc(260, 'y')]));
      }),
      { numRuns: 300 },
    );
  });

  it('are those of plain code for runs that hold text, nearly do, or wrap, and for quotes that may join', () => {
    const run = fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64')),
      fc.string({ maxLength: 30 }).map((text) => Buffer.from(text).toString('base64url')),
      fc.string({ maxLength: 30 }).map((text) => Buffer.from(text, 'utf16le').toString('base64')),
      fc.string({ minLength: 10, maxLength: 16 }).map((text) => Buffer.from(text).toString('hex')),
      fc.uint8Array({ maxLength: 24 }).map((bytes) => Buffer.from(bytes).toString('hex').toUpperCase()),
      fc.integer({ min: 36, max: 44 }).map((count) => 'Z'.repeat(count)),
      fc.constantFrom(
        '\n',
        '\r\n',
        '",\n',
        "'\r",
        '" +\n  "',
        '"\n+ "',
        "' . b'",
        '""',
        '" ',
        `"${' '.repeat(48)}"`,
        '|',
        '.',
      ),
    );
    fc.assert(
      fc.property(fc.array(run, { maxLength: 30 }), fc.nat({ max: 17 }), (parts, lead) => {
        const text = parts.join('');
        expectSame(Buffer.from(`${'.'.repeat(130 + lead)}${text}`));
        expectSame(Buffer.from(`${'.'.repeat(64 * 1024 - lead * 4)}${text}`));
      }),
      { numRuns: 300 },
    );
  });

  it('say of dashes in a row what plain code says, wherever they stand and whatever was read before', () => {
    for (const length of [128, 143, 144, 64 * 1024, 64 * 1024 + 2, 130 * 1024]) {
      for (const count of [3, 4, 5]) {
        for (const at of [0, 13, 16, length - 5, 64 * 1024 - 2]) {
          if (at + count > length) continue;
          const text = Buffer.alloc(length, 'text ');
          text.fill('-', at, at + count);
          expectSame(text);
          expect(throughWasm(text).holdsDashes).toBe(count >= 4);
        }
      }
    }
  });

  it('say of bytes outside ASCII, of zero bytes and of escape bytes what plain code says, wherever the only one stands', () => {
    for (const length of [128, 143, 144, 64 * 1024, 64 * 1024 + 1, 130 * 1024]) {
      const text = Buffer.alloc(length, 'text ');
      expectSame(text);
      for (const at of [0, 15, 16, length - 1]) {
        for (const code of [0, 0x1b, 0x80, 0xff]) {
          const changed = Buffer.from(text);
          changed[at] = code;
          expectSame(changed);
        }
      }
    }
  });

  it('are those of plain code around the ends of parts', () => {
    const PART = 64 * 1024;
    for (const around of ['%41', 'x'.repeat(15), 'x'.repeat(16), 'x'.repeat(40), '\\', '"\n"']) {
      for (let shift = -18; shift <= 18; shift += 1) {
        for (const parts of [1, 2]) {
          const before = parts * PART + shift;
          expectSame(Buffer.concat([Buffer.alloc(before, '.'), Buffer.from(around), Buffer.alloc(20, '.')]));
          expectSame(Buffer.concat([Buffer.alloc(before, '.'), Buffer.from(around)]));
        }
      }
    }
    expectSame(Buffer.alloc(3 * PART, 'z'));
    expectSame(Buffer.alloc(2 * PART + 5, '%'));
  });
});
