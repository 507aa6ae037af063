/**
 * The calls that are under way: so many at once, their ends waited for when the service closes, and ended by it when they
 * take longer than they may. A call is under way until its end is recorded, long after its reply began.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ColdsealError } from '../../contract/error.js';
import type { GateReply } from './gate-call.js';

export interface CallDesk {
  /** Throws `BUSY` when there are more calls than may be, or when the desk is closing. */
  refuseMore(): void;
  /** The signal that `work` gets ends with the caller's and with the desk. */
  run(signal: AbortSignal, work: (signal: AbortSignal) => Promise<GateReply>): Promise<GateReply>;
  /** Something of a call that the desk waits for. */
  hold(end: Promise<void>): void;
  close(graceMs: number): Promise<void>;
}

/** Each holds its body and a connection. */
const MOST_CALLS = 256;

export const openCallDesk = (): CallDesk => {
  const ending = new AbortController();
  const held = new Set<Promise<unknown>>();
  let isClosing = false;

  const hold = (work: Promise<unknown>): void => {
    const one = work.catch(() => undefined).finally(() => held.delete(one));
    held.add(one);
  };
  const allEnded = async (): Promise<void> => {
    while (held.size > 0) await Promise.all(held);
  };

  return {
    refuseMore: () => {
      if (isClosing) throw new ColdsealError('BUSY', 'The service is closing and takes no more calls.');
      if (held.size <= MOST_CALLS) return;
      throw new ColdsealError('BUSY', `${MOST_CALLS} calls are under way; ask again when some have ended.`, {
        facts: { most_calls: MOST_CALLS },
      });
    },
    hold,
    run: (signal, work) => {
      const reply = work(AbortSignal.any([signal, ending.signal]));
      hold(reply);
      return reply;
    },
    close: async (graceMs) => {
      isClosing = true;
      const enough = new AbortController();
      await Promise.race([allEnded(), sleep(graceMs, undefined, { signal: enough.signal }).catch(() => undefined)]);
      enough.abort();
      ending.abort(new ColdsealError('CANCELLED', 'The service closes.'));
      await allEnded();
    },
  };
};
