/** `coldseal providers approve NAME`: before and after of a provider's block, which is pinned as it stands now. */
import { approveProvider as approve } from '../../app/consent.js';
import { printable } from '../../contract/printable.js';
import type { VerbAction } from '../verb-context.js';

const WAS = {
  first: 'nothing was sent to it yet; this is what is pinned',
  pinned: 'it is as it was pinned; nothing changes',
  changed: 'it is pinned as it is now; this changed',
  unknown: 'what was pinned before cannot be trusted; this is what is pinned now',
} as const;

export const approveProvider: VerbAction = async ({ flags, terminal, surroundings }, words) => {
  const approved = await approve(surroundings, words.args[0] ?? '');
  if (flags.json) {
    await terminal.write(`${JSON.stringify(approved)}\n`);
    return 0;
  }
  const { provider, host, was, changes } = approved;
  const lines = changes.flatMap(({ member, before, after }) => [
    `${member}`,
    ...(was === 'changed' ? [`  before  ${printable(before ?? 'not there')}`] : []),
    `  ${was === 'changed' ? 'after ' : 'now   '}  ${printable(after ?? 'not there')}`,
  ]);
  await terminal.write(`${[`${provider} (${host}): ${WAS[was]}`, ...lines].join('\n')}\n`);
  return 0;
};
