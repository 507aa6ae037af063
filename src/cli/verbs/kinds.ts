/** `coldseal kinds`: what each kind of bundle carries, in order, and which agents take it. */
import { listKinds } from '../../app/list-kinds.js';
import type { VerbAction } from '../verb-context.js';

export const kinds: VerbAction = async ({ flags, terminal }) => {
  const rows = listKinds();
  if (flags.json) {
    await terminal.write(`${JSON.stringify({ kinds: rows })}\n`);
    return 0;
  }
  for (const row of rows) {
    await terminal.write(`${row.kind}\n  agents  ${row.agents.join(', ')}\n  inputs  ${row.inputs.join(', ')}\n`);
  }
  return 0;
};
