/** `coldseal doctor`: what a run stands on, row by row, with what to do. Exit 2 when a run would be refused. */
import { type Check, examine } from '../../app/doctor/examine.js';
import { createStyle } from '../style.js';
import type { VerbAction } from '../verb-context.js';

export const doctor: VerbAction = async ({ flags, terminal, surroundings }) => {
  const { stderrIsTty: isTty, colour, columns } = terminal;
  const checks = await examine(surroundings, { isTty, colour, columns });
  const isWell = checks.every(({ state }) => state !== 'fail');
  if (flags.json) {
    const rows = checks.map(({ todo, ...row }) => ({ ...row, ...(todo === null ? {} : { todo }) }));
    await terminal.write(`${JSON.stringify({ ok: isWell, checks: rows })}\n`);
  } else {
    const style = createStyle(colour);
    const paint = { ok: style.good, warn: style.warn, fail: style.bad };
    const width = Math.max(...checks.map(({ check }) => check.length));
    const indent = ' '.repeat(6 + width + 2);
    const lines = ({ check, state, found, todo }: Check): readonly string[] => [
      `${paint[state](state.padEnd(4))}  ${check.padEnd(width)}  ${found.replaceAll('\n', `\n${indent}`)}`,
      ...(todo === null ? [] : [`${indent}${style.faint('-> ')}${todo}`]),
    ];
    await terminal.write(`${checks.flatMap(lines).join('\n')}\n`);
  }
  return isWell ? 0 : 2;
};
