/** Parks readings by hand, in the form that another assembler writes: documents as plain objects that a test may bend. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const RUN_FOLDER = '.abcd/.work.local/scratch/reading-runs';

export interface ParkedItem {
  readonly kind: string;
  readonly text: string;
  readonly candidate?: string;
  readonly field?: string;
  readonly scan?: 'parsed' | 'unscanned';
}

/** Members as they will stand in the file; values are anything, because a test may put anything there. */
export type MadeDocument = Record<string, unknown> & { items: Record<string, unknown>[] };

export interface MadeReading {
  readonly bundle: MadeDocument;
  readonly manifest: MadeDocument;
}

export const sha256Hex = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const PRESET = { kinds: ['source', 'doc'], records: ['itd-7'], location_narrowings: 2 };

export const makeReading = (runId: string, position: string, parked: readonly ParkedItem[]): MadeReading => {
  const keyOf = (at: number): string => `itm-${String(at + 1).padStart(4, '0')}`;
  return {
    bundle: {
      _type: 'abcd.reading.bundle',
      schema_version: 10,
      context_stamp: 'the shipped tree',
      position,
      preset: structuredClone(PRESET),
      items: parked.map(({ scan: _scan, text, ...facts }, at) => ({ item_key: keyOf(at), ...facts, text })),
    },
    manifest: {
      _type: 'abcd.reading.manifest',
      schema_version: 10,
      run_id: runId,
      position,
      target_commit: 'a1'.repeat(20),
      assembler_version: `2.4.0+sha256:${'b2'.repeat(32)}`,
      preset: structuredClone(PRESET),
      preset_hash: `sha256:${'c3'.repeat(32)}`,
      items: parked.map(({ text, scan = 'parsed', ...facts }, at) => ({
        item_key: keyOf(at),
        path: `some/place-${at}.ts`,
        ...facts,
        scan,
        bytes: Buffer.byteLength(text),
        sha256: sha256Hex(text),
      })),
      exclusions: [
        { path: '.env', reason: 'withheld' },
        { path: 'logo.png', reason: 'binary' },
      ],
    },
  };
};

/** The canonical form of the other assembler: two spaces and one newline at the end. */
export const asFile = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`;

/** Writes both files; the manifest's text. */
export const parkReading = (
  folder: string,
  runId: string,
  bundle: string | Uint8Array,
  manifest: string | Uint8Array,
): void => {
  const run = join(folder, RUN_FOLDER, runId);
  mkdirSync(run, { recursive: true });
  writeFileSync(join(run, 'bundle.json'), bundle);
  writeFileSync(join(run, 'manifest.json'), manifest);
};
