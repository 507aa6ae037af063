/** Amounts for people. JSON and records hold plain numbers; these are for lines that somebody reads. */
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `999 B`, `4.0 KiB`, `12.4 MiB`, in the units that a cap is written in. */
export function showBytes(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  // 1023.96 KiB would be printed as 1024.0 KiB.
  while (amount >= (unit === 0 ? 1024 : 1023.95) && unit < UNITS.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? amount : amount.toFixed(1)} ${UNITS[unit] ?? 'B'}`;
}

/** `1,204`, whatever the language of the machine. */
export const showCount = (count: number): string => count.toLocaleString('en-US');

/** `480 ms`, `12.3 s`, `4 min 05 s`. */
export function showDuration(durationMs: number): string {
  if (durationMs < 999.5) return `${Math.round(durationMs)} ms`;
  if (durationMs < 59_950) return `${(durationMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** `52 %`; never `100 %` below it and never `0 %` above it. */
export function showShare(part: number, whole: number): string {
  if (whole <= 0) return '0 %';
  const share = (part / whole) * 100;
  if (share > 0 && share < 1) return '<1 %';
  if (share > 99 && share < 100) return '99 %';
  return `${Math.round(share)} %`;
}

/** `1 file`, `2 files`, for words whose plural is an `s`. */
export const showNumber = (count: number, word: string): string =>
  `${showCount(count)} ${word}${count === 1 ? '' : 's'}`;
