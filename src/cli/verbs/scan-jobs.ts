/** What a sharded scan says to a person or a program: nothing of its findings before all of its shards have ended. */
import type { ScanState } from '../../app/jobs/read-scan.js';
import { printable } from '../../contract/printable.js';
import { showBytes, showCount } from '../../contract/show-amount.js';
import type { VerbContext } from '../verb-context.js';

/** 0 while it goes on or when it is whole, 2 where a shard did not scan. */
export const describeScan = async (
  { flags, terminal }: VerbContext,
  group: string,
  { shards, ended, failed, result }: ScanState,
): Promise<number> => {
  const exit = failed.length === 0 ? 0 : 2;
  const dead = failed.map(({ id, end }) => ({ job: id, outcome: end?.outcome ?? null, code: end?.code ?? null }));
  if (flags.json) {
    await terminal.write(`${JSON.stringify({ group, shards, ended, failed: dead, ...(result ?? {}) })}\n`);
    return exit;
  }
  for (const { job, outcome, code } of dead) terminal.say(`coldseal: ${job} ended ${outcome ?? ''} (${code ?? ''})`);
  if (result === null) {
    terminal.say(`coldseal: ${group}: ${ended} of ${shards} shards have ended`);
    return exit;
  }
  const lines = result.findings.map(
    ({ file, start_line, rule, kind, severity }) => `${printable(file)}:${start_line} ${rule} (${kind}, ${severity})\n`,
  );
  if (lines.length > 0) await terminal.write(lines.join(''));
  for (const { file, reason } of result.unscanned)
    terminal.say(`coldseal: not scanned: ${printable(file)} (${reason})`);
  terminal.say(
    `coldseal: ${group}: ${showCount(result.findings.length)} findings in ${showCount(result.files)} files, ${showBytes(result.bytes)}, ${shards} shards`,
  );
  return exit;
};
