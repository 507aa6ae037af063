/**
 * The files that start a fleet, without a container runtime: what they name exists, and their command lines are run by the
 * built program, with the credentials under the names they give and a Redis with the words they give it.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { VERSION } from '../../src/contract/version.js';
import { makeProgramHome } from '../support/program-home.js';
import { programFile } from '../support/run-coldseal.js';
import { isWithoutRedis, startRedis } from '../support/start-redis.js';
import { until } from '../support/until.js';

const configFolder = join(import.meta.dirname, '..', '..', 'config');
const textOf = (name: string): string => readFileSync(join(configFolder, name), 'utf8');

interface Part {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
}

interface Container {
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string }[];
}

const compose = parse(textOf('compose.yaml'), { merge: true }) as { readonly services: Readonly<Record<string, Part>> };
const part = (name: string): Part => compose.services[name] ?? { image: 'none' };
const [workers] = parseAllDocuments(textOf('kubernetes/workers.yaml')).map((document) => document.toJS());
const pod = workers.spec.template.spec as {
  readonly terminationGracePeriodSeconds: number;
  readonly initContainers: readonly Container[];
  readonly containers: readonly Container[];
};
const [podWorker] = pod.containers;

/** The default of `${NAME:-default}`. */
const settled = (text: string): string => text.replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1');

/** The words with the queue's address replaced by the test's. */
const at = (url: string, words: readonly string[]): string[] =>
  words.map((word, index) => (words[index - 1] === '--queue' ? url : word));

const drainSeconds = (words: readonly string[] = []): number => Number(words[words.indexOf('--drain-timeout') + 1]);

describe('the files that start a fleet', () => {
  it('name every image with an exact version, and our own with this one', () => {
    const images = [...Object.values(compose.services), ...pod.initContainers, ...pod.containers].map(({ image }) =>
      settled(image),
    );
    expect(images.length).toBeGreaterThanOrEqual(8);
    for (const image of images) expect(image).toMatch(/^[a-z/]+:v?\d+\.\d+\.\d+$/);
    const own = images.filter((image) => image.startsWith('coldseal:'));
    expect([own.length, new Set(own)]).toEqual([5, new Set([`coldseal:${VERSION}`])]);
    expect(textOf('Dockerfile')).toContain(`-t coldseal:${VERSION} .`);
  });

  it('mount files of ours that are there', () => {
    const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) =>
      volumes.filter((one) => one.startsWith('./')),
    );
    expect(mounted.length).toBe(2);
    for (const one of mounted) expect(existsSync(join(configFolder, one.split(':')[0] ?? ''))).toBe(true);
  });

  it('give workers more time to end than they take to drain', () => {
    expect(Number.parseInt(part('worker-1').stop_grace_period ?? '', 10) * 60).toBeGreaterThan(
      drainSeconds(part('worker-1').command),
    );
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds(podWorker?.args));
  });

  it('scrape the service where it listens, and scale by a figure that it has', () => {
    const { scrape_configs: scrapes } = parse(textOf('prometheus.yaml')) as {
      readonly scrape_configs: readonly {
        readonly static_configs: readonly { readonly targets: readonly string[] }[];
      }[];
    };
    const words = part('service').command ?? [];
    expect(scrapes[0]?.static_configs[0]?.targets).toEqual([words[words.indexOf('--listen') + 1]]);
    const scale = parse(textOf('kubernetes/scale.yaml')) as {
      readonly spec: {
        readonly scaleTargetRef: { readonly name: string };
        readonly triggers: readonly { readonly metadata: { readonly query: string } }[];
      };
    };
    expect(scale.spec.scaleTargetRef.name).toBe(workers.metadata.name);
    const [name = ''] = /coldseal_\w+/.exec(scale.spec.triggers[0]?.metadata.query ?? '') ?? [];
    expect(readFileSync(join(import.meta.dirname, '../../src/telemetry/metric-table.ts'), 'utf8')).toContain(
      `'${name}'`,
    );
  });

  it.skipIf(isWithoutRedis)('hold command lines that this program runs', { timeout: 120_000 }, async () => {
    const [password, key] = [randomBytes(16).toString('hex'), randomBytes(32).toString('hex')];
    // The log's mode is what Valkey may leave and this Redis may not.
    const words = (part('valkey').command ?? [])
      .slice(1)
      .map((word) => word.replace(/^\$\{QUEUE_PASSWORD\}$/, password));
    const redis = await startRedis([...words, '--appendfsync', 'always'], password);
    const home = makeProgramHome({ coldseal: { queue: { key: 'fleet', password: 'queue_password' } } });
    const start = (names: readonly string[], line: readonly string[]) => {
      const values: Readonly<Record<string, string>> = {
        COLDSEAL_KEY_FLEET: key,
        COLDSEAL_KEY_QUEUE_PASSWORD: password,
      };
      const own = names.filter((name) => name.startsWith('COLDSEAL_KEY_') && name in values);
      const child = spawn(process.execPath, [programFile, ...line], {
        cwd: home.home,
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: home.home,
          ...Object.fromEntries(own.map((name) => [name, values[name]])),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const said = { out: '', err: '' };
      child.stdout.on('data', (chunk: Buffer) => {
        said.out += chunk.toString('utf8');
      });
      child.stderr.on('data', (chunk: Buffer) => {
        said.err += chunk.toString('utf8');
      });
      return { child, said, exit: once(child, 'exit') };
    };
    try {
      for (const [names, line] of [
        [Object.keys(part('worker-1').environment ?? {}), part('worker-1').command ?? []],
        [Object.keys(part('worker-2').environment ?? {}), part('worker-2').command ?? []],
        [podWorker?.env?.map(({ name }) => name) ?? [], podWorker?.args ?? []],
      ] as const) {
        const worker = start(names, [...at(redis.url, line), '--until-empty']);
        expect([await worker.exit, worker.said.err]).toEqual([[0, null], expect.stringContaining('takes from')]);
      }
      const listen = (part('service').command ?? []).map((word) => word.replace(/:8787$/, ':0'));
      const service = start(Object.keys(part('service').environment ?? {}), at(redis.url, listen));
      await until('the service', () => service.said.out.includes('\n'));
      expect((await fetch(`${service.said.out.trim()}/readyz`)).status).toBe(200);
      service.child.kill('SIGTERM');
      await service.exit;
    } finally {
      await redis.close();
      home.remove();
    }
  });
});
