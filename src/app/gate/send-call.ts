/**
 * From a prepared call to its answer: start row, second reading of the machine file, connection, and the answer passed on
 * as it comes. After the start row one end row follows, whatever happens; there is no second try here, the client has its
 * own. Opening the line while the row is written saved a millisecond and was rejected: nobody is asked before it is recorded.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ColdsealError } from '../../contract/error.js';
import type { RecordStore } from '../../contract/record.js';
import { proxySettings } from '../../dispatch/proxy.js';
import { reportedName } from '../../dispatch/quote.js';
import type { RelayedAnswer } from '../../dispatch/relay-call.js';
import type { TrustedRoots } from '../../dispatch/secure-socket.js';
import type { TlsSessions } from '../../dispatch/tls-sessions.js';
import { codedOr, noteSent, nothingSent } from '../../pipeline/send-progress.js';
import { consentOfRun, needsConsent } from '../consent.js';
import { proxyShown } from '../open-transport.js';
import { readMachineSettings } from '../read-settings-here.js';
import { tapAnswer } from './answer-tap.js';
import { type CallEnd, endCall, type GateEnding, type SeenAnswer } from './end-call.js';
import type { GateCall, GateReply } from './gate-call.js';
import { type GateListener, refuseLoop, requireSameGate } from './gate-destination.js';
import { errorIn, passedHeaders, statusErrorIn } from './gate-format.js';
import { gateRoute, gateStartRow, recordedGateBundle } from './gate-rows.js';
import type { Destined, GateTools, PreparedCall } from './prepare-call.js';

export interface SendTools extends GateTools {
  readonly records: RecordStore;
  readonly trustedRoots: TrustedRoots;
  readonly sessions: TlsSessions;
  readonly listener: () => GateListener | null;
  /** Told of an answer that passes through; it resolves when the answer's end is recorded. */
  readonly pending: (end: Promise<void>) => void;
}

/** `RECORD_UNWRITABLE` before anything is sent; every other end is a reply. */
export const sendCall = async (
  tools: SendTools,
  call: GateCall,
  id: string,
  destined: Destined,
  prepared: PreparedCall,
): Promise<GateReply> => {
  const { surroundings, records } = tools;
  const { provider, model } = prepared.bundle;
  const proxy = await proxyShown(provider.endpoint, surroundings);
  const bundle = recordedGateBundle(prepared.bundle);
  const route = gateRoute(provider, model, proxy);
  await records.append(id, gateStartRow(route, bundle, prepared.rules, prepared.figures));
  const ending: GateEnding = {
    id,
    records,
    say: surroundings.say,
    proxy,
    progress: { ...nothingSent(), attempts: 1 },
    signal: call.signal,
    monotonicMs: surroundings.monotonicMs,
    startMs: surroundings.monotonicMs(),
  };
  const told = { 'x-coldseal-record': id, 'x-coldseal-blanked': String(bundle.blanked.length) };
  try {
    const relayed = await connect(tools, call, destined, prepared, ending);
    ending.progress.request = 'answered';
    return await passAnswer(tools, call, ending, relayed, told);
  } catch (error) {
    await endCall(ending, { kind: 'failed', error }, NOTHING_SEEN);
    const failure = call.signal.aborted ? new ColdsealError('CANCELLED', 'The client left.') : codedOr(error);
    const written = errorIn(call.format, failure);
    return { ...written, headers: { ...written.headers, ...told } };
  }
};

const NOTHING_SEEN: SeenAnswer = { tap: null, firstByteMs: null, generationId: null };

const connect = async (
  tools: SendTools,
  call: GateCall,
  { settings }: Destined,
  { bundle, headers, credential }: PreparedCall,
  { progress, monotonicMs }: GateEnding,
): Promise<RelayedAnswer> => {
  const { surroundings } = tools;
  const { environment } = surroundings;
  const consent = consentOfRun(surroundings);
  const { name } = bundle.provider;
  const again = (await readMachineSettings(surroundings)).settings;
  const provider = requireSameGate(settings, name, again);
  if (needsConsent(provider)) await consent.confirm(provider, again);
  const { relayCall } = await import('../../dispatch/relay-call.js');
  try {
    return await relayCall({
      provider,
      path: call.path,
      headers,
      body: bundle.body,
      secrets: credential === null ? [] : [credential.value],
      proxy: proxySettings(environment),
      extraCaFile: environment['NODE_EXTRA_CA_CERTS'] ?? null,
      trustedRoots: tools.trustedRoots,
      sessions: tools.sessions,
      clock: monotonicMs,
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
      beforeBody: async (line) => {
        if (line !== null) refuseLoop(line, tools.listener(), name);
      },
      onSent: (sent) => noteSent(progress, sent),
      signal: call.signal,
    });
  } catch (error) {
    if (progress.request === 'unsent') await consent.takeBack();
    throw error;
  }
};

/** Most bytes of an error that are passed on. */
const ERROR_BYTES = 256 * 1024;

const passAnswer = async (
  tools: SendTools,
  call: GateCall,
  ending: GateEnding,
  relayed: RelayedAnswer,
  told: Readonly<Record<string, string>>,
): Promise<GateReply> => {
  const { status, headers } = relayed.head;
  const passed = { ...passedHeaders(headers, relayed.scrub), ...told };
  if (status < 200 || status > 299) {
    const tap = tapAnswer(relayed.scrub);
    const text = await readError(relayed, (bytes) => tap.take(bytes));
    await endCall(ending, { kind: 'status' }, { tap, firstByteMs: null, generationId: generationOf(relayed) });
    if (text !== null) return { status, headers: passed, body: Buffer.from(relayed.scrub(text)) };
    const error = new ColdsealError('PROVIDER_STATUS', `Status ${status} with more than ${ERROR_BYTES} bytes.`);
    return { ...statusErrorIn(call.format, status, error), headers: { ...passed, 'content-type': 'application/json' } };
  }
  const length = headers['content-length'];
  const exact = typeof length === 'string' && /^\d{1,15}$/.test(length) ? { 'content-length': length } : {};
  return { status, headers: { ...passed, ...exact }, body: watched(tools, ending, relayed) };
};

const generationOf = ({ head, scrub }: RelayedAnswer): string | null =>
  reportedName(head.headers['x-generation-id'] ?? head.headers['request-id'] ?? head.headers['x-request-id'], scrub);

/** `null` for one that is too long to scrub whole. */
const readError = async (relayed: RelayedAnswer, see: (bytes: Uint8Array) => void): Promise<string | null> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const bytes of relayed.body()) {
    see(bytes);
    length += bytes.length;
    if (length > ERROR_BYTES) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** The answer as it comes; its end is recorded once, also where nobody begins to read it. */
const watched = (tools: SendTools, ending: GateEnding, relayed: RelayedAnswer): AsyncGenerator<Uint8Array, void> => {
  const tap = tapAnswer(relayed.scrub);
  let firstByteMs: number | null = null;
  let recorded: (() => void) | null = null;
  tools.pending(
    new Promise((resolve) => {
      recorded = resolve;
    }),
  );
  const end = (how: CallEnd): void => {
    const tell = recorded;
    if (tell === null) return;
    recorded = null;
    ending.signal.removeEventListener('abort', left);
    void endCall(ending, how, { tap, firstByteMs, generationId: generationOf(relayed) }).then(tell);
  };
  const left = (): void => end({ kind: 'failed', error: ending.signal.reason });
  ending.signal.addEventListener('abort', left, { once: true });
  return (async function* () {
    try {
      for await (const bytes of relayed.body()) {
        firstByteMs ??= ending.monotonicMs() - ending.startMs;
        tap.take(bytes);
        yield bytes;
      }
      end({ kind: 'whole' });
    } catch (error) {
      end({ kind: 'failed', error });
      throw error;
    } finally {
      end({ kind: 'failed', error: CLIENT_LEFT });
    }
  })();
};

const CLIENT_LEFT = new ColdsealError('CANCELLED', 'The client left before the end of the answer.');
