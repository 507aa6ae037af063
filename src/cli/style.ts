/**
 * The few styles of the program's text for people. Whether there is colour at all was decided before (choose-colour.ts);
 * with none, every style gives its text back unchanged, so callers never ask.
 */
import pico from 'picocolors';

type Paint = (text: string) => string;

export interface Style {
  /** A heading, a digest, what the eye should find. */
  readonly strong: Paint;
  /** What may be skipped. */
  readonly faint: Paint;
  readonly good: Paint;
  readonly warn: Paint;
  readonly bad: Paint;
  /** A path, a name, a command to type. */
  readonly name: Paint;
}

export function createStyle(colour: boolean): Style {
  const paint = pico.createColors(colour);
  return {
    strong: paint.bold,
    faint: paint.dim,
    good: paint.green,
    warn: paint.yellow,
    bad: paint.red,
    name: paint.cyan,
  };
}
