/** A plan for a person: what would leave for where, how large it is, what is blanked, and how to send exactly this. */
import type { BundleDocument, ItemDocument, OutcomeDocument } from '../contract/documents.js';
import { showBytes, showCount, showNumber, showShare } from '../contract/show-amount.js';
import type { Style } from './style.js';
import { formatTable } from './tables.js';

const LARGEST_SHOWN = 10;
const GAUGE_COLUMNS = 20;

const countedBy = <T>(rows: readonly T[], nameOf: (row: T) => string): string => {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
};

/** `diff, 12 changed files`: the inputs in list order, as words. */
const inputsInWords = (items: readonly ItemDocument[]): string => {
  const counts = new Map<string, number>();
  for (const { input } of items) counts.set(input, (counts.get(input) ?? 0) + 1);
  return [...counts]
    .map(([input, count]) => {
      const words = input.replaceAll('_', ' ');
      if (count === 1 && !words.endsWith('s')) return words;
      return `${showCount(count)} ${count === 1 ? words.replace(/s$/, '') : words}`;
    })
    .join(', ');
};

const gauge = (bytes: number, cap: number): string => {
  const filled = Math.min(GAUGE_COLUMNS, Math.ceil((bytes / cap) * GAUGE_COLUMNS));
  return `[${'#'.repeat(filled)}${'-'.repeat(GAUGE_COLUMNS - filled)}]`;
};

const notShown = (items: readonly ItemDocument[], deleted: number): string => {
  const omitted = items.flatMap((item) => (item.omitted === undefined ? [] : [item.omitted]));
  const parts = omitted.length === 0 ? [] : [countedBy(omitted, (reason) => reason)];
  if (deleted > 0) parts.push(`deleted ${deleted} (in the diff alone)`);
  return parts.join(', ') || 'nothing';
};

const itemRows = (items: readonly ItemDocument[]): readonly (readonly string[])[] =>
  [...items]
    .sort((a, b) => b.bytes - a.bytes || (a.id < b.id ? -1 : 1))
    .slice(0, LARGEST_SHOWN)
    .map((item) => [item.id, item.input, showCount(item.bytes), item.path ?? item.label ?? '', item.omitted ?? '']);

const bundleLines = (bundle: BundleDocument, style: Style): readonly string[] => {
  const blankedItems = new Set(bundle.blanked.map(({ item }) => item)).size;
  const blanked =
    bundle.blanked.length === 0
      ? 'nothing'
      : `${showNumber(bundle.blanked.length, 'span')} in ${showNumber(blankedItems, 'item')}: ${countedBy(bundle.blanked, ({ kind }) => kind)}`;
  return [
    ...(bundle.range === undefined ? [] : [`range      ${bundle.range.base}..${bundle.range.head}`]),
    `list       ${bundle.list_origin}${bundle.project === null ? '' : `, project ${bundle.project}`}`,
    `items      ${showCount(bundle.items.length)}, ${showBytes(bundle.raw_bytes)} raw, ${showBytes(bundle.bytes)} as sent, about ${showCount(bundle.tokens_est)} tokens`,
    `cap        ${gauge(bundle.bytes, bundle.cap)} ${showShare(bundle.bytes, bundle.cap)} of ${showBytes(bundle.cap)} (${bundle.cap_origin})`,
    `blanked    ${blanked}`,
    `not shown  ${notShown(bundle.items, bundle.deleted?.length ?? 0)}`,
    '',
    ...formatTable(
      [{ head: 'item' }, { head: 'input' }, { head: 'bytes', align: 'right' }, { head: 'name' }, { head: '' }],
      itemRows(bundle.items),
      null,
    ),
    ...(bundle.items.length > LARGEST_SHOWN
      ? [style.faint(`the ${LARGEST_SHOWN} largest of ${showCount(bundle.items.length)}; --json lists all`)]
      : []),
    '',
    `bundle     ${bundle.digest}`,
    ...(bundle.approval === undefined ? [] : [`approval   ${style.strong(bundle.approval)}`]),
  ];
};

const destination = ({ route, bundle }: OutcomeDocument): string => {
  if (route.provider === null)
    return 'no provider: the request is written as it is, unscanned, and the host decides who reads it';
  const target = `${route.provider}, model ${route.model_asked ?? ''}`;
  if (!route.remote) return `stays on this machine: the request goes to ${target}, unscanned and uncapped`;
  const what = bundle === undefined ? '' : `: ${inputsInWords(bundle.items)}`;
  return `leaves this machine for ${route.host ?? ''} (${target})${what}`;
};

/** Refused before there was a route: where the work would go is not known, and to name the host would be untrue. */
const isUnrouted = ({ outcome, route }: OutcomeDocument): boolean => outcome === 'refused' && route.provider === null;

/**
 * The lines of a plan, without line ends. Every name in the document is printable already. How to send it is said without
 * repeating the words of the command line: they may hold what the bundle has blanked.
 */
export const describePlan = (document: OutcomeDocument, style: Style): readonly string[] => [
  ...(isUnrouted(document) ? [] : [style.strong(destination(document))]),
  ...(document.bundle === undefined ? [] : bundleLines(document.bundle, style)),
  ...(document.outcome === 'refused'
    ? [`${style.bad(`would be refused (${document.code ?? ''})`)}: ${document.message ?? ''}`]
    : document.bundle?.approval === undefined
      ? []
      : [`send it    the same command with --expect ${document.bundle.approval} in place of --plan`]),
];
