/** `coldseal allow list|add|remove`: findings that the owner lets through, by fingerprint, each with its reason. */
import { addAllowed, listAllowed, removeAllowed } from '../../app/allow-settings.js';
import { printable } from '../../contract/printable.js';
import { formatTable } from '../tables.js';
import { tellWritten } from '../tell-written.js';
import { textOption, type VerbAction } from '../verb-context.js';

export const listAllow: VerbAction = async ({ flags, terminal, surroundings }) => {
  const allow = await listAllowed(surroundings);
  if (flags.json) {
    await terminal.write(`${JSON.stringify({ allow })}\n`);
    return 0;
  }
  if (allow.length === 0) {
    terminal.say('coldseal: no finding is allowed; `coldseal allow add` lets one through');
    return 0;
  }
  const rows = allow.map(({ fingerprint, reason }) => [fingerprint, printable(reason)]);
  await terminal.write(`${formatTable([{ head: 'fingerprint' }, { head: 'reason' }], rows, null).join('\n')}\n`);
  return 0;
};

export const addAllow: VerbAction = async (context, words) => {
  const allowed = { fingerprint: words.args[0] ?? '', reason: textOption(words, 'reason') ?? '' };
  return tellWritten(context, await addAllowed(context.surroundings, allowed));
};

export const removeAllow: VerbAction = async (context, { args }) =>
  tellWritten(context, await removeAllowed(context.surroundings, args[0] ?? ''));
