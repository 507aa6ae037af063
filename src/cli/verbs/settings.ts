/** `coldseal init`, which writes the first machine file, and `project`, which shows what is in force. */
import { initSettings } from '../../app/init-settings.js';
import { projectFacts } from '../../app/project-facts.js';
import { tellWritten } from '../tell-written.js';
import { textOption, type VerbAction } from '../verb-context.js';

/** Agents that need no record tree: what a first machine file is wanted for. */
const FIRST_AGENTS = ['change-reviewer', 'source-reader'];

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
