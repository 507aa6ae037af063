/**
 * One row as one line. The hash is taken over the line's own bytes without the hash member, which always stands last, so
 * whoever checks it needs no JSON writer that agrees with ours, and no byte of a line can change unseen.
 */
import { createHash } from 'node:crypto';
import type { RecordRow, RowBody } from '../contract/record.js';

/** `prev` of the first row of a store. */
export const GENESIS = `sha256:${'0'.repeat(64)}`;

/** A row of more bytes is refused: no list of items comes near, and a reader's memory stays bounded. */
export const LARGEST_ROW_BYTES = 64 * 1024 * 1024;

export const NEWLINE = 0x0a;

const HASH_MEMBER = /^,"hash":"(sha256:[0-9a-f]{64})"\}$/;
const HASH_MEMBER_BYTES = ',"hash":"sha256:'.length + 64 + '"}'.length;

export interface EncodedRow {
  readonly row: RecordRow;
  /** The line with its newline. */
  readonly line: Uint8Array;
}

export type DecodedRow =
  | { readonly ok: true; readonly row: RecordRow }
  | { readonly ok: false; readonly reason: 'not a row' | 'its hash does not fit its content' };

export function encodeRow(body: RowBody, id: string, time: string, prev: string): EncodedRow {
  const open = JSON.stringify({ v: 1, id, time, ...body, prev });
  const hash = hashOf(Buffer.from(open));
  const row: RecordRow = { v: 1, id, time, ...body, prev, hash };
  return { row, line: Buffer.from(`${open.slice(0, -1)},"hash":"${hash}"}\n`) };
}

/** @param line one line without its newline; not kept. */
export function decodeRow(line: Uint8Array): DecodedRow {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const split = bytes.length - HASH_MEMBER_BYTES;
  const stated = split > 0 ? HASH_MEMBER.exec(bytes.toString('latin1', split))?.[1] : undefined;
  if (stated === undefined) return { ok: false, reason: 'not a row' };
  const row = parseRow(bytes.toString('utf8'));
  if (row === null) return { ok: false, reason: 'not a row' };
  const hash = hashOf(bytes.subarray(0, split), '}');
  return hash === stated ? { ok: true, row } : { ok: false, reason: 'its hash does not fit its content' };
}

function hashOf(bytes: Uint8Array, tail = ''): string {
  return `sha256:${createHash('sha256').update(bytes).update(tail).digest('hex')}`;
}

function parseRow(text: string): RecordRow | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return isRow(value) ? value : null;
}

/** The members every row has; what else stands in it was written by us, or the hash does not fit. */
function isRow(value: unknown): value is RecordRow {
  if (typeof value !== 'object' || value === null) return false;
  const row = value as Record<keyof RecordRow, unknown>;
  const words = [row.id, row.time, row.prev, row.hash, row.event];
  return row.v === 1 && words.every((word) => typeof word === 'string');
}
