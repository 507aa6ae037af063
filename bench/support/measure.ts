/**
 * Rounds of several contenders, interleaved: each round runs all of them, beginning with another one every time, so that a
 * machine that grows warm or busy does so for everybody. Clock and processor time are kept of every round; the ratio of two
 * contenders is that of their medians.
 */

export interface Round {
  readonly wallMs: number;
  /** Processor time of all threads that worked; `null` where it is not known. */
  readonly cpuMs: number | null;
  /** Findings, hits or lines: what the contender counts. */
  readonly found: number;
}

export interface Contender {
  readonly name: string;
  /** Bytes of one round. */
  readonly bytes: number;
  round(): Promise<Round> | Round;
}

export interface Measured {
  readonly name: string;
  readonly bytes: number;
  readonly rounds: readonly Round[];
}

export const median = (numbers: readonly number[]): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

/** `warmUps` rounds are run first and not kept. */
export const measureInterleaved = async (
  contenders: readonly Contender[],
  rounds: number,
  warmUps: number,
): Promise<Measured[]> => {
  const kept = contenders.map((): Round[] => []);
  for (let round = -warmUps; round < rounds; round += 1) {
    for (let step = 0; step < contenders.length; step += 1) {
      const at = (Math.max(0, round) + step) % contenders.length;
      const measured = await contenders[at]?.round();
      if (round >= 0 && measured !== undefined) kept[at]?.push(measured);
    }
  }
  return contenders.map(({ name, bytes }, at) => ({ name, bytes, rounds: kept[at] ?? [] }));
};

/** Work of this process alone, timed by clock and by processor. */
export const timed = async (work: () => Promise<number> | number): Promise<Round> => {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const found = await work();
  const wallMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1000, found };
};

/** Megabytes (10^6) a second of the median round, by the clock. */
export const wallSpeed = ({ bytes, rounds }: Measured): number =>
  bytes / 1000 / median(rounds.map((one) => one.wallMs));

/** The same by processor time: what a thread does, whatever else the machine is busy with. By the clock where unknown. */
export const cpuSpeed = ({ bytes, rounds }: Measured): number =>
  bytes / 1000 / median(rounds.map((one) => one.cpuMs ?? one.wallMs));
