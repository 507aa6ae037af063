/** `coldseal metrics`: the record store's figures as Prometheus text. */
import { metricsOfStore } from '../../app/record-reading.js';
import type { VerbAction } from '../verb-context.js';

export const metrics: VerbAction = async ({ terminal, surroundings }) => {
  await terminal.write(await metricsOfStore(surroundings));
  return 0;
};
