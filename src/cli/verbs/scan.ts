/** `coldseal scan`: the scanner over a work tree, a folder, git objects or standard input, without a bundle or a provider. */

import { blankInput } from '../../app/scan/scan-input.js';
import { answerNdjson } from '../../app/scan/scan-ndjson.js';
import { withScanSession } from '../../app/scan/scan-session.js';
import { ColdsealError } from '../../contract/error.js';
import { flagOption, textOption, type VerbAction, type VerbContext, type VerbWords } from '../verb-context.js';

const usage = (message: string): ColdsealError => new ColdsealError('USAGE', message);

const isStdin = ({ args }: VerbWords): boolean => args.length === 1 && args[0] === '-';

const scanNdjson = async ({ terminal, surroundings }: VerbContext): Promise<number> => {
  await withScanSession(surroundings, async (session) => {
    for await (const answers of answerNdjson(session, process.stdin)) {
      if (terminal.isClosed()) break;
      await terminal.write(answers);
    }
  });
  return 0;
};

const scanBlank = async ({ flags, terminal, surroundings }: VerbContext, name: string): Promise<number> => {
  await withScanSession(surroundings, async (session) => {
    const { parts, spans } = await blankInput(session, process.stdin, name);
    for (const part of parts) await terminal.write(part);
    if (!flags.quiet) terminal.say(`coldseal: blanked ${spans} spans`);
  });
  return 0;
};

export const scan: VerbAction = async (context, words) => {
  const name = textOption(words, 'stdinName') ?? 'standard input';
  if (flagOption(words, 'ndjson')) {
    if (words.args.length > 0 && !isStdin(words)) throw usage('--ndjson reads standard input and takes no PATH');
    return scanNdjson(context);
  }
  if (flagOption(words, 'blank')) {
    if (words.args.length > 0 && !isStdin(words)) throw usage('--blank reads standard input and takes no PATH');
    return scanBlank(context, name);
  }
  throw usage('not yet');
};
