/** A real Redis for one test: on a free port, in a folder of its own, its log on disk before it answers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { findProgram, isWithout, needProgram } from './find-program.js';

export interface TestRedis {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  /** Runs commands past the code under test. */
  admin<T>(call: (redis: Redis) => Promise<T>): Promise<T>;
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Stops it where it stands, or lets it go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Starts it again on the same port and files; resolves once it answers. `also` are words for this start alone. */
  start(also?: readonly string[]): Promise<void>;
  /** What it wrote to its log file. */
  log(): string;
  close(): Promise<void>;
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

const server = findProgram('redis-server');

export const isWithoutRedis = isWithout(server);

const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always'] as const;

/** `more` are words of the server's command line, such as `--requirepass`; the last of a name counts. */
export const startRedis = async (more: readonly string[] = [], password: string | null = null): Promise<TestRedis> => {
  const folder = mkdtempSync(join(tmpdir(), 'coldseal-redis-'));
  const port = await freePort();
  const logFile = join(folder, 'redis.log');
  let child: ChildProcess | null = null;

  const admin = async <T>(call: (redis: Redis) => Promise<T>): Promise<T> => {
    const redis = new Redis(port, '127.0.0.1', {
      maxRetriesPerRequest: 100,
      retryStrategy: () => 50,
      ...(password === null ? {} : { password }),
    });
    redis.on('error', () => undefined);
    try {
      return await call(redis);
    } finally {
      redis.disconnect();
    }
  };
  const start = async (also: readonly string[] = []): Promise<void> => {
    const words = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--logfile', logFile];
    child = spawn(needProgram('redis-server', server), [...words, ...DURABLE, ...more, ...also], { stdio: 'ignore' });
    child.on('error', () => undefined);
    await admin(async (redis) => {
      while ((await redis.ping()) !== 'PONG') await pause(20);
    });
  };
  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null) return;
    const ended = once(running, 'exit');
    running.kill(signal);
    await ended;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}/0`,
    port,
    folder,
    admin,
    kill,
    signal: (name) => child?.kill(name),
    start,
    log: () => readFileSync(logFile, 'utf8'),
    close: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
