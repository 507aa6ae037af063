/** `reading assemble`: parks a reading and says what it holds and what was left out. */
import { type AssembledReading, assembleReading as assemble } from '../../app/assemble-reading.js';
import { flagOption, textOption, type VerbAction } from '../verb-context.js';

const SHOWN_EXCLUSIONS = 20;

const linesOf = (reading: AssembledReading): readonly string[] => {
  const { exclusions } = reading;
  const more = exclusions.length - SHOWN_EXCLUSIONS;
  return [
    reading.run_id === null
      ? `a ${reading.position} reading of ${reading.target_commit} would hold`
      : `${reading.run_id}: a ${reading.position} reading of ${reading.target_commit}`,
    `  items ${reading.items} (${reading.unscanned} unscanned), ${reading.bytes} bytes, about ${reading.tokens_est} tokens`,
    ...exclusions.slice(0, SHOWN_EXCLUSIONS).map(({ path, reason }) => `  left out (${reason}): ${path}`),
    ...(more > 0 ? [`  and ${more} more left out`] : []),
    reading.run_id === null
      ? '  nothing was written (--dry-run)'
      : `  parked at ${reading.path ?? ''}; send it with \`coldseal reading ingest --dispatch ${reading.run_id}\``,
  ];
};

export const assembleReading: VerbAction = async ({ flags, terminal, surroundings }, words) => {
  const reading = await assemble(surroundings, {
    position: textOption(words, 'position') ?? '',
    target: textOption(words, 'target') ?? '',
    dryRun: flagOption(words, 'dryRun'),
  });
  await terminal.write(flags.json ? `${JSON.stringify(reading)}\n` : `${linesOf(reading).join('\n')}\n`);
  return 0;
};
