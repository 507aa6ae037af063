/** What a writer of the machine file says when it is done. */
import type { VerbContext } from './verb-context.js';

interface Written {
  readonly file: string;
  readonly created: boolean;
  readonly changed: boolean;
}

/** Answers the exit code. */
export const tellWritten = async ({ flags, terminal }: VerbContext, written: Written): Promise<number> => {
  if (flags.json) await terminal.write(`${JSON.stringify(written)}\n`);
  else if (!flags.quiet) {
    const word = written.created ? 'wrote' : written.changed ? 'changed' : 'nothing to change in';
    terminal.say(`coldseal: ${word} ${written.file}`);
  }
  return 0;
};
