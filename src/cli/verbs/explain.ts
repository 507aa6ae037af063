/** `coldseal explain [CODE]`: the code table, a row or whole. */
import { CODES, type Code, isCode, isProviderFailure, isRefusal } from '../../contract/codes.js';
import { ColdsealError } from '../../contract/error.js';
import { nearestName, orNearest } from '../../contract/nearest-name.js';
import type { VerbAction } from '../verb-context.js';

const outcomeOf = (code: Code): string =>
  isRefusal(code) ? 'refused' : isProviderFailure(code) ? 'provider_failed' : 'failed';

const codeAsTyped = (typed: string): Code => {
  const code = typed.toUpperCase();
  if (isCode(code)) return code;
  const near = nearestName(code, Object.keys(CODES));
  throw new ColdsealError('USAGE', `there is no such code${orNearest(near, '`coldseal explain` lists all of them')}`);
};

const rowAsJson = (code: Code) => ({
  code,
  outcome: outcomeOf(code),
  exit: CODES[code].exit,
  http: CODES[code].http,
  meaning: CODES[code].meaning,
  way_out: CODES[code].wayOut,
});

const rowAsText = (code: Code): string =>
  `${code} (${outcomeOf(code)}, exit ${CODES[code].exit})\n  ${CODES[code].meaning}\n  ${CODES[code].wayOut}\n`;

export const explain: VerbAction = async ({ flags, terminal }, { args }) => {
  const typed = args[0];
  const codes = typed === undefined ? Object.keys(CODES).filter(isCode) : [codeAsTyped(typed)];
  const rows = codes.map(rowAsJson);
  await terminal.write(
    flags.json
      ? `${JSON.stringify(typed === undefined ? { codes: rows } : rows[0])}\n`
      : codes.map(rowAsText).join('\n'),
  );
  return 0;
};
