/** The fleet's queue at an address, as the command line and the service open it. */
import type { QueueAddress } from '../app/jobs/open-jobs.js';
import { BullQueue } from './bullmq-queue.js';
import { QUEUE_TIMES } from './lane-options.js';

/** A command waits so long for the server before it is refused. */
const PATIENCE_MS = 10_000;

/** Opens connections and waits for none. The caller closes it. */
export const openQueue = ({ url, password, leaseMs }: QueueAddress, say: (line: string) => void): BullQueue =>
  new BullQueue({ url, password, say, patienceMs: PATIENCE_MS }, { ...QUEUE_TIMES, leaseMs });
