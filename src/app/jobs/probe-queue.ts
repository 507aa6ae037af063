/** Whether jobs can be added now: the key that signs them has its value here, and the queue's server forgets none. */
import type { JobQueue } from '../../contract/job-queue.js';
import { readMachineSettings } from '../read-settings-here.js';
import type { Surroundings } from '../surroundings.js';
import { resolveJobKey } from './job-key.js';

/** `CONFIG_*`, `CREDENTIAL_MISSING`, `QUEUE_*`. */
export const probeQueue = async (surroundings: Surroundings, queue: JobQueue): Promise<void> => {
  const { settings } = await readMachineSettings(surroundings);
  await resolveJobKey(surroundings, settings);
  await queue.requireDurable();
};
