/**
 * A small fleet: one Redis, one recording provider, a machine or more with a home each, and the built program run as
 * workers and commands. The key is drawn for the test.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openJob } from '../../src/app/jobs/sign-job.js';
import type { Job } from '../../src/contract/job.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { makeTestFolder } from './make-repository.js';
import { type JsonRun, makeProgramHome, type ProgramHome } from './program-home.js';
import { programFile } from './run-coldseal.js';
import { startRedis, type TestRedis } from './start-redis.js';

export interface FleetMachine {
  readonly home: ProgramHome;
  readonly environment: Readonly<Record<string, string>>;
  runJson(folder: string, words: readonly string[]): Promise<JsonRun>;
  /** Starts `coldseal work` there. */
  work(words?: readonly string[]): FleetWorker;
}

export interface FleetWorker {
  readonly child: ChildProcess;
  stderr(): string;
  /** Exit code, or the signal's name. */
  end(signal?: NodeJS.Signals): Promise<number | string>;
  ended(): Promise<number | string>;
}

export interface FleetWorld {
  readonly redis: TestRedis;
  readonly sandbox: Sandbox;
  /** Repositories of the test stand below it. */
  readonly folder: string;
  readonly key: Buffer;
  /** The provider's credential. */
  readonly credential: string;
  machine(queue?: Readonly<Record<string, unknown>>): FleetMachine;
  open(text: string): Job;
  /** The framed ranges that the provider read whole, one a request. */
  ranges(): readonly string[];
  stopWorkers(): Promise<void>;
  close(): Promise<void>;
}

/** `program` is the built one; a benchmark, which is bundled itself, says where it stands. */
export const openFleetWorld = async (program = programFile): Promise<FleetWorld> => {
  const redis = await startRedis();
  const sandbox = await startSandbox({ tls: true, keepBodies: true });
  const folder = makeTestFolder();
  const key = Buffer.from(randomBytes(24).toString('hex'));
  const credential = randomBytes(24).toString('base64url');
  const homes: ProgramHome[] = [];
  const workers: FleetWorker[] = [];

  const stopWorkers = async (): Promise<void> => {
    await Promise.all(workers.splice(0).map((worker) => worker.end('SIGKILL')));
  };
  const machine = (queue: Readonly<Record<string, unknown>> = {}): FleetMachine => {
    const fragment = structuredClone(sandbox.fragment) as Record<string, Record<string, unknown>>;
    const api = fragment['oracle']?.['api'] as Record<string, object>;
    const home = makeProgramHome({
      ...fragment,
      oracle: { ...fragment['oracle'], api: { sandbox: { ...api['sandbox'], key: 'provider' } } },
      coldseal: {
        ...fragment['coldseal'],
        threads: 1,
        queue: { url: redis.url, key: 'fleet', lease: 3, repositories: [folder], ...queue },
      },
    });
    homes.push(home);
    const environment = { COLDSEAL_KEY_FLEET: key.toString(), COLDSEAL_KEY_PROVIDER: credential };
    return {
      home,
      environment,
      runJson: async (at, words) => {
        const ran = await home.run(at, [...words, '--json'], { environment });
        if (ran.stdout === '') throw new Error(`exit ${ran.exit} without a document: ${ran.stderr}`);
        const document = JSON.parse(ran.stdout) as JsonRun['document'];
        const { outcome, code = '', message = '' } = document;
        return { ...ran, document, ended: `${ran.exit} ${outcome} ${code} ${message}`.trimEnd() };
      },
      work: (words = []) => {
        const worker = startWorker(program, home.home, environment, words);
        workers.push(worker);
        return worker;
      },
    };
  };
  return {
    redis,
    sandbox,
    folder,
    key,
    credential,
    machine,
    open: (text) => openJob(text, key, Date.now()),
    ranges: () => sandbox.requests().map(({ body }) => rangeIn(body)),
    stopWorkers,
    close: async () => {
      await stopWorkers();
      await sandbox.close();
      await redis.close();
      for (const home of homes) home.remove();
    },
  };
};

/** The label of the diff, `<base>..<head>`: every job of these tests is about a range of its own. */
const rangeIn = (body: Buffer | null): string =>
  /[0-9a-f]{40}\.\.[0-9a-f]{40}/.exec(body?.toString() ?? '')?.[0] ?? 'none';

const startWorker = (
  program: string,
  home: string,
  environment: Readonly<Record<string, string>>,
  words: readonly string[],
): FleetWorker => {
  const child = spawn(process.execPath, [program, 'work', ...words], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const exit = once(child, 'exit').then(([code, signal]) => (code as number | null) ?? String(signal));
  return {
    child,
    stderr: () => stderr,
    ended: () => exit,
    end: async (signal = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return exit;
    },
  };
};
