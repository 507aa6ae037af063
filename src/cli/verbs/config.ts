/** `coldseal config show|explain|check|schema|path`. */
import {
  configFacts,
  type ExplainedSetting,
  explainKey as explainOne,
  machineFilePath,
  settingsSchema,
} from '../../app/config-facts.js';
import { showCap } from '../show-cap.js';
import { formatTable } from '../tables.js';
import type { VerbAction } from '../verb-context.js';

const settingRows = (settings: readonly ExplainedSetting[]): readonly string[] =>
  formatTable(
    [{ head: 'key' }, { head: 'value' }, { head: 'from' }],
    settings.map(({ key, value, origin, file, line, ignored }) => [
      key,
      JSON.stringify(value),
      `${file === null ? origin : `${file}:${line ?? 0}`}${ignored ? ' (ignored)' : ''}`,
    ]),
    null,
  );

export const showConfig: VerbAction = async ({ flags, terminal, surroundings }) => {
  const facts = await configFacts(surroundings);
  for (const notice of facts.notices) terminal.say(`coldseal: ${notice}`);
  if (flags.json) {
    await terminal.write(`${JSON.stringify(facts)}\n`);
    return 0;
  }
  const { project } = facts;
  await terminal.write(
    [
      `machine file     ${facts.machine_file}`,
      `repository file  ${facts.repository_file ?? 'none'}`,
      ...(project === null
        ? ['project          none: no repository here']
        : [
            `project          ${project.project ?? (project.shallow ? 'unknown: the clone is shallow' : 'none: no commit yet')}${project.has_entry ? '' : ' (defaults)'}`,
            `cap              ${showCap(project.cap)}`,
          ]),
      '',
      ...settingRows(facts.settings),
      '',
    ].join('\n'),
  );
  return 0;
};

export const explainKey: VerbAction = async ({ flags, terminal, surroundings }, { args }) => {
  const rows = await explainOne(surroundings, args[0] ?? '');
  await terminal.write(flags.json ? `${JSON.stringify({ settings: rows })}\n` : `${settingRows(rows).join('\n')}\n`);
  return 0;
};

/** Reads both files as a run would; a fault is the refusal of that run. */
export const checkConfig: VerbAction = async ({ flags, terminal, surroundings }) => {
  const facts = await configFacts(surroundings);
  if (flags.json) await terminal.write(`${JSON.stringify({ ok: true, notices: facts.notices })}\n`);
  else {
    for (const notice of facts.notices) terminal.say(`coldseal: ${notice}`);
    await terminal.write(
      `${facts.machine_file} and ${facts.repository_file ?? 'no repository file'} read without a problem\n`,
    );
  }
  return 0;
};

export const printSchema: VerbAction = async ({ terminal }) => {
  await terminal.write(`${JSON.stringify(settingsSchema(), null, 2)}\n`);
  return 0;
};

export const printPath: VerbAction = async ({ flags, terminal, surroundings }) => {
  const path = await machineFilePath(surroundings);
  await terminal.write(flags.json ? `${JSON.stringify({ machine_file: path })}\n` : `${path}\n`);
  return 0;
};
