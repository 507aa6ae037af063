/** The sandbox as the command line starts it: TLS under a remote name, on loopback. */
import { stat } from 'node:fs/promises';
import { ColdsealError } from '../contract/error.js';
import { parseScript } from '../sandbox/script.js';
import { type Sandbox, startSandbox } from '../sandbox/start-sandbox.js';

export interface SandboxWords {
  /** 0: one that is free. */
  readonly port: number;
  /** The script's text, or `null` for the summary of each request. */
  readonly script: string | null;
  /** Folder that each received body is written to, which must exist. */
  readonly bodiesFolder: string | null;
  readonly onRequest: (request: {
    readonly number: number;
    readonly connection: number;
    readonly summary: string;
  }) => void;
}

/** `USAGE` for a script that does not read, a port that is taken and a folder that is not there. */
export const openSandbox = async ({ port, script, bodiesFolder, onRequest }: SandboxWords): Promise<Sandbox> => {
  const isFolder = bodiesFolder === null || (await stat(bodiesFolder).catch(() => null))?.isDirectory() === true;
  if (!isFolder) throw new ColdsealError('USAGE', 'the folder of --keep-bodies is not there; make it first');
  try {
    return await startSandbox({
      tls: true,
      port,
      ...(script === null ? {} : { script: parseScript(script) }),
      ...(bodiesFolder === null ? {} : { bodiesFolder }),
      onRequest: ({ number, connection, summary }) =>
        onRequest({ number, connection, summary: JSON.stringify(summary) }),
    });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && (cause.code === 'EADDRINUSE' || cause.code === 'EACCES')) {
      throw new ColdsealError('USAGE', `port ${port} cannot be listened on (${cause.code}); name another with --port`, {
        cause,
      });
    }
    throw cause;
  }
};
