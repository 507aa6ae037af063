/**
 * What a person reads when a bundle is over the cap: every figure, the key and the command that raise the cap, and for
 * each of the largest items the command that leaves it out. Nothing is cut short to fit, ever.
 */
import { type Cap, LARGEST_CAP_BYTES } from '../contract/bundle.js';
import { ColdsealError } from '../contract/error.js';
import type { InputName } from '../contract/item.js';

export interface WeighedItem {
  readonly id: string;
  readonly input: InputName;
  /** As it may be shown: printable and blanked. */
  readonly name: string;
  /** The path's own bytes when a glob can name it: an item that is a file and whose name holds no finding. */
  readonly path: Uint8Array | null;
  /** As read, so that a plan and a send name the same figure; `null` where it was not read yet. */
  readonly rawBytes: number | null;
}

export interface OverCap {
  readonly cap: Cap;
  readonly rawBytes: number;
  /** False while a difference was not read to its end. */
  readonly rawIsWhole: boolean;
  readonly bytes: number;
  /** The scan was stopped at the limit: `bytes` is a lower bound. */
  readonly isStopped: boolean;
  readonly items: readonly WeighedItem[];
}

const SHOWN_ITEMS = 5;
const MEBIBYTE = 1024 * 1024;
const ORIGINS = { project: 'set for this project', machine: 'set for this machine', default: 'the default' } as const;

export const refuseOverCap = (over: OverCap): ColdsealError => {
  const { cap, rawBytes, bytes } = over;
  const size = `${over.isStopped ? 'at least ' : ''}${bytes} bytes as sent`;
  const raw = `${over.rawIsWhole ? '' : 'at least '}${rawBytes} bytes raw`;
  const command = raisingCommand(over);
  const lines = [
    `the bundle is ${size}, ${raw}; the cap is ${cap.bytes} bytes (${ORIGINS[cap.origin]}, key ${cap.key} of the machine file). ` +
      `Nothing was cut short, nothing was sent. ${command === null ? TOO_LARGE : `To raise the cap: ${command}`}`,
    ...largest(over.items).map(({ id, name, input, rawBytes: itemBytes, path }) => {
      const leaveOut = path === null ? '' : `: coldseal withhold add ${quoted(globFor(path))}`;
      return `  ${id} ${input} ${name === '' ? '' : `${name} `}(${itemBytes === null ? 'not read yet' : `${itemBytes} bytes raw`})${leaveOut}`;
    }),
  ];
  return new ColdsealError('OVER_CAP', lines.join('\n'), {
    facts: {
      raw_bytes: rawBytes,
      bytes,
      at_least: over.isStopped,
      cap: cap.bytes,
      cap_origin: cap.origin,
      cap_key: cap.key,
      command,
    },
  });
};

const TOO_LARGE = `No cap can be over ${LARGEST_CAP_BYTES} bytes (256 MiB): leave items out, or narrow the range.`;

/** Doubles the cap in whole MiB until the bundle fits; `null` when no cap can hold it. */
const raisingCommand = ({ cap, bytes, rawBytes, isStopped }: OverCap): string | null => {
  const due = isStopped ? Math.max(bytes, rawBytes) : bytes;
  if (bytes > LARGEST_CAP_BYTES) return null;
  let mebibytes = 1;
  while (mebibytes * MEBIBYTE < due && mebibytes * MEBIBYTE < LARGEST_CAP_BYTES) mebibytes *= 2;
  return `coldseal cap ${mebibytes}MiB${cap.key.includes('.projects.') ? ' --project' : ''}`;
};

const largest = (items: readonly WeighedItem[]): readonly WeighedItem[] =>
  [...items].sort((a, b) => (b.rawBytes ?? 0) - (a.rawBytes ?? 0) || (a.id < b.id ? -1 : 1)).slice(0, SHOWN_ITEMS);

/** A glob that meets the path. What a command line cannot carry well stands as `*`. */
const globFor = (path: Uint8Array): string =>
  Buffer.from(path)
    .toString('utf8')
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029\ufffd\\]+/gu, '*');

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
