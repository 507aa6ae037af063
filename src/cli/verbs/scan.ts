/** `coldseal scan`: the scanner over a work tree, a folder, git objects or standard input, without a bundle or a provider. */
import { blankInput } from '../../app/scan/scan-input.js';
import { answerNdjson } from '../../app/scan/scan-ndjson.js';
import { withScanSession } from '../../app/scan/scan-session.js';
import { showNumber } from '../../contract/show-amount.js';
import { openInput } from '../open-input.js';
import { readScanWords } from '../scan-words.js';
import type { VerbAction, VerbContext } from '../verb-context.js';
import { writeReport } from '../write-report.js';

const scanNdjson = async (context: VerbContext): Promise<number> => {
  const { terminal, surroundings } = context;
  await withScanSession(surroundings, async (session) => {
    for await (const answers of answerNdjson(session, openInput(surroundings.signal))) {
      if (terminal.isClosed()) break;
      await terminal.write(answers);
    }
  });
  return 0;
};

const scanBlank = async (context: VerbContext, name: string): Promise<number> => {
  const { flags, terminal, surroundings } = context;
  await withScanSession(surroundings, async (session) => {
    const { parts, spans } = await blankInput(session, openInput(surroundings.signal), name);
    for (const part of parts) {
      if (terminal.isClosed()) break;
      await terminal.write(part);
    }
    if (!flags.quiet) terminal.say(`coldseal: blanked ${showNumber(spans, 'span')}`);
  });
  return 0;
};

export const scan: VerbAction = async (context, words) => {
  const asked = readScanWords(words, context.flags.json, () => openInput(context.surroundings.signal));
  switch (asked.kind) {
    case 'ndjson':
      return scanNdjson(context);
    case 'blank':
      return scanBlank(context, asked.name);
    case 'report':
      return writeReport(context, asked);
    default:
      return asked satisfies never;
  }
};
