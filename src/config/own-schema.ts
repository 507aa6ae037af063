/**
 * The machine file's `coldseal` members (cli.md, "Machine-file members of ours"). All of them are ours, so every unknown
 * member is refused. Paths are kept as written; `usable-own.ts` makes them absolute against the machine folder.
 */
import { isIP } from 'node:net';
import { LARGEST_CAP_BYTES } from '../contract/bundle.js';
import { isModelSetting, modelSettingProblem } from '../contract/model-setting.js';
import type { CredentialSource, ListenAddress } from '../contract/settings.js';
import { MODEL_SETTINGS } from '../contract/transport.js';
import { list, object, record } from './container-shape.js';
import { dottedPath, type JsonValue, plainValue } from './json-document.js';
import { CREDENTIAL_NAMES, PROVIDER_NAMES, providerName } from './oracle-schema.js';
import { path, pathInFolder } from './path-shape.js';
import { queue } from './queue-schema.js';
import {
  flag,
  judged,
  type Mapped,
  mapped,
  oneOf,
  type Shape,
  suggestion,
  text,
  type ValueOf,
  wholeNumber,
} from './shape.js';
import { size } from './size-shape.js';
import { spawn } from './spawn-schema.js';

const LEAST_TIMEOUT_SECONDS = 900;
const MOST_TIMEOUT_SECONDS = 86_400;
const LARGEST_IN_FLIGHT_BYTES = 4 * 1024 ** 3;

const ADDRESS_DUE = 'an address such as "127.0.0.1", "127.0.0.1:8443", "::1" or "[::1]:8443"';
const address = judged(text({ due: ADDRESS_DUE }), (written) => (isAddress(written) ? null : `must be ${ADDRESS_DUE}`));

function isAddress(written: string): boolean {
  if (isIP(written) !== 0) return true;
  const found = /^(?:\[(?<six>[^\]]+)\]|(?<four>[\d.]+))(?::(?<port>\d{1,5}))?$/.exec(written);
  const { six = '', four = '', port = '1' } = found?.groups ?? {};
  return (isIP(six) === 6 || isIP(four) === 4) && Number(port) >= 1 && Number(port) <= 65_535;
}

const modelSettings: Shape<Readonly<Record<string, JsonValue>>> = {
  schema: { type: 'object', propertyNames: { enum: [...MODEL_SETTINGS] } },
  read: (node, at, note) => {
    if (node.kind !== 'object') {
      note(node, `${dottedPath(at)} must be an object of model settings`);
      return undefined;
    }
    const wrong = node.members.filter((member) => {
      const problem = modelSettingProblem(member.name, plainValue(member.value));
      const near = isModelSetting(member.name) ? '' : suggestion(member.name, MODEL_SETTINGS);
      if (problem !== null) note(member, `${dottedPath([...at, member.name])} ${problem}${near}`);
      return problem !== null;
    });
    if (wrong.length > 0) return undefined;
    return Object.fromEntries(node.members.map((member) => [member.name, plainValue(member.value)]));
  },
};

const provider = object({
  optional: {
    resolve: record({ due: 'a host name', pattern: /^[^\s/:@?#\\]{1,253}$|^\[[0-9a-f:.]+\]$/, most: 16 }, address),
    ca_file: path,
    timeout: wholeNumber({ least: LEAST_TIMEOUT_SECONDS, most: MOST_TIMEOUT_SECONDS, unit: 'seconds' }),
    settings: modelSettings,
    max_prompt_tokens: wholeNumber({ least: 1, most: 1_000_000_000, unit: 'tokens' }),
    usage_chunk: flag,
    spawn,
  },
  unknown: 'refuse',
});

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

const credential: Shape<CredentialSource> = mapped(
  object({
    optional: {
      env: text({ due: 'the name of an environment variable', pattern: VARIABLE }),
      file: pathInFolder,
      keychain: object({
        required: {
          service: text({ due: 'a text', pattern: /^[^\p{Cc}-][^\p{Cc}]*$/u, mostBytes: 256 }),
          account: text({ due: 'a text', pattern: /^[^\p{Cc}-][^\p{Cc}]*$/u, mostBytes: 256 }),
        },
        unknown: 'refuse',
      }),
    },
    unknown: 'refuse',
  }),
  ({ env, file, keychain }) => {
    const sources: CredentialSource[] = [
      ...(env === null ? [] : [{ kind: 'environment', variable: env } as const]),
      ...(file === null ? [] : [{ kind: 'file', path: file } as const]),
      ...(keychain === null ? [] : [{ kind: 'keychain', ...keychain } as const]),
    ];
    const [only] = sources;
    if (only !== undefined && sources.length === 1) return { ok: true, value: only };
    return { ok: false, wrong: `names ${sources.length} sources; it must name exactly one of env, file, keychain` };
  },
);

const absolutePath = judged(path, (written) =>
  written.startsWith('/') ? null : 'must be an absolute path: no search path is asked',
);

const allowed = object({
  required: {
    fingerprint: text({ due: 'a fingerprint as `scan --format json` prints it', pattern: /^[\w:.=+/-]{1,256}$/ }),
    reason: text({ due: 'a reason', mostBytes: 1024 }),
  },
  unknown: 'refuse',
});

const privatePattern = object({
  required: {
    id: text({ due: 'an id of a-z 0-9 _ . -', pattern: /^[a-z0-9][a-z0-9_.-]{0,63}$/ }),
    pattern: text({ due: 'an RE2 pattern' }),
  },
  optional: { severity: oneOf(['block', 'warn']) },
  unknown: 'refuse',
});

const privatePatterns = judged(list(privatePattern, { most: 256 }), (patterns) => {
  const ids = patterns.map((one) => one.id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  return twice === undefined ? null : `has two patterns with the id "${twice}"`;
});

const LISTEN_DUE = '"host:port", or "unix:" and the absolute path of a socket';

/** The grammar of an address, for whoever takes one besides the machine file. */
export const parseListenAddress = (written: string): Mapped<ListenAddress> => {
  if (written.startsWith('unix:/')) return { ok: true, value: { kind: 'socket', path: written.slice('unix:'.length) } };
  const found = /^(?<host>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):(?<port>\d{1,5})$/.exec(written);
  const { host, port } = found?.groups ?? {};
  if (host === undefined || Number(port) > 65_535) return { ok: false, wrong: `must be ${LISTEN_DUE}` };
  return { ok: true, value: { kind: 'tcp', host: host.replace(/^\[|\]$/g, ''), port: Number(port) } };
};

const listen = mapped<string, ListenAddress>(text({ due: LISTEN_DUE }), parseListenAddress);

const service = object({
  optional: {
    listen,
    allow_hosts: list(text({ due: 'a host name', pattern: /^[^\s/@?#\\]+$/, mostBytes: 253 }), {
      most: 64,
      unique: true,
    }),
    repositories: list(path, { most: 1024, unique: true }),
    token_file: path,
    tls: object({ required: { cert_file: path, key_file: path }, unknown: 'refuse' }),
  },
  unknown: 'refuse',
});

export const ownShape = object({
  optional: {
    threads: wholeNumber({ least: 1, most: 256, unit: 'threads' }),
    in_flight_bytes: size(1, LARGEST_IN_FLIGHT_BYTES),
    families: object({ optional: { identity: flag, network: flag, harness: flag }, unknown: 'refuse' }),
    allow: list(allowed, { most: 4096 }),
    rules_dir: path,
    private: privatePatterns,
    records_dir: path,
    credentials: record(CREDENTIAL_NAMES, credential),
    providers: record(PROVIDER_NAMES, provider),
    service,
    queue,
    augmenter: object({ required: { path: absolutePath }, unknown: 'refuse' }),
    gate: object({
      required: { providers: list(providerName, { most: 16, unique: true }) },
      optional: { cap: size(1, LARGEST_CAP_BYTES), admit_opaque: flag },
      unknown: 'refuse',
    }),
  },
  unknown: 'refuse',
});

export type OwnMembers = ValueOf<typeof ownShape>;
export type OwnProviderMembers = ValueOf<typeof provider>;
