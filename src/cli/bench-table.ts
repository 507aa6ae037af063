/** A benchmark for a person: one line a repository, then what was blanked, what a bundle would meet and what changed. */
import type {
  BenchDocument,
  ComparedRepository,
  MeasuredRepository,
  RefusedRepository,
} from '../app/bench/bench-document.js';
import { showBytes, showCount, showNumber, showShare } from '../contract/show-amount.js';
import { type Column, formatTable } from './tables.js';

const HEADS: readonly Column[] = [
  { head: 'repository', clips: true },
  { head: 'items', align: 'right' },
  { head: 'bytes', align: 'right' },
  { head: 'MB/s', align: 'right' },
  { head: 'scanning', align: 'right' },
  { head: 'threads', align: 'right' },
  { head: 'peak memory', align: 'right' },
  { head: 'blanked', align: 'right' },
  { head: 'cap' },
];

/** `1.04x`; more is faster or larger. */
export const showRatio = (ratio: number): string => `${ratio.toFixed(2)}x`;

export const showCapOutcome = ({ cap, sealed_bytes: sealed, omitted }: MeasuredRepository): string => {
  const whole = `${showBytes(sealed)} of ${showBytes(cap.bytes)}`;
  switch (cap.outcome) {
    case 'fits':
      return `fits: ${whole}`;
    case 'OVER_CAP':
      return `over the cap: ${whole}`;
    case 'ITEM_TOO_LARGE':
      return `${showNumber(omitted.too_large, 'item')} too large`;
    default:
      return cap.outcome satisfies never;
  }
};

const rowOf = (one: MeasuredRepository): readonly string[] => [
  one.name,
  showCount(one.items),
  showBytes(one.raw_bytes),
  one.megabytes_per_second.toFixed(0),
  showShare(one.scan_share, 1),
  showShare(one.threads_use, 1),
  showBytes(one.peak_rss_bytes),
  showCount(one.blanked.spans),
  showCapOutcome(one),
];

export const measuredOnly = (rows: BenchDocument['repositories']): readonly MeasuredRepository[] =>
  rows.flatMap((row) => (row.outcome === 'measured' ? [row] : []));

export const refusedOnly = (rows: BenchDocument['repositories']): readonly RefusedRepository[] =>
  rows.flatMap((row) => (row.outcome === 'refused' ? [row] : []));

const kindsOf = ({ name, blanked }: MeasuredRepository): readonly string[] => {
  const kinds = Object.entries(blanked.by_kind).map(([kind, count]) => `${kind} ${showCount(count)}`);
  return kinds.length === 0 ? [] : [`blanked in ${name}: ${kinds.join(', ')}`];
};

const changeOf = ({ name, same_bytes: same, speed_ratio: speed, peak_rss_ratio: memory }: ComparedRepository): string =>
  `since then, ${name}: speed ${showRatio(speed)}, peak memory ${showRatio(memory)}${same ? '' : '; it read other bytes'}`;

/** @returns lines without line ends */
export const benchTable = (document: BenchDocument, columns: number | null): readonly string[] => {
  const { repositories, compared } = document;
  const measured = measuredOnly(repositories);
  return [
    ...(measured.length === 0 ? [] : formatTable(HEADS, measured.map(rowOf), columns)),
    ...measured.flatMap(kindsOf),
    ...refusedOnly(repositories).map(({ name, code, message }) => `refused (${code}): ${name}: ${message}`),
    ...(compared === undefined
      ? []
      : [
          `compared with coldseal ${compared.coldseal} at ${compared.at}${compared.same_machine ? '' : ', on another machine'}`,
          ...compared.repositories.map(changeOf),
        ]),
  ];
};
