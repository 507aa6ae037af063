/** The writers of the machine file (`init`, `cap`, `list set`, `withhold add`), and `project`, which shows what is in force. */
import {
  addWithhold as addGlob,
  initSettings,
  setCap as writeCap,
  setList as writeList,
} from '../../app/edit-settings.js';
import { projectFacts } from '../../app/project-facts.js';
import { flagOption, textOption, type VerbAction, type VerbContext } from '../verb-context.js';

/** Agents that need no record tree: what a first machine file is wanted for. */
const FIRST_AGENTS = ['change-reviewer', 'source-reader'];

interface Written {
  readonly file: string;
  readonly created: boolean;
  readonly changed: boolean;
}

const tellWritten = async ({ flags, terminal }: VerbContext, written: Written): Promise<number> => {
  if (flags.json) await terminal.write(`${JSON.stringify(written)}\n`);
  else if (!flags.quiet) {
    const word = written.created ? 'wrote' : written.changed ? 'changed' : 'nothing to change in';
    terminal.say(`coldseal: ${word} ${written.file}`);
  }
  return 0;
};

export const init: VerbAction = async (context, words) =>
  tellWritten(
    context,
    await initSettings(context.surroundings, {
      name: textOption(words, 'provider') ?? 'default',
      baseUrl: textOption(words, 'baseUrl') ?? '',
      model: textOption(words, 'model') ?? '',
      keyVariable: textOption(words, 'keyEnv'),
      agents: FIRST_AGENTS,
    }),
  );

export const setCap: VerbAction = async (context, words) =>
  tellWritten(context, await writeCap(context.surroundings, words.args[0] ?? '', flagOption(words, 'project')));

export const setList: VerbAction = async (context, { args }) =>
  tellWritten(context, await writeList(context.surroundings, args[0] ?? '', args.slice(1)));

export const addWithhold: VerbAction = async (context, words) =>
  tellWritten(context, await addGlob(context.surroundings, words.args[0] ?? '', flagOption(words, 'machine')));

export const showProject: VerbAction = async ({ flags, terminal, surroundings }) => {
  const facts = await projectFacts(surroundings);
  if (flags.json) {
    await terminal.write(`${JSON.stringify(facts)}\n`);
    return 0;
  }
  const lines = [
    `roots     ${facts.roots.join(', ') || (facts.shallow ? 'unknown: the clone is shallow' : 'none: no commit yet')}`,
    `project   ${facts.project ?? 'none'}${facts.has_entry ? '' : ' (no entry in the machine file: the defaults)'}`,
    `cap       ${facts.cap.bytes} bytes (${facts.cap.origin}; ${facts.cap.key})`,
    `withhold  ${facts.withhold.join(', ') || 'nothing beside the compiled list'}`,
    ...Object.entries(facts.lists).map(
      ([kind, { origin, entries }]) => `list      ${kind} (${origin}): ${entries.join(', ')}`,
    ),
  ];
  await terminal.write(`${lines.join('\n')}\n`);
  return 0;
};
