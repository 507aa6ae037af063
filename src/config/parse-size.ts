/**
 * Sizes as an owner writes them: a whole number of bytes, or a text with a unit (`4 MiB`, `500KB`), letter case as
 * written in the table. A text without a unit is refused, so nobody has to guess whether "4" is bytes or megabytes.
 */

const BYTES_PER_UNIT: ReadonlyMap<string, number> = new Map([
  ['B', 1],
  ['KB', 1000],
  ['KiB', 1024],
  ['MB', 1000 ** 2],
  ['MiB', 1024 ** 2],
  ['GB', 1000 ** 3],
  ['GiB', 1024 ** 3],
]);

const SIZE = /^(\d{1,12}) ?(B|KB|KiB|MB|MiB|GB|GiB)$/;

export const SIZE_PATTERN = SIZE.source;
export const SIZE_DUE =
  'a whole number of bytes, or a text of digits and a unit (B KB KiB MB MiB GB GiB) such as "4 MiB"';

/** Bytes, or `null` for a text that is no size. Limits are the caller's. */
export function parseSize(size: string): number | null {
  const found = SIZE.exec(size);
  const unit = BYTES_PER_UNIT.get(found?.[2] ?? '');
  return unit === undefined ? null : Number(found?.[1]) * unit;
}
