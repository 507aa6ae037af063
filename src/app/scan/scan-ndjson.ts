/**
 * `scan --ndjson`: a question a line, an answer a line, in order, for as long as the input lasts. A batch counts until its
 * answers were taken, and so does the room of a long line.
 */
import { batchLines, type LineBatch } from './batch-lines.js';
import { blankString } from './blank-string.js';
import { inOrder } from './in-order.js';
import { type EnterLongLine, OPEN_ROOM } from './long-lines.js';
import { type AskedLine, LONGEST_LINE_BYTES } from './ndjson-line.js';
import type { ScanSession } from './scan-session.js';
import type { TakeShared } from './scan-source.js';
import { type SettledText, settleTexts } from './settle-texts.js';

export interface LineBounds {
  readonly longestLineBytes: number;
  readonly enterLong: EnterLongLine;
  /** The stream held room for a long line and did not get on. */
  readonly onStalled: () => void;
}

/** One stream, which may hold what it likes. */
const ALONE: LineBounds = { longestLineBytes: LONGEST_LINE_BYTES, enterLong: OPEN_ROOM, onStalled: () => undefined };

/** Answers, some lines at a time, each with its line end. Rejects with a fault of the input or the signal's reason. */
export async function* answerNdjson(
  session: ScanSession,
  input: AsyncIterable<Uint8Array>,
  { longestLineBytes, enterLong, onStalled }: LineBounds = ALONE,
): AsyncGenerator<string, void, undefined> {
  /** Also of batches whose answers nobody takes any more. */
  const rooms = new Set<() => void>();
  const enter = async (): Promise<() => void> => {
    const leave = await enterLong(session.bounds.signal, onStalled);
    rooms.add(leave);
    return () => {
      rooms.delete(leave);
      leave();
    };
  };
  const work = async (batch: LineBatch) => ({ answers: await answerBatch(session, batch), leave: batch.leave });
  try {
    for await (const { answers, leave } of inOrder(batchLines(input, longestLineBytes, enter), work, session.bounds)) {
      yield answers;
      leave();
    }
  } finally {
    for (const leave of rooms) leave();
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
