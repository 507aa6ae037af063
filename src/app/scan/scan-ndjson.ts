/**
 * `scan --ndjson`: a question a line, an answer a line, in order, for as long as the input lasts. Lines that came together
 * travel together; nothing waits for a full batch, so that a program may ask one line and wait for its answer.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Weighed } from '../../pipeline/run-window.js';
import { blankString } from './blank-string.js';
import { inOrder } from './in-order.js';
import { type AskedLine, LONGEST_LINE_BYTES, readLine } from './ndjson-line.js';
import type { ScanSession } from './scan-session.js';
import type { TakeShared } from './scan-source.js';
import { type SettledText, settleTexts } from './settle-texts.js';
import { splitLines } from './split-lines.js';

/** Bytes of lines that make a message to a thread worth its while. */
const BATCH_BYTES = 256 * 1024;

interface LineBatch extends Weighed {
  readonly lines: readonly AskedLine[];
}

type Chunk = IteratorResult<Uint8Array> | null;

/** Answers, some lines at a time, each with its line end. Rejects with a fault of the input or the signal's reason. */
export const answerNdjson = (
  session: ScanSession,
  input: AsyncIterable<Uint8Array>,
  longestLineBytes: number = LONGEST_LINE_BYTES,
): AsyncGenerator<string> =>
  inOrder(batchLines(input, longestLineBytes), (batch) => answerBatch(session, batch), session.bounds);

async function* batchLines(input: AsyncIterable<Uint8Array>, longestLineBytes: number): AsyncGenerator<LineBatch> {
  const splitter = splitLines(longestLineBytes);
  const chunks = input[Symbol.asyncIterator]();
  let lines: AskedLine[] = [];
  let bytes = 0;
  let number = 0;
  const take = (): LineBatch => {
    const batch = { lines, bytes };
    lines = [];
    bytes = 0;
    return batch;
  };
  try {
    for (let next = chunks.next(); ; ) {
      // What has come already belongs together; when nothing more is there, what was asked is answered.
      let chunk: Chunk = await Promise.race([next, nextTurn(null)]);
      if (chunk === null) {
        if (lines.length > 0) yield take();
        chunk = await next;
      }
      for (const line of chunk.done === true ? splitter.finish() : splitter.push(chunk.value)) {
        number += 1;
        const asked = readLine(line, number, longestLineBytes);
        if (asked === null) continue;
        lines.push(asked);
        bytes += line.kind === 'line' ? line.bytes.length : 0;
        if (bytes >= BATCH_BYTES) yield take();
      }
      if (chunk.done === true) break;
      next = chunks.next();
    }
    if (lines.length > 0) yield take();
  } finally {
    await chunks.return?.();
  }
}

const isText = (line: AskedLine): line is Extract<AskedLine, { kind: 'text' }> => line.kind === 'text';

const answerBatch = async (session: ScanSession, { lines, bytes }: LineBatch): Promise<string> => {
  const asked = lines.filter(isText);
  const leave = await session.gate.enter(bytes);
  const lease = session.arena.lease();
  try {
    const settled = await settleTexts(session, shareTexts(asked, lease.take), true);
    return answersOf(lines, settled);
  } finally {
    lease.release();
    leave();
  }
};

const answersOf = (lines: readonly AskedLine[], settled: readonly SettledText[]): string => {
  let at = 0;
  return lines
    .map((line) => {
      if (line.kind === 'bad') return `${JSON.stringify({ id: null, error: line.why })}\n`;
      const answer = settled[at];
      at += 1;
      return `${JSON.stringify(answerOf(line, answer))}\n`;
    })
    .join('');
};

/** The texts' UTF-8 one after the other in shared memory. */
const shareTexts = (asked: readonly Extract<AskedLine, { kind: 'text' }>[], take: TakeShared) => {
  const lengths = asked.map(({ text }) => Buffer.byteLength(text));
  const memory = take(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  return asked.map(({ text, name }, index) => {
    const length = lengths[index] ?? 0;
    const bytes = memory.subarray(at, at + length);
    Buffer.from(bytes.buffer, bytes.byteOffset, length).write(text, 'utf8');
    at += length;
    return { item: name, bytes };
  });
};

const answerOf = (
  { id, text, name }: Extract<AskedLine, { kind: 'text' }>,
  settled: SettledText | undefined,
): Readonly<Record<string, unknown>> => {
  if (settled === undefined) return { id, code: 'SCAN_FAILED', error: `${name} was not answered by the scanner` };
  if (!settled.ok) return { id, code: settled.error.code, error: settled.error.message };
  return {
    id,
    text: blankString(text, settled),
    findings: settled.text.spans.map(({ ruleId, kind, severity, line, start, end }) => ({
      rule: ruleId,
      kind,
      severity,
      line,
      start,
      end,
    })),
  };
};
