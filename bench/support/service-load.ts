/**
 * Load on a running service: so many clients that scan one request after the other, and so many that dispatch, for a
 * while. What it finds is told as figures; what was said to be sent is looked for in the record afterwards.
 */
import { Agent, request as httpRequest } from 'node:http';
import { seededNumbers } from './seeded-numbers.js';

export interface LoadWords {
  readonly url: string;
  readonly token: string;
  readonly repository: string;
  readonly scanClients: number;
  readonly dispatchClients: number;
  readonly seconds: number;
  readonly linesEach: number;
}

export interface LoadFigures {
  readonly scans: number;
  readonly scannedBytes: number;
  readonly dispatches: number;
  /** Dispatches that the record does not know as sent. */
  readonly missing: number;
  /** What was answered otherwise than it should, by status or fault. */
  readonly errors: Readonly<Record<string, number>>;
  readonly scanMs: Percentiles;
  readonly dispatchMs: Percentiles;
  /** Of the service's own event loop, over the whole time. */
  readonly lagP99Ms: number;
  /** Of the service's process, all threads, over the whole time. */
  readonly cpuSeconds: number;
}

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

export const loadService = async (words: LoadWords): Promise<LoadFigures> => {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const ask = asking(words, agent);
  const errors: Record<string, number> = {};
  const fault = (what: string): void => {
    errors[what] = (errors[what] ?? 0) + 1;
  };
  const scanMs: number[] = [];
  const dispatchMs: number[] = [];
  const sent: string[] = [];
  let scannedBytes = 0;
  const body = linesOf(words.linesEach);
  const endMs = performance.now() + words.seconds * 1000;
  const isOver = (): boolean => performance.now() >= endMs;

  const scan = async (): Promise<void> => {
    while (!isOver()) {
      const startMs = performance.now();
      const { status, text } = await ask('POST', '/v1/scan', body, 'application/x-ndjson').catch(failed);
      scanMs.push(performance.now() - startMs);
      const isWhole = status === 200 && text.split('\n').length === words.linesEach + 1;
      if (isWhole) scannedBytes += body.length;
      else fault(`scan ${status === 200 ? 'cut off' : status === 0 ? text : status}`);
    }
  };
  const dispatch = async (): Promise<void> => {
    const run = JSON.stringify({ repository: words.repository, kind: 'change_review' });
    while (!isOver()) {
      const startMs = performance.now();
      const { status, text } = await ask('POST', '/v1/dispatches', run, 'application/json').catch(failed);
      dispatchMs.push(performance.now() - startMs);
      if (status === 200) sent.push(String((JSON.parse(text) as { id: string }).id));
      else fault(`dispatch ${status === 0 ? text : status}`);
    }
  };

  // The first scrape begins the time that the event loop's figures are about.
  const before = await processOf(ask);
  await Promise.all([
    ...Array.from({ length: words.scanClients }, scan),
    ...Array.from({ length: words.dispatchClients }, dispatch),
  ]);
  const after = await processOf(ask);
  const missing = await missingOf(ask, sent);
  agent.destroy();
  return {
    scans: scanMs.length,
    scannedBytes,
    dispatches: dispatchMs.length,
    missing,
    errors,
    scanMs: percentilesOf(scanMs),
    dispatchMs: percentilesOf(dispatchMs),
    lagP99Ms: after.lagP99Ms,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
  };
};

type Ask = (method: string, path: string, body?: string, type?: string) => Promise<Answered>;

const failed = (error: NodeJS.ErrnoException): Answered => ({ status: 0, text: error.code ?? error.name });

const asking =
  ({ url, token }: LoadWords, agent: Agent): Ask =>
  (method, path, body, type) =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        prefer: 'wait=600',
        ...(type === undefined ? {} : { 'content-type': type }),
      };
      const { hostname, port } = new URL(url);
      const request = httpRequest({ agent, host: hostname, port, method, path, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      });
      request.on('error', reject);
      request.end(body);
    });

const WORDS = ['const', 'answer', 'return', 'value', 'request', '=', '(', ')', '{', '}', ';', 'the', 'key', 'of'];
const WORDS_A_LINE = 300;

/** Code-like texts of about 1.5 KB each; one in ten holds something that is blanked. */
const linesOf = (count: number): string => {
  const next = seededNumbers(7);
  const line = (at: number): string => {
    const text = Array.from({ length: WORDS_A_LINE }, () => WORDS[next(WORDS.length)]).join(' ');
    const token = ['ghp', Array.from({ length: 36 }, () => 'abcdefghijkmnpqrstuvwxyz23456789'[next(32)]).join('')].join(
      '_',
    );
    return JSON.stringify({ id: at, text: at % 10 === 0 ? `${text} ${token}` : text });
  };
  return `${Array.from({ length: count }, (_, at) => line(at)).join('\n')}\n`;
};

const processOf = async (ask: Ask): Promise<{ readonly lagP99Ms: number; readonly cpuSeconds: number }> => {
  const { text } = await ask('GET', '/metrics');
  return {
    lagP99Ms: Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text)?.[1]) * 1000,
    cpuSeconds: Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]),
  };
};

/** Asked run by run, so that each is read from the record's own rows. */
const missingOf = async (ask: Ask, sent: readonly string[]): Promise<number> => {
  let missing = 0;
  for (const id of sent) {
    const { status, text } = await ask('GET', `/v1/records/${id}`);
    const events = status === 200 ? (JSON.parse(text) as { rows: { event: string }[] }).rows : [];
    if (events.map(({ event }) => event).join() !== 'start,end') missing += 1;
  }
  return missing;
};

const percentilesOf = (times: readonly number[]): Percentiles => {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  return { p50: at(0.5), p99: at(0.99) };
};
