/**
 * The one way a rule's pattern becomes an RE2 program: byte offsets over a Buffer, group spans wanted, matched from a
 * given offset on. A pattern that RE2 cannot compile is named and refused; there is no second regex engine to fall to.
 */
import RE2 from 're2';
import { ColdsealError } from '../contract/error.js';

/** Compiles `pattern` with flags `g` and `d`. Throws `SCANNER_DEGRADED`, naming `owner` (a rule and its file). */
export const compilePattern = (pattern: string, owner: string): RE2 => {
  try {
    return new RE2(pattern, 'gd');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ColdsealError(
      'SCANNER_DEGRADED',
      `${owner}: RE2 cannot compile the pattern (${why}). Rewrite it without lookaround, backreferences, possessive or over-long repeats.`,
      { cause },
    );
  }
};
