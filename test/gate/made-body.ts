/** Bodies for tests of the gate: JSON written in many hands, and a way to put text into one leaf. */
import type { GateRequest } from '../../src/gate/gate-request.js';
import { readRequest } from '../../src/gate/read-request.js';
import { writeRequest } from '../../src/gate/write-request.js';

export const bodyOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

export const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('utf8');

export const leafTexts = ({ leaves }: GateRequest): readonly string[] => leaves.map(({ bytes }) => textOf(bytes));

/** The body with every `needle` of every leaf replaced. */
export const replaceEverywhere = (body: Uint8Array, needle: string, put: string): Uint8Array => {
  const request = readRequest(body);
  return writeRequest(request, (leaf) => {
    const bytes = Buffer.from(request.leaves[leaf]?.bytes ?? []);
    const found: { start: number; end: number; bytes: Uint8Array }[] = [];
    for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + needle.length)) {
      found.push({ start: at, end: at + Buffer.byteLength(needle), bytes: Buffer.from(put) });
    }
    return found;
  });
};
