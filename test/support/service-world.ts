/** A service in this process over a throw-away home, a repository it may name, and a provider of the project's own. */
import { readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Writable } from 'node:stream';
import { gatherSurroundings, type Surroundings } from '../../src/app/surroundings.js';
import type { ListenAddress } from '../../src/contract/settings.js';
import type { RequestLimits } from '../../src/http/open-server.js';
import { type RunningService, startService } from '../../src/http/start-service.js';
import { type MadeRepository, makeRepository } from './make-repository.js';
import { type MachineObject, openProgramWorld, type ProgramWorld } from './program-world.js';

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body parsed; only for an answer that is JSON. */
  json(): Record<string, unknown>;
}

export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Without the token. */
  readonly isAnonymous?: boolean;
}

export interface ServiceWorld {
  readonly world: ProgramWorld;
  readonly repository: MadeRepository;
  readonly url: string;
  readonly token: string;
  readonly service: RunningService;
  /** Lines of the service's log. */
  readonly log: readonly string[];
  ask(asked: Asked): Promise<ServiceAnswer>;
  /** `fetch` with the token. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The same home and repository under a new service. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface ServiceWorldWords {
  readonly mostRuns?: number;
  readonly listen?: ListenAddress;
  readonly limits?: RequestLimits;
  /** Changes the machine file before the service starts. */
  readonly machine?: (machine: MachineObject, world: ProgramWorld, repository: MadeRepository) => void;
}

/** Surroundings of a home that is not the caller's. */
export const surroundingsIn = (home: string): Surroundings => {
  const never = new AbortController().signal;
  const own = gatherSurroundings({ folder: home, say: () => undefined, signal: never });
  const environment = { PATH: process.env['PATH'] ?? '', HOME: home };
  return { ...own, environment, homeFolder: home };
};

export const openServiceWorld = async (words: ServiceWorldWords = {}): Promise<ServiceWorld> => {
  const world = await openProgramWorld();
  const repository = makeRepository();
  repository.commit('first', { 'src/app.js': 'export const answer = 41;\n' });
  repository.commit('second', { 'src/app.js': 'export const answer = 42;\n' });
  const machine = world.fragment();
  machine.coldseal['service'] = { repositories: [repository.folder] };
  words.machine?.(machine, world, repository);
  world.writeMachine(machine);

  const log: string[] = [];
  const logDestination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      log.push(chunk.toString('utf8'));
      done();
    },
  });
  const start = (): Promise<RunningService> =>
    startService({
      surroundings: surroundingsIn(world.home),
      listen: words.listen ?? null,
      mostRuns: words.mostRuns ?? 8,
      logLevel: 'info',
      logDestination,
      ...(words.limits === undefined ? {} : { limits: words.limits }),
    });
  let service: RunningService;
  let token: string;
  const begin = async (): Promise<void> => {
    service = await start();
    token = readFileSync(service.tokenFile, 'utf8').trim();
  };
  await begin();
  return {
    world,
    repository,
    log,
    get service() {
      return service;
    },
    get url() {
      return service.url;
    },
    get token() {
      return token;
    },
    ask: (asked) => askService(service.url, token, asked),
    fetch: (path, init = {}) =>
      fetch(`${service.url}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
      }),
    restart: async () => {
      await service.close(0);
      await begin();
    },
    close: async () => {
      await service.close(0);
      repository.close();
      await world.close();
    },
  };
};

/** By hand, so that a test may say any Host. */
export const askService = (
  url: string,
  token: string,
  { method, path, headers = {}, body, isAnonymous = false }: Asked,
): Promise<ServiceAnswer> =>
  new Promise((resolve, reject) => {
    const sent = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
    const place = url.startsWith('unix:') ? { socketPath: url.slice('unix:'.length) } : placeOf(url);
    const request = httpRequest(
      {
        ...place,
        path,
        method: method ?? (sent === null ? 'GET' : 'POST'),
        headers: {
          ...(isAnonymous ? {} : { authorization: `Bearer ${token}` }),
          ...(sent === null ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text,
            json: () => JSON.parse(text) as Record<string, unknown>,
          });
        });
      },
    );
    request.on('error', reject);
    request.end(sent ?? undefined);
  });

const placeOf = (url: string) => {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
};
