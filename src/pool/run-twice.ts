/**
 * What happens to a batch whose thread died: every input once more, alone. A scan that dies again is answered
 * `thread-died` for that input; an echo has no such answer, so it ends the run.
 */
import { ColdsealError } from '../contract/error.js';
import type { EchoBatch, EchoReply, PackedScanReply, ScanBatch, ScanOutcome, ScanReply } from '../contract/scan.js';
import { unpackReply } from '../engine/packed-reply.js';

/** Runs one task on some thread; `null` when the thread died under it. */
export type RunBatch = (batch: ScanBatch | EchoBatch) => Promise<unknown>;

const sum = (total: number, value: number): number => total + value;

export const scanTwice = async (batch: ScanBatch, run: RunBatch): Promise<ScanReply> => {
  const reply = (await run(batch)) as PackedScanReply | null;
  if (reply !== null) return unpackReply(reply);
  const outcomes: ScanOutcome[] = [];
  const busyMs: number[] = [];
  for (const input of batch.inputs) {
    const alone = (await run({ ...batch, inputs: [input] })) as PackedScanReply | null;
    if (alone === null) {
      outcomes.push({
        ref: input.ref,
        ok: false,
        bound: 'thread-died',
        detail: `two scan threads ended on this input of ${input.length} bytes`,
      });
    } else {
      for (const outcome of unpackReply(alone).outcomes) outcomes.push(outcome);
      busyMs.push(alone.busyMs);
    }
  }
  return { outcomes, busyMs: busyMs.reduce(sum, 0) };
};

/** @throws ColdsealError SCAN_FAILED when two threads ended on one input */
export const echoTwice = async (batch: EchoBatch, run: RunBatch): Promise<EchoReply> => {
  const reply = (await run(batch)) as EchoReply | null;
  if (reply !== null) return reply;
  const replies: EchoReply[] = [];
  for (const input of batch.inputs) {
    const alone = (await run({ ...batch, inputs: [input] })) as EchoReply | null;
    if (alone === null) {
      throw new ColdsealError(
        'SCAN_FAILED',
        `two scan threads ended while known values were looked for in ${input.length} bytes; withhold the item or report it`,
      );
    }
    replies.push(alone);
  }
  return {
    outcomes: replies.flatMap((one) => one.outcomes),
    busyMs: replies.map((one) => one.busyMs).reduce(sum, 0),
  };
};
