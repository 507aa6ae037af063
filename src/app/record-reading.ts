/** The record store's reading side for whoever shows it. */
import type { ChainDocument, RunSummary } from '../contract/documents.js';
import { ColdsealError } from '../contract/error.js';
import { VERSION } from '../contract/version.js';
import { exportRecords } from '../record/export-records.js';
import { listRecords } from '../record/list-records.js';
import { readRows } from '../record/read-rows.js';
import { isRecordId } from '../record/record-id.js';
import { type RunRecord, showRecord } from '../record/show-record.js';
import { verifyRecords } from '../record/verify-records.js';
import { familiesFromRecords, type MetricFamily, metricsFromRecords } from '../telemetry/metrics-from-records.js';
import { readMachineSettings } from './read-settings-here.js';
import { type Rebuilt, rebuildBundle } from './rebuild-bundle.js';
import { shippedRules } from './rule-facts.js';
import type { Surroundings } from './surroundings.js';

export type { RunRecord, RunSummary };

const folderOf = async (surroundings: Surroundings): Promise<string> =>
  (await readMachineSettings(surroundings)).settings.own.recordsFolder;

export const listRuns = async (surroundings: Surroundings, limit: number): Promise<readonly RunSummary[]> =>
  listRecords({ folder: await folderOf(surroundings), limit });

/** `id` as printed, or `last`. `USAGE` for one that is no id or is not there. */
export const showRun = async (surroundings: Surroundings, id: string): Promise<RunRecord> => {
  const folder = await folderOf(surroundings);
  const wanted = id === 'last' ? (await listRecords({ folder, limit: 1 })).at(-1)?.id : id;
  if (wanted === undefined) throw new ColdsealError('USAGE', 'there is no record yet');
  if (!isRecordId(wanted)) {
    throw new ColdsealError(
      'USAGE',
      'that is no record id; `coldseal records list` lists them, and `last` names the newest',
    );
  }
  const found = await showRecord({ folder }, wanted);
  if (found === null)
    throw new ColdsealError('USAGE', `there is no record ${wanted}; \`coldseal records list\` lists them`);
  return found;
};

export interface VerifiedRun {
  readonly id: string;
  readonly chain: ChainDocument;
  /** `null` where the chain is broken: its rows prove nothing then. */
  readonly rebuilt: Rebuilt | null;
}

/** The chain, and the bundle of one run made again from the repository around the folder. */
export const verifyRun = async (surroundings: Surroundings, id: string): Promise<VerifiedRun> => {
  const run = await showRun(surroundings, id);
  const chain = await verifyStore(surroundings);
  return { id: run.summary.id, chain, rebuilt: chain.whole ? await rebuildBundle(surroundings, run) : null };
};

export const verifyStore = async (surroundings: Surroundings): Promise<ChainDocument> =>
  verifyRecords({ folder: await folderOf(surroundings) });

export async function* exportStore(surroundings: Surroundings): AsyncGenerator<Uint8Array> {
  yield* exportRecords({
    folder: await folderOf(surroundings),
    onDamaged: (file, line) => surroundings.say(`coldseal: ${file} line ${line} is no whole row`),
  });
}

const rowsAndBuild = async (surroundings: Surroundings) => ({
  rows: readRows({ folder: await folderOf(surroundings) }),
  build: { version: VERSION, rules: shippedRules(surroundings).digest },
});

/** Prometheus text. */
export const metricsOfStore = async (surroundings: Surroundings): Promise<string> => {
  const { rows, build } = await rowsAndBuild(surroundings);
  return metricsFromRecords(rows, build);
};

export const metricFamiliesOfStore = async (surroundings: Surroundings): Promise<readonly MetricFamily[]> => {
  const { rows, build } = await rowsAndBuild(surroundings);
  return familiesFromRecords(rows, build);
};
