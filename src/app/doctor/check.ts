/** One row of `coldseal doctor`. */
import { ColdsealError } from '../../contract/error.js';

export interface Check {
  /** A short word, e.g. `git`. */
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** What is there: names, versions and counts, never a credential's value. */
  readonly found: string;
  /** What to do; `null` when all is well. */
  readonly todo: string | null;
}

export const ok = (check: string, found: string): Check => ({ check, state: 'ok', found, todo: null });
export const warn = (check: string, found: string, todo: string): Check => ({ check, state: 'warn', found, todo });
export const fail = (check: string, found: string, todo: string): Check => ({ check, state: 'fail', found, todo });

/** What a refusal says, as a failed check; anything else is a fault of ours and goes on up. */
export const refused = (check: string, error: unknown, todo: string): Check => {
  if (!(error instanceof ColdsealError) || error.code === 'INTERNAL') throw error;
  return fail(check, `${error.code}: ${error.message}`, todo);
};
