/** `coldseal metrics`: the record store's figures as Prometheus text, or with `--json` as a list of metric families. */
import { metricFamiliesOfStore, metricsOfStore } from '../../app/record-reading.js';
import type { VerbAction } from '../verb-context.js';

export const metrics: VerbAction = async ({ flags, terminal, surroundings }) => {
  await terminal.write(
    flags.json ? `${JSON.stringify(await metricFamiliesOfStore(surroundings))}\n` : await metricsOfStore(surroundings),
  );
  return 0;
};
