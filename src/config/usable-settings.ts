/**
 * The second step: members as typed become settings as usable. Defaults are filled in, paths are made absolute against
 * the machine folder, the two places that describe a provider become one, and nothing is optional any more.
 */
import { join, resolve } from 'node:path';
import type { ProviderSettings, SpawnSettings } from '../contract/route.js';
import type {
  BundleSettings,
  CredentialSource,
  LaneLimits,
  OwnSettings,
  QueueSettings,
  RoleRoute,
} from '../contract/settings.js';
import type { MachineMembers } from './machine-schema.js';
import { givenLists, type OracleMembers } from './oracle-schema.js';
import type { OwnMembers, OwnProviderMembers } from './own-schema.js';
import type { SpawnMembers } from './spawn-schema.js';

/** Total time of a call: 30 minutes (provider.md, "Time"). */
const DEFAULT_TIMEOUT_SECONDS = 1800;
/** Bytes of items in flight: 64 MiB (cli.md). */
const DEFAULT_IN_FLIGHT_BYTES = 64 * 1024 * 1024;
/** A worker that says nothing for so long has lost its jobs. */
const DEFAULT_LEASE_SECONDS = 30;
/** Cached clones of a worker: 10 GiB. */
const DEFAULT_CLONES_BYTES = 10 * 1024 * 1024 * 1024;
/** Under the machine folder. */
const DEFAULT_CLONES_FOLDER = join('coldseal', 'clones');
const DEFAULT_RECORDS_FOLDER = join('coldseal', 'records');

export interface UsableSettings {
  readonly providers: ReadonlyMap<string, ProviderSettings>;
  readonly roles: ReadonlyMap<string, RoleRoute>;
  readonly denylist: readonly string[];
  readonly bundledContextProviders: ReadonlySet<string>;
  readonly bundles: BundleSettings;
  readonly own: OwnSettings;
}

/** `members` is `null` where there is no machine file: the defaults. */
export function usableSettings(
  members: MachineMembers | null,
  facts: { readonly machineFolder: string; readonly cores: number },
): UsableSettings {
  const oracle = members?.oracle ?? null;
  const own = members?.coldseal ?? null;
  return {
    providers: usableProviders(oracle, own, facts.machineFolder),
    roles: new Map([...(oracle?.roles ?? [])].map(([agent, route]) => [agent, { agent, ...route }])),
    denylist: oracle?.denylist ?? [],
    bundledContextProviders: new Set(oracle?.bundled_context_providers ?? []),
    bundles: usableBundles(oracle),
    own: usableOwn(own, facts),
  };
}

function usableProviders(
  oracle: OracleMembers | null,
  own: OwnMembers | null,
  machineFolder: string,
): ReadonlyMap<string, ProviderSettings> {
  const providers = new Map<string, ProviderSettings>();
  for (const [name, block] of oracle?.api ?? []) {
    const more: OwnProviderMembers | null = own?.providers?.get(name) ?? null;
    const caFile = more?.ca_file ?? null;
    providers.set(name, {
      name,
      endpoint: block.base_url,
      credential: block.key,
      models: block.models,
      resolve: Object.fromEntries([...(more?.resolve ?? [])].map(([host, address]) => [printedHost(host), address])),
      caFile: caFile === null ? null : resolve(machineFolder, caFile),
      totalTimeoutMs: (more?.timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
      settings: more?.settings ?? {},
      maxPromptTokens: more?.max_prompt_tokens ?? null,
      usageChunk: more?.usage_chunk ?? true,
      spawn: null,
    });
  }
  for (const [name, block] of own?.providers ?? []) {
    if (block.spawn !== null) providers.set(name, spawnedProvider(name, block, block.spawn));
  }
  return providers;
}

function spawnedProvider(
  name: string,
  block: OwnProviderMembers,
  { models, runsOn, ...spawn }: SpawnMembers,
): ProviderSettings {
  return {
    name,
    endpoint: {
      baseUrl: `spawn:${spawn.program}`,
      host: spawnDestination(spawn),
      port: 0,
      remote: runsOn === 'remote',
    },
    credential: null,
    models,
    resolve: {},
    caFile: null,
    totalTimeoutMs: (block.timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    settings: {},
    maxPromptTokens: block.max_prompt_tokens,
    usageChunk: false,
    spawn,
  };
}

/** The program, with every host that its arguments or variables name. */
function spawnDestination({ program, args, environment }: SpawnSettings): string {
  const texts = [...args, ...Object.values(environment)];
  const hosts = texts.flatMap((text) => [...text.matchAll(/\bhttps?:\/\/[^\s"'<>]+/gi)].map(([url]) => url));
  const named = new Set(hosts.filter((url) => URL.canParse(url)).map((url) => new URL(url).hostname));
  return named.size === 0 ? program : `${program}, which names ${[...named].join(', ')}`;
}

/** A host as the URL parser prints it, so that it meets the endpoint's in any letter case or script. */
function printedHost(host: string): string {
  return URL.canParse(`https://${host}/`) ? new URL(`https://${host}/`).hostname : host;
}

function usableBundles(oracle: OracleMembers | null): BundleSettings {
  const bundles = oracle?.bundles ?? null;
  const projects = [...(bundles?.projects ?? [])].map(
    ([key, project]) =>
      [key, { capBytes: project.cap, withhold: project.withhold ?? [], kinds: givenLists(project.kinds) }] as const,
  );
  return { capBytes: bundles?.cap ?? null, withhold: bundles?.withhold ?? [], projects: new Map(projects) };
}

function usableOwn(
  own: OwnMembers | null,
  facts: { readonly machineFolder: string; readonly cores: number },
): OwnSettings {
  const absolute = (path: string): string => resolve(facts.machineFolder, path);
  const absoluteOrNull = (path: string | null | undefined): string | null => (path ? absolute(path) : null);
  const service = own?.service ?? null;
  const tls = service?.tls ?? null;
  return {
    threads: own?.threads ?? Math.max(1, facts.cores),
    inFlightBytes: own?.in_flight_bytes ?? DEFAULT_IN_FLIGHT_BYTES,
    families: own?.families ?? { identity: null, network: null, harness: null },
    allow: own?.allow ?? [],
    rulesFolder: absoluteOrNull(own?.rules_dir),
    private: (own?.private ?? []).map((one) => ({ ...one, severity: one.severity ?? 'block' })),
    recordsFolder: absolute(own?.records_dir ?? DEFAULT_RECORDS_FOLDER),
    credentials: new Map([...(own?.credentials ?? [])].map(([name, source]) => [name, usableSource(source, absolute)])),
    service: {
      listen: service?.listen ?? null,
      allowHosts: service?.allow_hosts ?? [],
      repositories: (service?.repositories ?? []).map(absolute),
      tokenFile: absoluteOrNull(service?.token_file),
      tls: tls === null ? null : { certFile: absolute(tls.cert_file), keyFile: absolute(tls.key_file) },
    },
    queue: usableQueue(own?.queue ?? null, service?.repositories ?? [], absolute),
    augmenter: absoluteOrNull(own?.augmenter?.path),
    gate: {
      providers: new Set(own?.gate?.providers ?? []),
      capBytes: own?.gate?.cap ?? null,
      admitOpaque: own?.gate?.admit_opaque ?? false,
    },
  };
}

function usableQueue(
  queue: OwnMembers['queue'] | null,
  served: readonly string[],
  absolute: (path: string) => string,
): QueueSettings {
  return {
    url: queue?.url ?? null,
    password: queue?.password ?? null,
    key: queue?.key ?? null,
    leaseMs: (queue?.lease ?? DEFAULT_LEASE_SECONDS) * 1000,
    concurrency: queue?.concurrency ?? null,
    rate: queue?.rate ?? null,
    providers: queue?.providers ?? new Map<string, LaneLimits>(),
    repositories: (queue?.repositories ?? served).map(absolute),
    clones: queue?.clones ?? [],
    clonesFolder: absolute(queue?.clones_dir ?? DEFAULT_CLONES_FOLDER),
    clonesCapBytes: queue?.clones_cap ?? DEFAULT_CLONES_BYTES,
  };
}

function usableSource(source: CredentialSource, absolute: (path: string) => string): CredentialSource {
  return source.kind === 'file' ? { ...source, path: absolute(source.path) } : source;
}
