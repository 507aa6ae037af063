/** Routes and providers after the settings were read and judged. */

export const AGENT_KINDS = {
  'intent-auditor': ['intent_audit', 'intent_consistency'],
  'release-changelog-composer': ['release_changelog'],
  'cold-reading-widening': ['reading'],
  'cold-reading-entailment': ['reading'],
  'cold-reading-comparative': ['reading'],
  'cold-reading-detection': ['reading'],
  'change-reviewer': ['change_review'],
  'source-reader': ['source_question'],
} as const;

/** 1 to 32 of `a-z 0-9 _ -`, first a letter or digit (product.md section 2). `harness` is reserved besides. */
export const PROVIDER_NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

/** Where an endpoint stands, judged from the URL's text alone (product.md section 3). */
export interface Endpoint {
  readonly baseUrl: string;
  /** As the URL parser prints it, e.g. `api.example.com`. */
  readonly host: string;
  readonly port: number;
  readonly remote: boolean;
}

/** A program of the owner's that talks to its own provider: it takes the bundle on its standard input. */
export interface SpawnSettings {
  /** Absolute. */
  readonly program: string;
  /** Arguments; `{{model}}` and `{{output}}` stand for the model asked and the file the answer is due in. */
  readonly args: readonly string[];
  /** What it gets besides the fixed baseline; nothing of our own environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly output: 'stdout' | 'file';
  /** Whether an end without output is a failure or an empty answer. */
  readonly emptyOutput: 'fail' | 'accept';
}

/** One provider with everything that decides a call to it. Frozen. */
export interface ProviderSettings {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** Name of a credential, never its value. */
  readonly credential: string | null;
  readonly models: readonly string[];
  /** Host to `address` or `address:port`, as the owner wrote them. */
  readonly resolve: Readonly<Record<string, string>>;
  readonly caFile: string | null;
  readonly totalTimeoutMs: number;
  /** Model settings from the machine file, closed list. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly maxPromptTokens: number | null;
  readonly usageChunk: boolean;
  /** For a program; its endpoint is then `spawn:` and the program, with no port. `null` for a provider over HTTP. */
  readonly spawn: SpawnSettings | null;
}

export type RouteOrigin = 'flag' | 'repository' | 'machine' | 'none';

export type Route =
  | { readonly kind: 'host'; readonly agent: string; readonly origin: RouteOrigin }
  | {
      readonly kind: 'provider';
      readonly agent: string;
      readonly origin: RouteOrigin;
      readonly provider: ProviderSettings;
      readonly model: string;
    };
