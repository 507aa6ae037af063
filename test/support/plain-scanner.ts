/**
 * The scanner port over plain RE2 in this thread: every rule over every input, echo by literal search and by base64. What
 * a test wants of threads is that answers come in any order, so each reply waits in a line that is let out by a seed.
 */
import RE2 from 're2';
import type { Finding } from '../../src/contract/finding.js';
import type { Rule } from '../../src/contract/rule.js';
import type {
  EchoBatch,
  EchoHit,
  EchoReply,
  ScanBatch,
  ScanInput,
  Scanner,
  ScanReply,
  SecretValue,
} from '../../src/contract/scan.js';
import { numbersFrom } from './scan-fixtures.js';

export interface PlainScanner extends Scanner {
  /** Batches answered so far. */
  readonly answered: { scans: number; echoes: number; bytes: number; mostWaiting: number };
}

export interface PlainScannerSettings {
  readonly threads?: number;
  /** The order in which waiting replies are let out. */
  readonly seed?: number;
  /** Values of these rules are never looked for elsewhere. */
  readonly silent?: readonly string[];
  /** Changes a reply before it is given, to play a scanner that is not whole. */
  readonly spoil?: (reply: ScanReply, batch: ScanBatch) => ScanReply;
}

export const plainScanner = (rules: readonly Rule[], settings: PlainScannerSettings = {}): PlainScanner => {
  const compiled = rules.map((rule) => ({ rule, pattern: new RE2(rule.pattern, 'gd') }));
  const answered = { scans: 0, echoes: 0, bytes: 0, mostWaiting: 0 };
  const line = shuffledLine(settings.threads ?? 1, settings.seed ?? 1, answered);
  const silent = new Set(settings.silent ?? []);
  return {
    answered,
    threads: settings.threads ?? 1,
    rulesDigest: 'sha256:plain',
    close: () => Promise.resolve(),
    scan: (batch) =>
      line(() => {
        answered.scans += 1;
        const outcomes = batch.inputs.map((input) => {
          answered.bytes += input.length;
          return { ref: input.ref, ok: true as const, ...scanInput(compiled, silent, batch, input) };
        });
        const reply = { outcomes, busyMs: 0 };
        return settings.spoil === undefined ? reply : settings.spoil(reply, batch);
      }),
    echo: (batch) =>
      line((): EchoReply => {
        answered.echoes += 1;
        return { outcomes: batch.inputs.map((input) => ({ ref: input.ref, hits: hitsIn(batch, input) })), busyMs: 0 };
      }),
  };
};

type Line = <T>(answer: () => T) => Promise<T>;

const shuffledLine = (threads: number, seed: number, answered: PlainScanner['answered']): Line => {
  const next = numbersFrom(seed);
  const waiting: (() => void)[] = [];
  let isScheduled = false;
  const letOut = (): void => {
    isScheduled = false;
    const chosen = Math.floor(next() * Math.min(waiting.length, threads));
    waiting.splice(chosen, 1)[0]?.();
    if (waiting.length > 0) schedule();
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(letOut);
  };
  return (answer) =>
    new Promise((resolve, reject) => {
      waiting.push(() => {
        try {
          resolve(answer());
        } catch (error) {
          reject(error);
        }
      });
      answered.mostWaiting = Math.max(answered.mostWaiting, waiting.length);
      schedule();
    });
};

const scanInput = (
  compiled: readonly { readonly rule: Rule; readonly pattern: RE2 }[],
  silent: ReadonlySet<string>,
  batch: ScanBatch,
  input: ScanInput,
): { findings: readonly Finding[]; values: readonly SecretValue[]; scannedBytes: number } => {
  const text = bytesOf(batch.buffer, input);
  const values: SecretValue[] = [];
  const findings: Finding[] = [];
  for (const { rule, pattern } of compiled) {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const [start, end] = match.indices?.[rule.group] ?? [0, 0];
      if (end <= start) continue;
      const value = text.subarray(start, end);
      findings.push({
        start,
        end,
        ruleId: rule.id,
        kind: rule.kind,
        family: rule.family,
        severity: rule.severity,
        line: lineOf(text, start),
        valueIndex: values.length,
        views: [],
      });
      values.push({
        bytes: new Uint8Array(value),
        echo: rule.severity === 'block' && value.length >= 12 && !silent.has(rule.id),
      });
    }
  }
  findings.sort((a, b) => a.start - b.start || a.end - b.end || (a.ruleId < b.ruleId ? -1 : 1));
  return { findings, values, scannedBytes: input.length };
};

const hitsIn = (batch: EchoBatch, input: ScanInput): readonly EchoHit[] => {
  const text = bytesOf(batch.buffer, input);
  return batch.needles.flatMap(({ id, bytes }) => {
    const forms = [Buffer.from(bytes), Buffer.from(Buffer.from(bytes).toString('base64'))];
    return forms.flatMap((form) => {
      const hits: EchoHit[] = [];
      for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
        hits.push({ needleId: id, start: at, end: at + form.length, line: lineOf(text, at) });
      }
      return hits;
    });
  });
};

const bytesOf = (buffer: SharedArrayBuffer, { offset, length }: ScanInput): Buffer =>
  Buffer.from(new Uint8Array(buffer, offset, length));

const lineOf = (text: Buffer, at: number): number => text.subarray(0, at).filter((byte) => byte === 0x0a).length + 1;
