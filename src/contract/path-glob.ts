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
  const folded = anyCase ? foldCase(glob) : glob;
  const steps = parseGlob(folded);
  const [head, tail] = literalEnds(folded);
  const longest = longestLiteral(folded);
  const anchored = glob.includes('/');
  return (path) => {
    const from = anchored ? 0 : path.lastIndexOf(SLASH) + 1;
    if (!standsAt(path, from, head, anyCase)) return false;
    if (!standsAt(path, Math.max(from, path.length - tail.length), tail, anyCase)) return false;
    if (!holds(path, from, longest, anyCase)) return false;
    return matches(steps, unitsOf(path, from, anyCase));
  };
}

/**
 * What every path that is met begins and ends with. Looked at first, on bytes: nearly all of a big tree's names end here,
 * without being decoded.
 */
function literalEnds(glob: string): readonly [head: Uint8Array, tail: Uint8Array] {
  const encoder = new TextEncoder();
  const head = /^[^*?]*/.exec(glob)?.[0] ?? '';
  const tail = /[^*?]*$/.exec(glob)?.[0] ?? '';
  // After a whole double star the slash belongs to it and may not be there at all.
  return [encoder.encode(head), encoder.encode(tail.replace(/^\//, ''))];
}

/** The longest text between wildcards; a glob such as `*.tfstate*` has no ends to look at. */
function longestLiteral(glob: string): Uint8Array {
  // A slash beside a whole double star may not be there at all.
  const literals = glob.split(/[*?]+/).map((text) => text.replace(/^\/|\/$/g, ''));
  return new TextEncoder().encode(literals.reduce((a, b) => (b.length > a.length ? b : a), ''));
}

function holds(path: Uint8Array, from: number, literal: Uint8Array, anyCase: boolean): boolean {
  for (let at = from; at + literal.length <= path.length; at += 1) {
    if (standsAt(path, at, literal, anyCase)) return true;
  }
  return false;
}

function standsAt(path: Uint8Array, from: number, literal: Uint8Array, anyCase: boolean): boolean {
  if (path.length - from < literal.length) return false;
  for (let at = 0; at < literal.length; at += 1) {
    const byte = path[from + at] ?? 0;
    if ((anyCase ? foldByte(byte) : byte) !== literal[at]) return false;
  }
  return true;
}

function foldByte(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
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
  let nextStates = new Uint8Array(steps.length + 1);
  let nextInside = new Uint8Array(steps.length);
  enter(steps, states, inside, 0);
  for (const unit of units) {
    if (!advance(steps, unit, [states, inside], [nextStates, nextInside])) return false;
    [states, inside, nextStates, nextInside] = [nextStates, nextInside, states, inside];
    nextStates.fill(0);
    nextInside.fill(0);
  }
  return states[steps.length] === 1;
}

type States = readonly [places: Uint8Array, inside: Uint8Array];

/** Reads one unit in every state; false when no state is left. */
function advance(steps: readonly Step[], unit: number, [places, inside]: States, next: States): boolean {
  const [nextPlaces, nextInside] = next;
  let alive = false;
  for (const [at, step] of steps.entries()) {
    if (inside[at] === 1) {
      nextInside[at] = 1;
      alive = true;
      if (unit === SLASH) enter(steps, nextPlaces, nextInside, at + 1);
    }
    if (places[at] !== 1 || !consumes(step, unit)) continue;
    alive = true;
    enter(steps, nextPlaces, nextInside, step.kind === 'star' || step.kind === 'cross' ? at : at + 1);
  }
  return alive;
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

function unitsOf(path: Uint8Array, from: number, anyCase: boolean): readonly number[] {
  const units: number[] = [];
  for (let at = from; at < path.length; ) {
    const length = sequenceLength(path, at);
    const first = path[at] ?? 0;
    if (length === 0) units.push(STRAY_BYTE + first);
    else if (length === 1) units.push(anyCase ? foldByte(first) : first);
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
