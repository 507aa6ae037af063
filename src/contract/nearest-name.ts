/**
 * "Did you mean": the known name that a mistyped one is nearest to. Swapped neighbours count as one slip, as people make
 * them; at most a third of the letters may differ, so a stranger is never suggested.
 */

const LONGEST_WORD = 100;

/** The nearest of `names`, the first of equals, or `null` when none is near. */
export function nearestName(typed: string, names: readonly string[]): string | null {
  const word = typed.slice(0, LONGEST_WORD).toLowerCase();
  let nearest: string | null = null;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of names) {
    const slips = slipsBetween(word, name.toLowerCase());
    if (slips >= least) continue;
    least = slips;
    nearest = name;
  }
  return nearest;
}

/** The end of a sentence about a name that is not there: the nearest one, if any, and where all of them are shown. */
export const orNearest = (near: string | null, where: string): string =>
  near === null ? `; ${where}` : `; did you mean ${near}? ${where}`;

/** Optimal string alignment distance. */
function slipsBetween(a: string, b: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
