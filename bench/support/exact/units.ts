/**
 * The work of an exactness run in pieces that are done in any order and never twice: real files cut into items, and fuzzed
 * items. What a unit holds follows from its number and the seed alone.
 */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { filesBelow } from '../text-files.js';
import type { ExactItem } from './compare.js';
import type { MakeItem } from './fuzzed-items.js';

export type Unit =
  | { readonly kind: 'files'; readonly number: number; readonly paths: readonly string[] }
  | { readonly kind: 'fuzz'; readonly number: number; readonly from: number; readonly to: number };

const UNIT_BYTES = 256 * 1024;
const LARGEST_FILE_BYTES = 2 * 1024 * 1024;
const FUZZED_TOGETHER = 250;
const LARGEST_PIECE_BYTES = 64 * 1024;
const LOOKED_AT_BYTES = 4096;

/** No zero byte at its beginning; what is no UTF-8 stays, it is scanned as well. */
const isText = (path: string): boolean => {
  const file = openSync(path, 'r');
  try {
    const head = new Uint8Array(LOOKED_AT_BYTES);
    return !head.subarray(0, readSync(file, head)).includes(0);
  } finally {
    closeSync(file);
  }
};

/** A number from a text, for an order that has nothing to do with folders. */
const scatter = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
};

const usable = (path: string): number => {
  try {
    const { size } = statSync(path);
    return size > 0 && size <= LARGEST_FILE_BYTES && isText(path) ? size : 0;
  } catch {
    return 0;
  }
};

/** Files from all over the folders, as many as make `totalBytes`. */
export const fileUnits = (folders: readonly string[], totalBytes: number): Unit[] => {
  const paths = folders.flatMap((folder) => [...filesBelow(folder)]);
  const scattered = paths.map((path) => ({ path, place: scatter(path) })).sort((a, b) => a.place - b.place);
  const units: Unit[] = [];
  let together: string[] = [];
  let bytes = 0;
  let total = 0;
  const close = (): void => {
    if (together.length > 0) units.push({ kind: 'files', number: units.length, paths: together });
    together = [];
    bytes = 0;
  };
  for (const { path } of scattered) {
    if (total >= totalBytes) break;
    const size = usable(path);
    if (size === 0) continue;
    together.push(path);
    bytes += size;
    total += size;
    if (bytes >= UNIT_BYTES) close();
  }
  close();
  return units;
};

export const fuzzUnits = (items: number, firstNumber: number): Unit[] =>
  Array.from({ length: Math.ceil(items / FUZZED_TOGETHER) }, (_, index) => ({
    kind: 'fuzz',
    number: firstNumber + index,
    from: index * FUZZED_TOGETHER,
    to: Math.min(items, (index + 1) * FUZZED_TOGETHER),
  }));

/** Every other file whole, the rest in pieces of random sizes, down to a byte. */
const itemsOfFile = (path: string, below: (limit: number) => number): ExactItem[] => {
  const bytes = readFileSync(path);
  if (below(2) === 0) return [{ name: path, bytes }];
  const items: ExactItem[] = [];
  const most = below(2) === 0 ? LARGEST_PIECE_BYTES : 2048;
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + 1 + below(most));
    items.push({ name: `${path} at ${at}`, bytes: bytes.subarray(at, end) });
    at = end;
  }
  return items;
};

export const itemsOfUnit = (unit: Unit, makeItem: MakeItem, below: (limit: number) => number): ExactItem[] => {
  switch (unit.kind) {
    case 'files':
      return unit.paths.flatMap((path) => itemsOfFile(path, below));
    case 'fuzz':
      return Array.from({ length: unit.to - unit.from }, (_, index) => ({
        name: `fuzzed ${unit.from + index}`,
        bytes: makeItem(unit.from + index),
      }));
    default:
      return unit satisfies never;
  }
};
