/** Times for people, in the reader's own zone. Records hold ISO 8601 in UTC; that form stands in every `datetime`. */

const pad = (number: number): string => String(number).padStart(2, '0');

/** `2026-11-30 18:04:09`. Sorts as it reads, and is as wide for every time. */
export const showTime = (iso: string): string => {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return `${showDay(at)} ${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
};

/** `2026-11-30`, of the reader's zone. */
export const showDay = (at: Date): string => `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;

/** `sha256:1a2b3c4d…`: enough to compare by eye; the whole stands beside it to copy. */
export const shortDigest = (digest: string): string => {
  const [name = '', hex = ''] = digest.split(':', 2);
  return hex === '' ? `${name.slice(0, 12)}…` : `${name}:${hex.slice(0, 12)}…`;
};

/** A diff's label is a range in full names: shortened, the whole stands in a title. */
export const shortRange = (label: string): string =>
  label.replace(/^([0-9a-f]{10})[0-9a-f]{30,54}\.\.([0-9a-f]{10})[0-9a-f]{30,54}$/, '$1..$2');

/** The end of a path, which tells files apart, with its folder as the first thing to go. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1) || path;
