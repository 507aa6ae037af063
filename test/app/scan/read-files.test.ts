/** A large file that can be nothing but binary is told by its beginning; its memory beyond that is never touched. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readFiles } from '../../../src/app/scan/read-files.js';
import type { SourceEntry } from '../../../src/app/scan/scan-source.js';
import { makeTestFolder } from '../../support/make-repository.js';

const MIB = 1024 * 1024;
const UNTOUCHED = 0x55;
const folder = makeTestFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readOne = async (bytes: Uint8Array, includesBinary: boolean) => {
  const file = Buffer.from(join(folder, 'one'));
  writeFileSync(file, bytes);
  const target = new Uint8Array(new SharedArrayBuffer(bytes.length)).fill(UNTOUCHED);
  const entries: SourceEntry[] = [];
  const found = [{ path: Buffer.from('one'), file }];
  for (const batch of readFiles(found, new AbortController().signal, includesBinary)) {
    entries.push(...(await batch.load(() => target)));
  }
  return { entry: entries[0], isReadToItsEnd: target.at(-1) === bytes.at(-1) };
};

/** No byte is the one that memory is filled with before. */
const ZEROS = Buffer.alloc(32 * MIB);
const TEXT = Buffer.alloc(32 * MIB, 'const answer = 42;\n');
/** Text in its first part, and no text as a whole. */
const LATE = Buffer.concat([TEXT.subarray(0, 2 * MIB), ZEROS.subarray(0, 8 * MIB)]);

describe('a large file of a work tree', () => {
  it('that can only be binary is not read to its end, and told', async () => {
    const { entry, isReadToItsEnd } = await readOne(ZEROS, false);
    expect(entry).toMatchObject({
      kind: 'unscanned',
      reason: 'binary',
      detail: `${32 * MIB} bytes, more than 1 % of them no text`,
    });
    expect(isReadToItsEnd).toBe(false);
  });

  it('is read whole where binary files are asked for', async () => {
    const { entry, isReadToItsEnd } = await readOne(ZEROS, true);
    expect(entry?.kind).toBe('text');
    expect(isReadToItsEnd).toBe(true);
  });

  it.each([
    ['text', TEXT],
    ['text at its beginning', LATE],
  ])('that is %s is read whole and judged afterwards', async (_what, bytes) => {
    const { entry, isReadToItsEnd } = await readOne(bytes, false);
    expect(entry?.kind === 'text' && Buffer.compare(entry.bytes, bytes) === 0).toBe(true);
    expect(isReadToItsEnd).toBe(true);
  });
});
