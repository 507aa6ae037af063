/** An earlier run of `coldseal bench --json` from a file that the person names, and what this run is beside it. */
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { ColdsealError } from '../../contract/error.js';
import type { BenchDocument, ComparedRepository, MeasuredRepository, RefusedRepository } from './bench-document.js';

const LARGEST_FILE_BYTES = 16 * 1024 * 1024;

const MEASURED = z.object({
  outcome: z.literal('measured'),
  name: z.string(),
  head: z.string(),
  raw_bytes: z.number(),
  megabytes_per_second: z.number().positive(),
  peak_rss_bytes: z.number().positive(),
});

/** The members that are compared; a later version may write more. */
const EARLIER = z.object({
  coldseal: z.string(),
  at: z.string(),
  machine: z.object({ processor: z.string(), cores: z.number() }),
  repositories: z.array(z.union([MEASURED, z.object({ outcome: z.literal('refused'), name: z.string() })])),
});

export type EarlierRun = z.infer<typeof EARLIER>;

const refused = (why: string, cause?: unknown): ColdsealError =>
  new ColdsealError('USAGE', `the file of --compare ${why}; name one that \`coldseal bench --json\` wrote`, { cause });

const readText = async (path: string): Promise<string> => {
  const file = await open(path).catch((fault: unknown) => {
    throw refused('cannot be read', fault);
  });
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw refused('is no regular file');
    if (facts.size > LARGEST_FILE_BYTES) {
      throw refused(`has ${facts.size} bytes, more than ${LARGEST_FILE_BYTES} (16 MiB)`);
    }
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
};

/** `USAGE` for a file that is not there or is no such run. */
export const readEarlierRun = async (path: string): Promise<EarlierRun> => {
  const text = await readText(path);
  let written: unknown;
  try {
    written = JSON.parse(text);
  } catch (fault) {
    throw refused('is no JSON', fault);
  }
  const read = EARLIER.safeParse(written);
  if (!read.success) throw refused('is no run of the benchmark', read.error);
  return read.data;
};

const compared = (now: MeasuredRepository, before: z.infer<typeof MEASURED>): ComparedRepository => ({
  name: now.name,
  same_bytes: now.head === before.head && now.raw_bytes === before.raw_bytes,
  speed_ratio: now.megabytes_per_second / before.megabytes_per_second,
  peak_rss_ratio: now.peak_rss_bytes / before.peak_rss_bytes,
});

/** Repositories of the same name that both runs measured, in this run's order. */
export const compareRuns = (
  machine: BenchDocument['machine'],
  repositories: readonly (MeasuredRepository | RefusedRepository)[],
  earlier: EarlierRun,
): NonNullable<BenchDocument['compared']> => ({
  at: earlier.at,
  coldseal: earlier.coldseal,
  same_machine: earlier.machine.processor === machine.processor && earlier.machine.cores === machine.cores,
  repositories: repositories.flatMap((now) => {
    const before = earlier.repositories.find(({ name }) => name === now.name);
    return now.outcome === 'measured' && before?.outcome === 'measured' ? [compared(now, before)] : [];
  }),
});
