/** The sandbox as the command line starts it: TLS under a remote name, on loopback. */
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

/** `USAGE` naming the place for a script that does not read. */
export const openSandbox = ({ port, script, bodiesFolder, onRequest }: SandboxWords): Promise<Sandbox> =>
  startSandbox({
    tls: true,
    port,
    ...(script === null ? {} : { script: parseScript(script) }),
    ...(bodiesFolder === null ? {} : { bodiesFolder }),
    onRequest: ({ number, connection, summary }) => onRequest({ number, connection, summary: JSON.stringify(summary) }),
  });
