/**
 * Path globs (product.md section 5): `*` and `?` stop at `/`, `**` crosses it, a double star that is a whole segment also
 * stands for no folder at all (`a` + `**` + `b` meets `a/b`), and nothing else is special: brackets, quotes, braces and a
 * leading dash are themselves, letter case counts, names that begin with a dot match.
 *
 * A path is matched as characters where its bytes are UTF-8 and as single bytes where they are not, so `?` is one letter
 * in any script and names outside UTF-8 can still be met. The match walks a set of states, so its cost is bounded by
 * glob length times path length whatever the pattern; a backtracking matcher would let one owner's typo stop a run.
 */

/** The longest glob, in UTF-8 bytes. */
export const LONGEST_GLOB_BYTES = 1024;

/** True when the path, given as the bytes git stores, is met. */
export type PathMatch = (path: Uint8Array) => boolean;

type Step =
  | { readonly kind: 'unit'; readonly unit: number }
  | { readonly kind: 'one' }
  | { readonly kind: 'star' }
  | { readonly kind: 'cross' }
  /** A whole `**` segment with its slash: nothing, or anything that ends in a slash. */
  | { readonly kind: 'folders' };

const SLASH = 0x2f;
/** Bytes that are no part of UTF-8 are numbered above every character. */
const STRAY_BYTE = 0x110000;

/** What is wrong with a glob, as the end of a sentence that names it, or `null`. */
export function globProblem(glob: string): string | null {
  if (glob === '') return 'is empty';
  const bytes = new TextEncoder().encode(glob).length;
  if (bytes > LONGEST_GLOB_BYTES) return `is ${bytes} bytes long; the limit is ${LONGEST_GLOB_BYTES}`;
  if (glob.includes('\\')) return 'holds a backslash; nothing but "*", "?" and "**" is special, so nothing needs one';
  if (glob.includes('\0')) return 'holds a NUL';
  if (glob.startsWith('/')) return 'is absolute; write it from the root of the repository, without the first "/"';
  if (glob.endsWith('/')) return 'ends in "/" and would match no file; write "**" after it for everything below';
  const segments = glob.split('/');
  if (segments.includes('..')) return 'holds ".."';
  if (segments.includes('.') || segments.includes('')) return 'holds a "." or empty segment and would match no file';
  return null;
}

/**
 * Compiles a glob. Without a slash it meets the base name at any depth, with one it is anchored at the root. `anyCase`
 * folds ASCII letters only: it is for the compiled list of withheld names.
 */
export function compileGlob(glob: string, options: { readonly anyCase?: boolean } = {}): PathMatch {
  const anyCase = options.anyCase === true;
  const steps = parseGlob(anyCase ? foldCase(glob) : glob);
  const anchored = glob.includes('/');
  return (path) => {
    const units = unitsOf(path, anyCase);
    return matches(steps, anchored ? units : units.slice(units.lastIndexOf(SLASH) + 1));
  };
}

function parseGlob(glob: string): readonly Step[] {
  const steps: Step[] = [];
  const units = [...glob];
  for (let at = 0; at < units.length; at += 1) {
    const unit = units[at] ?? '';
    if (unit === '?') steps.push({ kind: 'one' });
    else if (unit !== '*') steps.push({ kind: 'unit', unit: unit.codePointAt(0) ?? 0 });
    else if (units[at + 1] !== '*') steps.push({ kind: 'star' });
    else {
      const startsSegment = at === 0 || units[at - 1] === '/';
      while (units[at + 1] === '*') at += 1;
      if (startsSegment && units[at + 1] === '/') {
        steps.push({ kind: 'folders' });
        at += 1;
      } else steps.push({ kind: 'cross' });
    }
  }
  return steps;
}

/**
 * States are places between steps. A `folders` step needs one more: inside it, where only a slash leads on. That state
 * of step `i` is kept at `inside[i]`.
 */
function matches(steps: readonly Step[], units: readonly number[]): boolean {
  let states = new Uint8Array(steps.length + 1);
  let inside = new Uint8Array(steps.length);
  enter(steps, states, inside, 0);
  for (const unit of units) {
    const nextStates = new Uint8Array(steps.length + 1);
    const nextInside = new Uint8Array(steps.length);
    let alive = false;
    for (let at = 0; at < steps.length; at += 1) {
      const step = steps[at];
      if (step === undefined) continue;
      if (inside[at] === 1) {
        nextInside[at] = 1;
        alive = true;
        if (unit === SLASH) enter(steps, nextStates, nextInside, at + 1);
      }
      if (states[at] !== 1 || !consumes(step, unit)) continue;
      alive = true;
      enter(steps, nextStates, nextInside, step.kind === 'star' || step.kind === 'cross' ? at : at + 1);
    }
    if (!alive) return false;
    states = nextStates;
    inside = nextInside;
  }
  return states[steps.length] === 1;
}

/** Marks a place and every later place that is reached without reading anything. */
function enter(steps: readonly Step[], states: Uint8Array, inside: Uint8Array, place: number): void {
  for (let at = place; states[at] !== 1; at += 1) {
    states[at] = 1;
    const step = steps[at];
    if (step === undefined) return;
    if (step.kind === 'folders') inside[at] = 1;
    else if (step.kind !== 'star' && step.kind !== 'cross') return;
  }
}

function consumes(step: Step, unit: number): boolean {
  switch (step.kind) {
    case 'unit':
      return unit === step.unit;
    case 'one':
    case 'star':
      return unit !== SLASH;
    case 'cross':
      return true;
    case 'folders':
      return false;
    default:
      return step satisfies never;
  }
}

function unitsOf(path: Uint8Array, anyCase: boolean): readonly number[] {
  const units: number[] = [];
  for (let at = 0; at < path.length; ) {
    const length = sequenceLength(path, at);
    const first = path[at] ?? 0;
    if (length === 0) units.push(STRAY_BYTE + first);
    else if (length === 1) units.push(anyCase && first >= 0x41 && first <= 0x5a ? first + 0x20 : first);
    else units.push(decodeUnit(path, at, length));
    at += Math.max(length, 1);
  }
  return units;
}

function decodeUnit(path: Uint8Array, at: number, length: number): number {
  let unit = (path[at] ?? 0) & (0x7f >> length);
  for (let next = 1; next < length; next += 1) unit = (unit << 6) | ((path[at + next] ?? 0) & 0x3f);
  return unit;
}

/** Length of the well-formed UTF-8 sequence at `at`, or 0 (Unicode 15, table 3-7). */
function sequenceLength(path: Uint8Array, at: number): number {
  const first = path[at] ?? 0;
  if (first < 0x80) return 1;
  const length =
    first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  if (length === 0) return 0;
  const second = path[at + 1] ?? 0;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let next = 2; next < length; next += 1) if (((path[at + next] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

function foldCase(glob: string): string {
  return glob.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
