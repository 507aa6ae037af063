/** `coldseal init`, which writes the first machine file, and `project`, which shows what is in force. */
import { initSettings } from '../../app/init-settings.js';
import { projectFacts } from '../../app/project-facts.js';
import { askLines } from '../ask-lines.js';
import { showCap } from '../show-cap.js';
import { tellWritten } from '../tell-written.js';
import { textOption, type VerbAction, type VerbContext, type VerbWords } from '../verb-context.js';

/** Agents that need no record tree: what a first machine file is wanted for. */
const FIRST_AGENTS = ['change-reviewer', 'source-reader'];

interface InitAnswers {
  readonly baseUrl: string;
  readonly model: string;
  readonly keyVariable: string | null;
}

/** Flags, or where URL or model is missing answers, one a line; then the key is asked for too. */
const initAnswers = async ({ terminal, surroundings }: VerbContext, words: VerbWords): Promise<InitAnswers> => {
  const [baseUrl, model, key] = ['baseUrl', 'model', 'keyEnv'].map((name) => textOption(words, name));
  if (typeof baseUrl === 'string' && typeof model === 'string') return { baseUrl, model, keyVariable: key ?? null };
  const ask = askLines(terminal.say, surroundings.signal);
  try {
    return {
      baseUrl: baseUrl ?? (await ask.line('--base-url', 'The endpoint, up to but without /chat/completions')),
      model: model ?? (await ask.line('--model', 'The model')),
      keyVariable:
        key ?? ((await ask.line('--key-env', 'The environment variable that holds the key, empty for none')) || null),
    };
  } finally {
    ask.close();
  }
};

export const init: VerbAction = async (context, words) => {
  const { flags, terminal, surroundings } = context;
  const name = textOption(words, 'provider') ?? 'default';
  const first = { name, ...(await initAnswers(context, words)), agents: FIRST_AGENTS };
  const exit = await tellWritten(context, await initSettings(surroundings, first));
  if (!flags.quiet && !flags.json) {
    terminal.say(`coldseal: \`coldseal providers test ${name}\` reaches it, without any text of yours`);
    terminal.say('coldseal: `coldseal review --plan` in a repository shows what would be sent, and sends nothing');
  }
  return exit;
};

export const showProject: VerbAction = async ({ flags, terminal, surroundings }) => {
  const facts = await projectFacts(surroundings);
  if (flags.json) {
    await terminal.write(`${JSON.stringify(facts)}\n`);
    return 0;
  }
  const lines = [
    `roots     ${facts.roots.join(', ') || (facts.shallow ? 'unknown: the clone is shallow' : 'none: no commit yet')}`,
    `project   ${facts.project ?? 'none'}${facts.has_entry ? '' : ' (no entry in the machine file: the defaults)'}`,
    `cap       ${showCap(facts.cap)}`,
    `withhold  ${facts.withhold.join(', ') || 'nothing beside the compiled list'}`,
    ...Object.entries(facts.lists).map(
      ([kind, { origin, entries }]) => `list      ${kind} (${origin}): ${entries.join(', ')}`,
    ),
  ];
  await terminal.write(`${lines.join('\n')}\n`);
  return 0;
};
