/**
 * `providers test`: reaches one provider the way a send would, and asks for its list of models with its credential.
 *
 * The same line, certificates, proxy and clocks as a call, and nothing of anybody's text: a probe that passes says that
 * a send would get through, and costs nobody anything.
 */
import { Client } from 'undici';
import type { ColdsealError } from '../contract/error.js';
import type { ProviderSettings } from '../contract/route.js';
import type { Credential } from '../contract/transport.js';
import { callFailure, faultCode } from './call-failure.js';
import { ERROR_BODY_BYTES, readErrorBody } from './error-body.js';
import { readError } from './error-reader.js';
import { type AnswerHead, MOST_HEAD_BYTES } from './exchange.js';
import { isObject, parseJson } from './json-shape.js';
import { type Line, openLine } from './open-line.js';
import { type ProxySettings, proxyFor } from './proxy.js';
import { quoted, reportedName } from './quote.js';
import { type Scrub, scrubber } from './scrub.js';
import { trustedRoots } from './secure-socket.js';
import { statusFailure } from './status-failure.js';
import { type Clock, type Sleep, TIME_LIMITS, watchLimits } from './time-limits.js';
import { asFailure, limitFailure, nothingSeen } from './try-failure.js';

export interface Probe {
  readonly provider: ProviderSettings;
  readonly credential: Credential | null;
  readonly proxy: ProxySettings;
  readonly extraCaFile: string | null;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly signal: AbortSignal;
  /** The whole probe; a minute for everybody but tests. */
  readonly totalMs?: number;
}

export interface ProbeReport {
  readonly proxy: string | null;
  /** Milliseconds from the start; `null` where the probe did not come so far. */
  readonly connectedMs: number | null;
  /** The line is open: under TLS where there is TLS. */
  readonly openMs: number | null;
  readonly answeredMs: number | null;
  /** Names as the provider gave them, scrubbed and printable; `null` where it lists none. */
  readonly models: readonly string[] | null;
  /** What the probe failed with. */
  readonly failure: ColdsealError | null;
}

const TOTAL_MS = 60_000;
const MOST_LIST_BYTES = 4 * 1024 * 1024;
const MOST_MODELS = 10_000;
/** Answers of a server that has no list of models, and is a provider all the same. */
const NO_LIST: ReadonlySet<number> = new Set([404, 405, 501]);

/** Resolves with every failure of the provider; rejects with the signal's reason or a fault of ours. */
export const probeProvider = async (probe: Probe): Promise<ProbeReport> => {
  const { provider, credential, clock, signal } = probe;
  const startMs = clock();
  const seen = nothingSeen();
  const marks = { connectedMs: null, openMs: null, answeredMs: null } as Record<
    'connectedMs' | 'openMs' | 'answeredMs',
    number | null
  >;
  const mark = (name: keyof typeof marks): void => {
    marks[name] ??= Math.round(clock() - startMs);
  };
  const totalMs = probe.totalMs ?? TOTAL_MS;
  const watch = watchLimits(clock, probe.sleep);
  const ended = AbortSignal.any([signal, watch.signal]);
  let proxyShown: string | null = null;
  const report = (models: readonly string[] | null, failure: ColdsealError | null): ProbeReport => ({
    proxy: proxyShown,
    ...marks,
    models,
    failure,
  });
  watch.start('total', totalMs);
  try {
    const proxy = proxyFor(provider.endpoint, probe.proxy);
    proxyShown = proxy?.shown ?? null;
    const roots = await trustedRoots([probe.extraCaFile, provider.caFile].filter((file) => file !== null));
    const scrub = scrubber([...(credential === null ? [] : [credential.value]), ...(proxy?.secrets ?? [])]);
    watch.start('connect', TIME_LIMITS.connectMs);
    const line = await openLine({ provider, proxy, roots }, ended, () => {
      seen.connected = true;
      mark('connectedMs');
    });
    watch.stop('connect');
    mark('openMs');
    seen.bodyLeft = true;
    return report(await askModels(probe, line, ended, scrub, () => mark('answeredMs')), null);
  } catch (error) {
    signal.throwIfAborted();
    return report(null, limitFailure(watch, totalMs, seen) ?? asFailure(error, seen));
  } finally {
    watch.close();
  }
};

/** The line is closed whatever happens. */
const askModels = async (
  { provider, credential }: Probe,
  line: Line,
  signal: AbortSignal,
  scrub: Scrub,
  onHead: () => void,
): Promise<readonly string[] | null> => {
  const url = new URL(provider.endpoint.baseUrl);
  const client = new Client(url.origin, {
    connect: (_options, callback) => {
      setImmediate(callback, null, line.socket);
    },
    allowH2: false,
    maxHeaderSize: MOST_HEAD_BYTES,
  });
  try {
    const response = await client.request({
      method: 'GET',
      path: `${url.pathname.replace(/\/+$/, '')}/models`,
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        ...(credential === null ? {} : { authorization: `Bearer ${credential.value}` }),
      },
      reset: true,
      signal,
    });
    response.body.on('error', () => undefined);
    onHead();
    const head: AnswerHead = { status: response.statusCode, headers: response.headers, body: response.body };
    return await readModels(head, credential?.name ?? null, scrub);
  } finally {
    line.socket.destroy();
    await client.destroy().catch(() => undefined);
  }
};

const readModels = async (
  head: AnswerHead,
  credentialName: string | null,
  scrub: Scrub,
): Promise<readonly string[] | null> => {
  if (NO_LIST.has(head.status)) return null;
  if (head.status >= 300 && head.status < 400) {
    throw callFailure('PROVIDER_REDIRECT', `Status ${head.status}.`, { status: head.status });
  }
  if (head.status < 200 || head.status > 299) {
    const text = await readErrorBody(head, ERROR_BODY_BYTES);
    const nothing = new Uint8Array();
    throw statusFailure(head.status, text === null ? null : readError(text, scrub), {
      brief: { kind: 'local', system: nothing, message: nothing },
      messageBytes: 0,
      credentialName,
    });
  }
  const body = parseJson(await readWhole(head));
  const list = isObject(body) ? (body['data'] ?? body['models']) : body;
  if (!Array.isArray(list)) {
    throw callFailure('PROVIDER_ANSWER_INVALID', 'A JSON list of models was due.');
  }
  return list.slice(0, MOST_MODELS).flatMap((entry: unknown) => {
    const name = reportedName(isObject(entry) ? (entry['id'] ?? entry['name']) : entry, scrub);
    return name === null ? [] : [quoted(name, scrub)];
  });
};

const readWhole = async (head: AnswerHead): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let total = 0;
  try {
    for await (const bytes of head.body) {
      total += bytes.length;
      if (total > MOST_LIST_BYTES) {
        throw callFailure('PROVIDER_TOO_LARGE', `Its list of models is over ${MOST_LIST_BYTES} bytes.`);
      }
      chunks.push(bytes);
    }
  } catch (error) {
    if (error instanceof Error && error.name === 'ColdsealError') throw error;
    throw callFailure('PROVIDER_CUT_OFF', `The connection broke inside the answer: ${faultCode(error)}.`, {}, error);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
};
