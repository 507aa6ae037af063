/**
 * Everything before a connection: the destination judged, the body read, scanned, blanked and weighed. Nothing is written
 * here; every refusal is thrown.
 */
import { requireModel } from '../../admission/judge-model.js';
import { knownCredentialValues, resolveCredential } from '../../config/resolve-credential.js';
import type { Cap } from '../../contract/bundle.js';
import { ColdsealError } from '../../contract/error.js';
import type { ProviderSettings } from '../../contract/route.js';
import type { Scanner } from '../../contract/scan.js';
import type { Settings } from '../../contract/settings.js';
import type { Credential } from '../../contract/transport.js';
import type { GateRequest } from '../../gate/gate-request.js';
import { MOST_VALUES, readingRequest, refuseAmbiguous } from '../../gate/read-request.js';
import { inTurns } from '../../gate/steps.js';
import { refuseSecretSettings } from '../../pipeline/check-settings.js';
import { needsConsent, requireConsent } from '../consent.js';
import { allowedFingerprints } from '../fingerprints.js';
import { widenScanner } from '../open-run-scanner.js';
import { type ByteGate, createByteGate } from '../scan/byte-gate.js';
import type { SharedArena } from '../scan/shared-arena.js';
import { familiesOf, identityOf, makeProfile, ownersRules } from '../scan-profile.js';
import type { Surroundings } from '../surroundings.js';
import type { GateCall } from './gate-call.js';
import { callHeaders, travellingHeaders } from './gate-format.js';
import { refuseLarge } from './gate-limits.js';
import type { GateBundle, GateFigures } from './gate-rows.js';
import { type BodyShare, readBody } from './read-body.js';
import { type SettledRequest, settleRequest } from './settle-request.js';

export interface GateTools {
  readonly surroundings: Surroundings;
  readonly scanner: Scanner;
  readonly arena: SharedArena;
  /** What requests that are looked at hold together. */
  readonly looks: ByteGate;
}

const MOST_LOOK_BYTES = 512 * 1024 * 1024;
/** Of a value as it is looked at: its place, its surface, its text. Measured with lists of numbers and of short strings. */
const VALUE_BYTES = 640;

export const createLooks = (): ByteGate => createByteGate(MOST_LOOK_BYTES);

/** The most memory that looking at a body may take: the body, its surfaces, what is written anew, and its values. */
const lookBytes = (bytes: number): number => 4 * bytes + VALUE_BYTES * Math.min(bytes / 2, MOST_VALUES);

export interface PreparedCall {
  readonly bundle: GateBundle;
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: Credential | null;
  /** Digest of the scan's profile. */
  readonly rules: string;
  readonly figures: GateFigures;
}

export interface Destined {
  readonly settings: Settings;
  readonly provider: ProviderSettings;
  readonly cap: Cap;
}

/** Any refusal. `onModel` hears the model's name as soon as the owner's list has it, for the record of a refusal. */
export const prepareCall = async (
  tools: GateTools,
  call: GateCall,
  { settings, provider, cap }: Destined,
  share: BodyShare,
  onModel: (model: string) => void,
): Promise<PreparedCall> => {
  const { environment, uid } = tools.surroundings;
  const credential =
    provider.credential === null ? null : await resolveCredential(provider.credential, { settings, environment, uid });
  if (needsConsent(provider)) await requireConsent(provider, settings, tools.surroundings);
  refuseEncoded(call);
  const raw = await readBody(call.body, cap, share, call.signal);
  const leave = await tools.looks.enter(lookBytes(raw.length));
  try {
    call.signal.throwIfAborted();
    return await look(tools, call, { settings, provider, cap }, raw, credential, onModel);
  } finally {
    leave();
  }
};

const look = async (
  tools: GateTools,
  call: GateCall,
  { settings, provider, cap }: Destined,
  raw: Uint8Array,
  credential: Credential | null,
  onModel: (model: string) => void,
): Promise<PreparedCall> => {
  const asked = await inTurns(readingRequest(raw), call.signal);
  refuseAmbiguous(asked);
  const model = modelOf(asked);
  requireModel(provider, model, settings);
  onModel(model);
  refuseOpaque(asked, settings);
  const { settled, rules, scanMs } = await scan(tools, call, settings, asked);
  const body = settled.request.document.bytes;
  refuseLarge(cap, raw.length, body.length, settled.request.items, provider);
  const { texts, scannedBytes } = settled;
  return {
    bundle: {
      provider,
      model,
      path: call.path,
      cap,
      rawItems: asked.items,
      items: settled.request.items,
      opaqueItems: new Set(asked.opaque.map(({ item }) => item)),
      texts,
      rawBytes: raw.length,
      body,
    },
    headers: callHeaders(call.format, call.headers, credential),
    credential,
    rules,
    figures: { scannedBytes, scanMs },
  };
};

const refuseEncoded = ({ headers }: GateCall): void => {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return;
  throw new ColdsealError('USAGE', 'The body is compressed; send it as it is. Nothing was sent.');
};

const modelOf = ({ model }: GateRequest): string => {
  if (model !== null) return model;
  throw new ColdsealError('USAGE', 'The request names no model. Nothing was sent.');
};

const refuseOpaque = ({ opaque, items }: GateRequest, { own }: Settings): void => {
  const [first] = opaque;
  if (first === undefined || own.gate.admitOpaque) return;
  throw new ColdsealError(
    'SCAN_FAILED',
    `${items[first.item]?.label ?? 'The request'} holds ${articled(first.what)}, which cannot be scanned. Nothing was sent; leave it out, or set coldseal.gate.admit_opaque in the machine file.`,
    { facts: { bound: 'opaque', parts: opaque.length, key: 'coldseal.gate.admit_opaque' } },
  );
};

const articled = (what: string): string =>
  what.startsWith('image') ? `an ${what}` : what.startsWith('file') ? what : `a ${what}`;

interface Scanned {
  readonly settled: SettledRequest;
  readonly rules: string;
  readonly scanMs: number;
}

const scan = async (tools: GateTools, call: GateCall, settings: Settings, asked: GateRequest): Promise<Scanned> => {
  const { surroundings, arena } = tools;
  const scanner = await widenScanner(tools.scanner, { ...surroundings, signal: call.signal }, settings.own);
  const { environment, uid, monotonicMs } = surroundings;
  const startMs = monotonicMs();
  const profile = makeProfile({
    rulesDigest: scanner.rulesDigest,
    families: familiesOf('change_review', settings.own.families),
    identity: identityOf(surroundings, { names: [], emails: [] }),
    ownerRules: (await ownersRules(settings.own)).rules,
  });
  const credentials = await knownCredentialValues(settings, environment, uid);
  const knownValues = credentials.map(({ name, value }) => ({ name, bytes: Buffer.from(value, 'utf8') }));
  const isAllowed = await allowedFingerprints(settings, uid);
  const work = { scanner, profile, isAllowed, knownValues };
  await refuseSecretSettings(travellingHeaders(call.format, call.headers), work);
  const lease = arena.lease();
  try {
    const bounds = { most: 2 * scanner.threads, mostBytes: settings.own.inFlightBytes, signal: call.signal };
    const settled = await settleRequest({ ...work, bounds, lease }, asked);
    return { settled, rules: profile.digest, scanMs: monotonicMs() - startMs };
  } finally {
    lease.release();
  }
};
