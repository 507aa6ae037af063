/**
 * `coldseal cap`, `list` and `withhold`: what the owner set, shown, written and taken back, as with `git config`. Each
 * write says what holds here afterwards, because a project’s value stands over the machine’s.
 */
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
import type { Cap } from '../../contract/bundle.js';
import { ColdsealError } from '../../contract/error.js';
import type { KindName } from '../../contract/item.js';
import { printable } from '../../contract/printable.js';
import { showNumber } from '../../contract/show-amount.js';
import { kindAsTyped } from '../kind-as-typed.js';
import { showCap } from '../show-cap.js';
import { formatTable } from '../tables.js';
import { type InForce, tellWritten } from '../tell-written.js';
import { flagOption, type VerbAction, type VerbContext } from '../verb-context.js';

/** Without SIZE the cap in force, as `git config NAME` shows a value. */
export const cap: VerbAction = async (context, words) => {
  const { flags, terminal, surroundings } = context;
  const [size] = words.args;
  const forProject = flagOption(words, 'project');
  const unsets = flagOption(words, 'unset');
  if (size !== undefined && unsets) throw new ColdsealError('USAGE', 'cap takes SIZE or --unset, not both');
  const now = async (): Promise<InForce> => capHere(await capInForce(surroundings, forProject));
  if (unsets) return tellWritten(context, await clearCap(surroundings, forProject), now);
  if (size !== undefined) return tellWritten(context, await writeCap(surroundings, size, forProject), now);
  const { bytes, origin, key } = await capInForce(surroundings, forProject);
  const shown = showCap({ bytes, origin, key });
  await terminal.write(flags.json ? `${JSON.stringify({ bytes, origin, key })}\n` : `${shown}\n`);
  return 0;
};

const capHere = ({ bytes, origin, key }: Cap): InForce => ({
  facts: { cap: { bytes, origin, key } },
  line: `the cap in force here is ${showCap({ bytes, origin, key })}`,
});

export const setList: VerbAction = async (context, { args }) => {
  const kind = kindAsTyped(args[0] ?? '');
  return tellWritten(context, await writeList(context.surroundings, kind, args.slice(1)), () =>
    listHere(context, kind),
  );
};

export const unsetList: VerbAction = async (context, { args }) => {
  const kind = kindAsTyped(args[0] ?? '');
  return tellWritten(context, await clearList(context.surroundings, kind), () => listHere(context, kind));
};

const listHere = async ({ surroundings }: VerbContext, kind: KindName): Promise<InForce | null> => {
  const list = (await projectFacts(surroundings)).lists[kind];
  if (list === undefined) return null;
  const { origin, entries } = list;
  return {
    facts: { list: { kind, origin, entries } },
    line: `${kind} carries here (${origin}): ${entries.map(printable).join(', ')}`,
  };
};

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
  tellWritten(context, await addGlob(context.surroundings, words.args[0] ?? '', flagOption(words, 'machine')), () =>
    withheldHere(context),
  );

export const removeWithhold: VerbAction = async (context, words) =>
  tellWritten(context, await removeGlob(context.surroundings, words.args[0] ?? '', flagOption(words, 'machine')), () =>
    withheldHere(context),
  );

const withheldHere = async ({ surroundings }: VerbContext): Promise<InForce> => {
  const { project, machine, compiled } = await withheldFacts(surroundings);
  const shown = [
    ...project.map((glob) => `${printable(glob)} (this project)`),
    ...machine.map((glob) => `${printable(glob)} (this machine)`),
    `${showNumber(compiled.length, 'glob')} compiled in`,
  ];
  return { facts: { withhold: { project, machine } }, line: `withheld here: ${shown.join(', ')}` };
};

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
