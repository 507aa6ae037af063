/** `coldseal cap`, `list` and `withhold`: what the owner set, shown, written and taken back, as with `git config`. */
import {
  addWithhold as addGlob,
  unsetCap as clearCap,
  unsetList as clearList,
  removeWithhold as removeGlob,
  setCap as writeCap,
  setList as writeList,
} from '../../app/edit-settings.js';
import { capInForce, withheldFacts } from '../../app/owner-facts.js';
import { projectFacts } from '../../app/project-facts.js';
import { ColdsealError } from '../../contract/error.js';
import { printable } from '../../contract/printable.js';
import { kindAsTyped } from '../kind-as-typed.js';
import { formatTable } from '../tables.js';
import { tellWritten } from '../tell-written.js';
import { flagOption, type VerbAction } from '../verb-context.js';

/** Without SIZE the cap in force, as `git config NAME` shows a value. */
export const cap: VerbAction = async (context, words) => {
  const { flags, terminal, surroundings } = context;
  const [size] = words.args;
  const forProject = flagOption(words, 'project');
  const unsets = flagOption(words, 'unset');
  if (size !== undefined && unsets) throw new ColdsealError('USAGE', 'cap takes SIZE or --unset, not both');
  if (unsets) return tellWritten(context, await clearCap(surroundings, forProject));
  if (size !== undefined) return tellWritten(context, await writeCap(surroundings, size, forProject));
  const { bytes, origin, key } = await capInForce(surroundings, forProject);
  await terminal.write(
    flags.json ? `${JSON.stringify({ bytes, origin, key })}\n` : `${bytes} bytes (${origin}; ${key})\n`,
  );
  return 0;
};

export const setList: VerbAction = async (context, { args }) =>
  tellWritten(context, await writeList(context.surroundings, kindAsTyped(args[0] ?? ''), args.slice(1)));

export const unsetList: VerbAction = async (context, { args }) =>
  tellWritten(context, await clearList(context.surroundings, kindAsTyped(args[0] ?? '')));

export const showLists: VerbAction = async ({ flags, terminal, surroundings }, { args }) => {
  const kind = args[0] === undefined ? null : kindAsTyped(args[0]);
  const { project, lists } = await projectFacts(surroundings);
  const shown = Object.entries(lists).filter(([name]) => kind === null || name === kind);
  if (flags.json) {
    await terminal.write(`${JSON.stringify({ project, lists: Object.fromEntries(shown) })}\n`);
    return 0;
  }
  const rows = shown.map(([name, { origin, entries }]) => [name, origin, entries.map(printable).join(', ')]);
  const heads = [{ head: 'kind' }, { head: 'from' }, { head: 'entries' }];
  await terminal.write(`${formatTable(heads, rows, null).join('\n')}\n`);
  return 0;
};

export const addWithhold: VerbAction = async (context, words) =>
  tellWritten(context, await addGlob(context.surroundings, words.args[0] ?? '', flagOption(words, 'machine')));

export const removeWithhold: VerbAction = async (context, words) =>
  tellWritten(context, await removeGlob(context.surroundings, words.args[0] ?? '', flagOption(words, 'machine')));

export const listWithheld: VerbAction = async ({ flags, terminal, surroundings }) => {
  const facts = await withheldFacts(surroundings);
  if (flags.json) {
    await terminal.write(`${JSON.stringify(facts)}\n`);
    return 0;
  }
  const rows = [
    ...facts.project.map((glob) => [printable(glob), 'this project']),
    ...facts.machine.map((glob) => [printable(glob), 'this machine']),
    ...facts.compiled.map((glob) => [glob, 'compiled in']),
    ...facts.except.map((glob) => [glob, 'compiled in: not withheld']),
  ];
  await terminal.write(`${formatTable([{ head: 'glob' }, { head: 'from' }], rows, null).join('\n')}\n`);
  return 0;
};
