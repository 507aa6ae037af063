/**
 * A peer that runs as a program of its own and is told to begin a round by a line on its input. It loads text and rules
 * once, so that a round measures the scan and not the start.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Round } from './measure.js';

export interface Peer {
  /** What it says of itself when it is ready. */
  readonly facts: Readonly<Record<string, unknown>>;
  round(): Promise<Round>;
  close(): Promise<void>;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Rejects when it ends before it is ready or instead of an answer. */
export const startPeer = async (program: string, words: readonly string[], folder: string): Promise<Peer> => {
  const child: Child = spawn(program, [...words], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: Interface = createInterface({ input: child.stdout });
  const answers = lines[Symbol.asyncIterator]();
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  child.stdin.on('error', () => undefined);
  const next = async (): Promise<unknown> => {
    const { value, done } = await answers.next();
    if (done === true) throw new Error(`${program} ended without an answer`);
    return JSON.parse(value);
  };
  return {
    facts: (await next()) as Record<string, unknown>,
    round: async () => {
      child.stdin.write('\n');
      return (await next()) as Round;
    },
    close: () => {
      child.stdin.end();
      return ended;
    },
  };
};
