/**
 * `coldseal demo`: the whole way once, on a made-up repository with planted secrets, against a provider on this machine
 * that is judged remote. The verbs shown are the real ones, run in this process with the demonstration's own home; at the
 * end it looks for every planted value in what the provider received.
 */
import { type Demo, openDemo } from '../../app/demo/open-demo.js';
import { ColdsealError } from '../../contract/error.js';
import { showNumber } from '../../contract/show-amount.js';
import { createStyle, type Style } from '../style.js';
import type { VerbAction, VerbContext } from '../verb-context.js';
import { showRun, verifyRecords } from './records.js';
import { scan } from './scan.js';
import { review } from './send.js';

interface Step {
  readonly title: string;
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly args: readonly string[];
  readonly action: VerbAction;
}

const step = (title: string, words: string, action: VerbAction, more: Partial<Step> = {}): Step => ({
  title,
  words: words.split(' '),
  options: {},
  args: [],
  action,
  ...more,
});

const BEFORE: readonly Step[] = [
  step('1. the scanner finds them, and never prints one', 'scan', scan),
  step('2. the plan: what would leave, for where', 'review --plan', review, { options: { plan: true } }),
  step('3. the send, to a provider that is judged remote', 'review', review),
];
const AFTER: readonly Step[] = [
  step('5. the record', 'records show last', showRun, { args: ['last'] }),
  step('6. its chain, and the bundle made again', 'records verify last', verifyRecords, { args: ['last'] }),
];

export const demo: VerbAction = async (context) => {
  if (context.flags.json) throw new ColdsealError('USAGE', 'demo is shown to a person; --json does not go with it');
  const stage = await openDemo(context.surroundings);
  try {
    return await showDemo({ ...context, surroundings: stage.surroundings }, stage);
  } finally {
    await stage.close();
  }
};

const showDemo = async (context: VerbContext, stage: Demo): Promise<number> => {
  const style = createStyle(context.terminal.colour);
  const write = (lines: readonly string[]): Promise<void> => context.terminal.write(`${lines.join('\n')}\n`);
  const { planted } = stage;
  await write([
    `A made-up repository in a temporary folder, with ${showNumber(planted.length, 'secret')} drawn for this run:`,
    ...planted.map(({ what, path }) => `  ${path.padEnd(20)} ${what}`),
  ]);
  if (!(await showSteps(BEFORE, context, style))) return 1;
  const received = stage.received() ?? '';
  await write(['', style.strong('== 4. what the provider received in their place'), ...blankedLines(received)]);
  const leaked = planted.filter(({ value }) => received.includes(value));
  if (received === '' || leaked.length > 0) {
    throw new ColdsealError('INTERNAL', `of the planted secrets ${leaked.length} reached the provider`);
  }
  await write([`none of the ${planted.length} is in the ${Buffer.byteLength(received)} bytes that left`]);
  return (await showSteps(AFTER, context, style)) ? 0 : 1;
};

/** False when one of them ended otherwise than well; it has said why. */
const showSteps = async (steps: readonly Step[], context: VerbContext, style: Style): Promise<boolean> => {
  const { terminal } = context;
  for (const { title, words, options, args, action } of steps) {
    await terminal.write(`\n${style.strong(`== ${title}`)}\n$ coldseal ${words.join(' ')}\n`);
    // What a verb says goes to the same stream here, in its place.
    const said: Promise<void>[] = [];
    const say = (line: string): void => {
      said.push(terminal.write(`${line}\n`));
    };
    const inPlace = { ...terminal, say, stderrIsTty: false };
    const exit = await action(
      { ...context, terminal: inPlace, surroundings: { ...context.surroundings, say } },
      { args, options },
    );
    await Promise.all(said);
    if (exit !== 0) return false;
  }
  return true;
};

const blankedLines = (message: string): readonly string[] => {
  const lines = message.split('\n').filter((line) => /\[blanked \w+:|^withheld: /.test(line));
  return [...new Set(lines)].map((line) => `  ${line}`);
};
