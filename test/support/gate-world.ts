/**
 * The service with its gate, over real HTTP with its door and token, in front of a provider that records: the machine file, the home, the scan
 * threads of the build and the routes. Ends of calls are waited for before rows are read.
 */
import { readFileSync } from 'node:fs';
import { gatherSurroundings } from '../../src/app/surroundings.js';
import { startService } from '../../src/http/start-service.js';
import { makeProgramHome, type ProgramHome } from './program-home.js';
import { type Answerer, type RecordingProvider, startRecordingProvider } from './recording-provider.js';

export const MODEL = 'vendor/model-1';

export interface GateWorld {
  readonly home: ProgramHome;
  readonly provider: RecordingProvider;
  readonly port: number;
  /** `http://127.0.0.1:port/v1/gate/there`. */
  readonly baseUrl: string;
  /** What a client says who it is with. */
  readonly token: string;
  /** The machine file's object as it stands at the start. */
  settings(): MachineSettings;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Rows, once every call that was begun has its end. */
  rows(): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}

export interface MachineSettings {
  readonly oracle: { readonly api: Record<string, Record<string, unknown>>; readonly [name: string]: unknown };
  readonly coldseal: Record<string, unknown>;
}

const REMOTE_NAME = 'models.example.com';

export const openGateWorld = async (
  answerer: Answerer,
  more: { readonly environment?: Readonly<Record<string, string>>; readonly key?: string } = {},
): Promise<GateWorld> => {
  const provider = await startRecordingProvider(REMOTE_NAME, answerer);
  const settings = (): MachineSettings => ({
    oracle: {
      api: {
        there: {
          base_url: `https://${REMOTE_NAME}/v1`,
          models: [MODEL],
          ...(more.key === undefined ? {} : { key: more.key }),
        },
      },
    },
    coldseal: {
      threads: 2,
      providers: { there: { resolve: { [REMOTE_NAME]: `127.0.0.1:${provider.port}` }, ca_file: provider.caFile } },
      gate: { providers: ['there'] },
    },
  });
  const home = makeProgramHome(settings());
  const environment = { ...process.env, HOME: home.home, ...more.environment };
  const surroundings = {
    ...gatherSurroundings({ folder: home.home, say: () => undefined, signal: new AbortController().signal }),
    environment,
    homeFolder: home.home,
    accountHome: home.home,
    accountName: 'robin-owner',
  };
  const service = await startService({
    surroundings,
    listen: { kind: 'tcp', host: '127.0.0.1', port: 0 },
    mostRuns: 4,
    logLevel: 'silent',
  });
  const port = Number(new URL(service.url).port);
  const token = readFileSync(service.tokenFile, 'utf8').trim();
  const baseUrl = `http://127.0.0.1:${port}/v1/gate/there`;
  return {
    home,
    provider,
    port,
    baseUrl,
    token,
    settings,
    post: (path, body, headers = {}) =>
      fetch(`${baseUrl}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
        body: typeof body === 'string' ? body : body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body),
      }),
    get: (path, headers = {}) =>
      fetch(`${baseUrl}/${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } }),
    rows: () => endedRows(home),
    close: async () => {
      await service.close(0);
      await provider.close();
      home.remove();
    },
  };
};

/** Reads until every start row has its end row; an end that never comes fails the test by its time limit. */
const endedRows = async (home: ProgramHome): Promise<readonly Record<string, unknown>[]> => {
  for (;;) {
    const rows = home.rows();
    const count = (event: string): number => rows.filter((row) => row['event'] === event).length;
    if (count('start') === count('end')) return rows;
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
};
