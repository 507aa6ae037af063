/**
 * Settings as usable: both files read, judged, merged and frozen. No member is optional after the defaults; a stage takes
 * its section, never the whole.
 */
import type { Family } from './finding.js';
import type { KindName, ListEntry } from './item.js';
import type { ProviderSettings } from './route.js';

export interface ProjectBundles {
  readonly capBytes: number | null;
  readonly withhold: readonly string[];
  readonly kinds: ReadonlyMap<KindName, readonly ListEntry[]>;
}

export interface BundleSettings {
  /** The machine's own cap, or `null` for the default. */
  readonly capBytes: number | null;
  readonly withhold: readonly string[];
  /** By full object name of a root commit. */
  readonly projects: ReadonlyMap<string, ProjectBundles>;
}

/** `"<provider>/<model>"`, split at the first `/`, with where it was written. */
export interface RoleRoute {
  readonly agent: string;
  readonly provider: string;
  readonly model: string;
}

/** A repository's route as its text; admission judges it. */
export interface RepositoryRole {
  readonly agent: string;
  readonly text: string;
}

/** Settings of an agent's model in `.abcd/config/oracle-routing.json`. */
export interface RepositoryAgentSettings {
  readonly agent: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

export type CredentialSource =
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'keychain'; readonly service: string; readonly account: string };

export interface AllowedFingerprint {
  readonly fingerprint: string;
  readonly reason: string;
}

export interface PrivatePattern {
  readonly id: string;
  readonly pattern: string;
  readonly severity: 'block' | 'warn';
}

/** Where the service listens: `host:port`, or a socket in the file system. */
export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'socket'; readonly path: string };

/** `coldseal.service`; `null` members leave the service's own default. Paths are absolute. */
export interface ServiceSettings {
  readonly listen: ListenAddress | null;
  readonly allowHosts: readonly string[];
  /** Folders a request may name a repository in. */
  readonly repositories: readonly string[];
  readonly tokenFile: string | null;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
}

/** How much of one provider's work may run: on all machines together. */
export interface LaneLimits {
  readonly concurrency: number | null;
  /** Jobs a minute. */
  readonly rate: number | null;
}

/** `coldseal.queue`. The URL may hold a password: it is never shown. */
export interface QueueSettings {
  readonly url: string | null;
  /** Names of credentials: of Redis, and of the key that signs jobs. */
  readonly password: string | null;
  readonly key: string | null;
  /** A worker that says nothing for so long has lost its jobs. */
  readonly leaseMs: number;
  /** Jobs at once of one worker, in each lane. */
  readonly concurrency: number | null;
  /** Jobs a minute in each lane whose provider names no rate of its own. */
  readonly rate: number | null;
  readonly providers: ReadonlyMap<string, LaneLimits>;
  /** Folders a job may name a repository in; those of the service where it is not set. Absolute. */
  readonly repositories: readonly string[];
  /** URLs a job may name, letter for letter. */
  readonly clones: readonly string[];
  readonly clonesFolder: string;
  /** Most bytes of all cached clones together. */
  readonly clonesCapBytes: number;
}

/** `coldseal.gate`: off for every provider it does not name. */
export interface GateSettings {
  readonly providers: ReadonlySet<string>;
  readonly capBytes: number | null;
  /** Images and other parts that cannot be scanned may pass. */
  readonly admitOpaque: boolean;
}

export interface OwnSettings {
  readonly threads: number;
  readonly inFlightBytes: number;
  /** Owner's switch; `null` leaves the kind's own default. */
  readonly families: Readonly<Record<Exclude<Family, 'secret' | 'private'>, boolean | null>>;
  readonly allow: readonly AllowedFingerprint[];
  readonly rulesFolder: string | null;
  readonly private: readonly PrivatePattern[];
  readonly recordsFolder: string;
  readonly credentials: ReadonlyMap<string, CredentialSource>;
  readonly service: ServiceSettings;
  readonly queue: QueueSettings;
  /** Program of `coldseal.augmenter.path`, absolute. */
  readonly augmenter: string | null;
  readonly gate: GateSettings;
}

export interface Settings {
  /** Absolute, also where no such file is. */
  readonly machineFile: string;
  readonly machineFolder: string;
  /** `sha256:` + hex over the bytes read, or `null` when the file is missing. */
  readonly machineDigest: string | null;
  readonly repositoryFile: string | null;
  readonly providers: ReadonlyMap<string, ProviderSettings>;
  readonly roles: ReadonlyMap<string, RoleRoute>;
  /** Machine entries, then repository entries, each with its file. */
  readonly denylist: readonly { readonly entry: string; readonly file: string }[];
  readonly bundledContextProviders: ReadonlySet<string>;
  readonly bundles: BundleSettings;
  readonly own: OwnSettings;
  readonly repositoryRoles: readonly RepositoryRole[];
  readonly repositoryAgentSettings: readonly RepositoryAgentSettings[];
  /** Lines for stderr: what was ignored and where it is set. */
  readonly notices: readonly string[];
}
