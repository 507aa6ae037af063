/**
 * The two streams of a run. Data goes to stdout, everything else to stderr; a reader that closes stdout early is a quiet
 * success, as with every other filter.
 */
import type { Writable } from 'node:stream';

export interface Terminal {
  /** Writes data and waits until the stream took it. */
  readonly write: (bytes: string | Uint8Array) => Promise<void>;
  /** One line on stderr. */
  readonly say: (line: string) => void;
  /** stdout takes no more: its reader closed it, or it failed. */
  readonly isClosed: () => boolean;
  /** Why stdout failed, e.g. `ENOSPC`; `null` while it works and when its reader merely went. */
  readonly failure: () => string | null;
  readonly colour: boolean;
  readonly stderrIsTty: boolean;
  readonly columns: number;
}

export interface TerminalWords {
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly colour: boolean;
}

export const openTerminal = ({ stdout, stderr, colour }: TerminalWords): Terminal => {
  let closed = false;
  let failure: string | null = null;
  stdout.on('error', (fault: NodeJS.ErrnoException) => {
    closed = true;
    if (fault.code !== 'EPIPE') failure ??= fault.code ?? 'unknown fault';
  });
  // Nobody can be told that stderr is gone; a run must not die of it either.
  stderr.on('error', () => {});
  return {
    write: (bytes) =>
      new Promise((resolve) => {
        if (closed) resolve();
        else stdout.write(bytes, () => resolve());
      }),
    say: (line) => {
      stderr.write(`${line}\n`);
    },
    isClosed: () => closed,
    failure: () => failure,
    colour,
    stderrIsTty: stderr.isTTY === true,
    columns: stderr.columns ?? 80,
  };
};
