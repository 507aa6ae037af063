/** What adds and looks after jobs needs of the owner's settings: the queue's address and the key that signs. */
import { ColdsealError } from '../../contract/error.js';
import { printable } from '../../contract/printable.js';
import type { Settings } from '../../contract/settings.js';
import { readMachineSettings } from '../read-settings-here.js';
import type { Surroundings } from '../surroundings.js';
import { resolveJobKey, resolveQueuePassword } from './job-key.js';
import type { JobMaking } from './make-job.js';

export interface QueueAddress {
  readonly url: string;
  readonly password: string | null;
  readonly leaseMs: number;
}

export interface JobFacts {
  readonly settings: Settings;
  readonly address: QueueAddress;
}

/** `typed` is `--queue`. `USAGE` where no queue is named, `CREDENTIAL_MISSING`, `CONFIG_*`. */
export const readJobFacts = async (surroundings: Surroundings, typed: string | null): Promise<JobFacts> => {
  const { settings } = await readMachineSettings(surroundings);
  const url = typed ?? settings.own.queue.url;
  if (url === null) {
    throw new ColdsealError(
      'USAGE',
      `no queue is named; type --queue redis://HOST:PORT, or set coldseal.queue.url in ${printable(settings.machineFile)}`,
    );
  }
  if (!/^rediss?:\/\/\S+$/.test(url) || !URL.canParse(url)) {
    throw new ColdsealError('USAGE', '--queue takes a redis:// or rediss:// URL');
  }
  const password = await resolveQueuePassword(surroundings, settings);
  return { settings, address: { url, password, leaseMs: settings.own.queue.leaseMs } };
};

/** What makes jobs. `CREDENTIAL_MISSING`. */
export const jobMaking = async (surroundings: Surroundings, settings: Settings): Promise<JobMaking> => ({
  key: await resolveJobKey(surroundings, settings),
  now: surroundings.now,
  random: surroundings.random,
});
