/**
 * What a writer of the machine file says when it is done: the file, and where it matters what holds here now. A value set
 * for the machine may be overruled by the project's, so what was typed is not what is in force.
 */
import { ColdsealError } from '../contract/error.js';
import type { VerbContext } from './verb-context.js';

interface Written {
  readonly file: string;
  readonly created: boolean;
  readonly changed: boolean;
}

/** What holds here after the write: a member of the JSON document, and the same as a line for a person. */
export interface InForce {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly line: string;
}

/** Answers the exit code. `inForce` is asked after the write; where it is refused the write stands and is told alone. */
export const tellWritten = async (
  { flags, terminal }: VerbContext,
  written: Written,
  inForce?: () => Promise<InForce | null>,
): Promise<number> => {
  if (flags.quiet && !flags.json) return 0;
  const now = inForce === undefined ? null : await orUnknown(inForce());
  if (flags.json) {
    await terminal.write(`${JSON.stringify({ ...written, ...now?.facts })}\n`);
    return 0;
  }
  const word = written.created ? 'wrote' : written.changed ? 'changed' : 'nothing to change in';
  terminal.say(`coldseal: ${word} ${written.file}`);
  if (now !== null) terminal.say(`coldseal: ${now.line}`);
  return 0;
};

/** `null` where the place cannot be told, e.g. a machine's value set in a shallow clone. */
const orUnknown = async (asked: Promise<InForce | null>): Promise<InForce | null> => {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ColdsealError) return null;
    throw error;
  }
};
