/** The sending verbs: words to one send, its outcome to streams and exit code. */
import { sendBundle } from '../../app/send-bundle.js';
import type { SendResult } from '../../app/send-result.js';
import type { SendWords } from '../../app/send-words.js';
import { isProviderFailure } from '../../contract/codes.js';
import type { OutcomeDocument } from '../../contract/documents.js';
import { ColdsealError } from '../../contract/error.js';
import type { Observe } from '../../contract/observer.js';
import { printableLines } from '../../contract/printable.js';
import { showNumber } from '../../contract/show-amount.js';
import { describePlan } from '../describe-plan.js';
import { openProgress } from '../open-progress.js';
import { createStyle } from '../style.js';
import { tellFigures } from '../tell-figures.js';
import {
  flagOption,
  listOption,
  textOption,
  type VerbAction,
  type VerbContext,
  type VerbWords,
} from '../verb-context.js';
import { requireWritable, writeOwnFile } from '../write-own-file.js';

type OwnWords = Pick<SendWords, 'verb' | 'kind' | 'agent'> & Partial<SendWords>;

const sendWords = (own: OwnWords, words: VerbWords, { flags }: VerbContext): SendWords => ({
  range: null,
  brief: null,
  question: null,
  intent: null,
  from: null,
  to: null,
  dispatch: null,
  routes: listOption(words, 'route'),
  settings: listOption(words, 'set'),
  plan: flagOption(words, 'plan'),
  expect: textOption(words, 'expect'),
  isAwaited: flags.json,
  mustSend: false,
  ...own,
});

const send = async (context: VerbContext, words: VerbWords, own: OwnWords): Promise<number> => {
  const { flags, surroundings } = context;
  const asked = sendWords(own, words, context);
  const output = textOption(words, 'output');
  if (output === '-' && flags.json) {
    throw new ColdsealError(
      'USAGE',
      '`--output -` and `--json` both take stdout; write the one or the other to a file',
    );
  }
  if (output !== null && output !== '-') await requireWritable(surroundings.folder, output);
  const progress = openProgress(context);
  let result: SendResult;
  try {
    const { say } = progress;
    const figures = flags.verbose ? tellFigures(say, surroundings.monotonicMs) : () => {};
    const observe: Observe = (event) => {
      progress.observe(event);
      figures(event);
    };
    const explain = (line: string): void => {
      if (flags.verbose) say(`coldseal: ${line}`);
    };
    result = await sendBundle({ ...surroundings, say }, asked, observe, null, explain);
  } finally {
    progress.close();
  }
  if (asked.plan) await showPlan(context, result, output);
  else await showOutcome(context, result, output);
  return result.exit;
};

const showPlan = async (
  { flags, terminal, surroundings }: VerbContext,
  { document, sealed }: SendResult,
  output: string | null,
): Promise<void> => {
  if (sealed !== null && output === '-') await terminal.write(sealed.message);
  else if (sealed !== null && output !== null) await writeOwnFile(surroundings.folder, output, sealed.message);
  if (flags.json) {
    await terminal.write(`${JSON.stringify(document)}\n`);
    return;
  }
  const lines = describePlan(document, createStyle(terminal.colour));
  if (output === '-') for (const line of lines) terminal.say(line);
  else await terminal.write(`${lines.join('\n')}\n`);
};

const showOutcome = async (
  { flags, terminal, surroundings }: VerbContext,
  { document, answerText, notes }: SendResult,
  output: string | null,
): Promise<void> => {
  if (answerText !== null && output !== null && output !== '-') {
    await writeOwnFile(surroundings.folder, output, Buffer.from(answerText, 'utf8'));
  }
  if (flags.json) {
    await terminal.write(`${JSON.stringify(document)}\n`);
    return;
  }
  if (answerText !== null && (output === null || output === '-')) {
    const text = printableLines(answerText);
    await terminal.write(text.endsWith('\n') ? text : `${text}\n`);
  }
  if (document.outcome === 'refused') terminal.say(`refused (${document.code ?? ''}): ${document.message ?? ''}`);
  if (document.outcome === 'provider_failed') {
    const { code, message = '' } = document;
    // A rule of ours or a fault of ours can end a call too; the provider is not to be named for it.
    const word = code !== undefined && isProviderFailure(code) ? 'provider failed' : 'failed';
    terminal.say(`${word} (${code ?? ''}): ${message}`);
  }
  for (const note of notes) terminal.say(`coldseal: ${note}`);
  if (!flags.quiet) for (const line of accountOf(document)) terminal.say(line);
};

/** What the person should know of the run: the record, what was blanked, what the reader did not see. */
const accountOf = ({ record, bundle, outcome }: OutcomeDocument): readonly string[] => {
  if (record === undefined) return [];
  if (bundle === undefined || outcome === 'refused') return [`coldseal: record ${record.id}`];
  const withheld = bundle.items.filter((item) => item.omitted === 'withheld').length;
  const binary = bundle.items.filter((item) => item.omitted === 'binary').length;
  return [
    `coldseal: record ${record.id}; blanked ${showNumber(bundle.blanked.length, 'span')}; not shown to the reader: ${withheld} withheld, ${binary} binary, ${bundle.deleted?.length ?? 0} deleted`,
  ];
};

export const review: VerbAction = (context, words) =>
  send(context, words, {
    verb: 'review',
    kind: 'change_review',
    agent: 'change-reviewer',
    range: textOption(words, 'range'),
    brief: textOption(words, 'brief'),
  });

export const ask: VerbAction = (context, words) =>
  send(context, words, {
    verb: 'ask',
    kind: 'source_question',
    agent: 'source-reader',
    question: words.args[0] ?? '',
  });

export const auditIntent: VerbAction = (context, words) =>
  send(context, words, {
    verb: 'intent audit',
    kind: 'intent_audit',
    agent: 'intent-auditor',
    intent: words.args[0] ?? '',
    range: textOption(words, 'range'),
  });

export const checkConsistency: VerbAction = (context, words) =>
  send(context, words, {
    verb: 'intent consistency',
    kind: 'intent_consistency',
    agent: 'intent-auditor',
    intent: words.args[0] ?? null,
  });

export const ingestReading: VerbAction = (context, words) =>
  send(context, words, {
    verb: 'reading ingest',
    kind: 'reading',
    agent: 'cold-reading',
    dispatch: textOption(words, 'dispatch') ?? '',
  });

export const composeChangelog: VerbAction = (context, words) =>
  send(context, words, {
    verb: 'release changelog',
    kind: 'release_changelog',
    agent: 'release-changelog-composer',
    from: textOption(words, 'from'),
    to: textOption(words, 'to'),
  });
