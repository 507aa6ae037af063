/**
 * The machine file's `oracle` members (product.md section 2). The file is shared, so other members of `oracle` are passed
 * over; under `oracle.api.*` and `oracle.bundles.*` an unknown member is refused, because a mistyped cap or withhold that
 * was passed over would silently send more.
 */
import { LARGEST_CAP_BYTES } from '../contract/bundle.js';
import { type InputName, KIND_INPUTS, KINDS, type KindName, type ListEntry } from '../contract/item.js';
import { judgeEndpoint } from '../contract/judge-endpoint.js';
import { globProblem } from '../contract/path-glob.js';
import { PROVIDER_NAME } from '../contract/route.js';
import { list, object, record } from './container-shape.js';
import { judged, type Mapped, mapped, type Shape, suggestion, text, type ValueOf } from './shape.js';
import { size } from './size-shape.js';

const CREDENTIAL = /^[a-z0-9._-]{1,64}$/;
const MODEL = /^[A-Za-z0-9._:@+~-]+(?:\/[A-Za-z0-9._:@+~-]+)*$/;
const DENIED = /^[A-Za-z0-9._:@+~-]+(?:\/[A-Za-z0-9._:@+~-]+)*(?:\/\*)?$/;
const AGENT = /^[a-z0-9-]{1,64}$/;
const PROJECT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const LONGEST_MODEL_BYTES = 128;

const PROVIDER_DUE = 'a provider name: 1 to 32 of a-z 0-9 _ -, first a letter or digit';
const CREDENTIAL_DUE = 'a credential name: 1 to 64 of a-z 0-9 . _ -';

const notReserved = (name: string): string | null => (name === 'harness' ? 'is reserved' : null);

export const PROVIDER_NAMES = { due: PROVIDER_DUE, pattern: PROVIDER_NAME, judge: notReserved, most: 16 };
export const CREDENTIAL_NAMES = { due: CREDENTIAL_DUE, pattern: CREDENTIAL, most: 64 };

export const providerName = judged(text({ due: PROVIDER_DUE, pattern: PROVIDER_NAME }), notReserved);
export const model = text({
  due: 'a model id: segments of letters, digits and . _ : @ + ~ - with "/" between them',
  pattern: MODEL,
  mostBytes: LONGEST_MODEL_BYTES,
});

const baseUrl = mapped(text({ due: 'a URL' }), (url) => {
  const judgement = judgeEndpoint(url);
  return judgement.ok ? { ok: true, value: judgement.endpoint } : { ok: false, wrong: judgement.reason };
});

/** The text of a role: a provider and a model, split at the first `/`. `null` for any other text. */
function parseRoute(route: string): { readonly provider: string; readonly model: string } | null {
  const slash = route.indexOf('/');
  const provider = route.slice(0, Math.max(slash, 0));
  const modelId = route.slice(slash + 1);
  const fits = PROVIDER_NAME.test(provider) && MODEL.test(modelId) && modelId.length <= LONGEST_MODEL_BYTES;
  return fits ? { provider, model: modelId } : null;
}

const role = mapped(text({ due: 'a route' }), (route) => {
  const parsed = parseRoute(route);
  if (parsed !== null) return { ok: true, value: parsed };
  return { ok: false, wrong: 'must be "<provider>/<model>"; leave the member out to hand the agent to the host' };
});

export const denylist = list(
  text({
    due: 'a model id, or "vendor/*"',
    pattern: DENIED,
    mostBytes: LONGEST_MODEL_BYTES,
  }),
  { most: 64 },
);

const cap = size(1, LARGEST_CAP_BYTES);
const glob = judged(text({ due: 'a path glob' }), globProblem);
const withhold = list(glob, { most: 256, unique: true });

/** One entry of an owner's list: an input of that kind, or `path:` and a glob. */
function listEntry(kind: KindName): Shape<ListEntry> {
  const inputs: readonly InputName[] = KIND_INPUTS[kind];
  const shape = mapped(text({ due: 'an entry of a list' }), (entry) => readEntry(kind, inputs, entry));
  return { ...shape, schema: { anyOf: [{ enum: inputs }, { type: 'string', pattern: '^path:.' }] } };
}

function readEntry(kind: KindName, inputs: readonly InputName[], entry: string): Mapped<ListEntry> {
  const input = inputs.find((known) => known === entry);
  if (input !== undefined) return { ok: true, value: { kind: 'input', input } };
  const shown = JSON.stringify(entry);
  if (kind === 'reading') return { ok: false, wrong: `is ${shown}; the list of reading is always ["items"]` };
  if (!entry.startsWith('path:')) {
    const takes = `${kind} takes ${inputs.map((known) => `"${known}"`).join(', ')} and "path:<glob>"`;
    return { ok: false, wrong: `is ${shown}; ${takes}${suggestion(entry, inputs)}` };
  }
  const wrong = globProblem(entry.slice('path:'.length));
  if (wrong !== null) return { ok: false, wrong: `is ${shown}, whose glob ${wrong}` };
  return { ok: true, value: { kind: 'path', glob: entry.slice('path:'.length) } };
}

function kindList(kind: KindName): Shape<readonly ListEntry[]> {
  return list(listEntry(kind), { least: 1, most: 256, unique: true });
}

const kinds = object({
  optional: {
    intent_audit: kindList('intent_audit'),
    intent_consistency: kindList('intent_consistency'),
    release_changelog: kindList('release_changelog'),
    reading: kindList('reading'),
    change_review: kindList('change_review'),
    source_question: kindList('source_question'),
  } satisfies Record<KindName, Shape<readonly ListEntry[]>>,
  unknown: 'refuse',
});

const project = object({ optional: { cap, withhold, kinds }, unknown: 'refuse' });

const bundles = object({
  optional: {
    cap,
    withhold,
    projects: record(
      {
        due: 'the full name of a root commit: 40 or 64 lower-case hex digits (git rev-list --max-parents=0 HEAD)',
        pattern: PROJECT,
        most: 1024,
      },
      project,
    ),
  },
  unknown: 'refuse',
});

const provider = object({
  required: { base_url: baseUrl, models: list(model, { least: 1, most: 64 }) },
  optional: { key: text({ due: CREDENTIAL_DUE, pattern: CREDENTIAL }) },
  unknown: 'refuse',
});

export const oracleShape = object({
  optional: {
    api: record(PROVIDER_NAMES, provider),
    roles: record({ due: 'an agent name: 1 to 64 of a-z 0-9 -', pattern: AGENT, most: 256 }, role),
    denylist,
    bundled_context_providers: list(providerName, { most: 16 }),
    bundles,
  },
  unknown: 'ignore',
});

export type OracleMembers = ValueOf<typeof oracleShape>;
type KindMembers = ValueOf<typeof kinds>;

/** The lists that an owner gave, by kind. */
export function givenLists(members: KindMembers | null): ReadonlyMap<KindName, readonly ListEntry[]> {
  const given = new Map<KindName, readonly ListEntry[]>();
  for (const kind of KINDS) {
    const entries = members?.[kind] ?? null;
    if (entries !== null) given.set(kind, entries);
  }
  return given;
}
