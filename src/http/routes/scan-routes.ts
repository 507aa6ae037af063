/**
 * `POST /v1/scan`: a question a line, an answer a line, in order, as they come; `scan --ndjson` over HTTP. An answer that
 * is not read holds the scan, and a scan that is held stops reading, so neither side's memory grows.
 */
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { z } from 'zod';
import { BATCH_BYTES } from '../../app/scan/batch-lines.js';
import { createByteGate } from '../../app/scan/byte-gate.js';
import { createLongLineRoom } from '../../app/scan/long-lines.js';
import { answerNdjson } from '../../app/scan/scan-ndjson.js';
import { type ScanSession, withMachineScanSession, withScanSession } from '../../app/scan/scan-session.js';
import { ColdsealError } from '../../contract/error.js';
import { DoorRefusal } from '../problem.js';
import { signalOf } from '../request-signal.js';
import type { AddRoutes } from '../route-group.js';
import { problemAnswers } from '../schemas/problem-schema.js';
import { sendStream } from '../send-as-it-is.js';

const NDJSON = 'application/x-ndjson';
/** Streams at once; each holds a few batches. */
const MOST_STREAMS = 256;
const MOST_OPENING = 4;
/** A line is held whole. The command line, which has one stream, takes longer ones. */
const LONGEST_LINE_BYTES = 16 * 1024 * 1024;
/** Lines over a batch at once, of all streams together; the others wait in the middle of theirs. */
const MOST_LONG_LINES = 4;
/** From the beginning of such a line until its answer was taken; a client that is slower is ended. */
const LONG_LINE_MS = 120_000;

export const addScanRoutes: AddRoutes = (server, context) => {
  let streams = 0;
  // Settings are read for each request; many that come at once are let in a few at a time.
  const enterLong = createLongLineRoom(MOST_LONG_LINES, LONG_LINE_MS);
  const opening = createByteGate(Number.POSITIVE_INFINITY, MOST_OPENING);
  // What one stream may have under way is its share, counted anew for each batch: the sum stays one stream's bound.
  const shareOf = (bounds: ScanSession['bounds']): ScanSession['bounds'] => ({
    most: bounds.most,
    signal: bounds.signal,
    get mostBytes() {
      return Math.max(BATCH_BYTES, Math.floor(bounds.mostBytes / streams));
    },
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(NDJSON, (_request, payload, done) => done(null, payload));
  server.post(
    '/v1/scan',
    {
      config: { body: 'stream' },
      schema: {
        operationId: 'scan',
        tags: ['scan'],
        summary: 'Find and blank secrets in texts, one JSON object a line both ways',
        description:
          'Each line `{id, text, path?}` is answered by one line, in order: `{id, text, findings: [{rule, kind, severity, line, start, end}]}` with the blanked text and offsets in UTF-8 bytes of what was asked, or `{id: null, error}` for a line that is none. A line has 16 MiB at most.',
        consumes: [NDJSON],
        body: z.unknown().describe('Lines of `{id, text, path?}`.'),
        querystring: z.strictObject({
          repository: z
            .string()
            .max(4096)
            .optional()
            .describe('Scan as in this repository: its people’s names are blanked too.'),
        }),
        response: {
          200: { description: 'One line a line.', content: { [NDJSON]: { schema: z.string() } } },
          ...problemAnswers(400, 415, 422, 429),
        },
      },
    },
    async (request, reply) => {
      const { body } = request;
      if (!(body instanceof Readable)) throw new DoorRefusal('MEDIA_TYPE_REFUSED', `the body must be ${NDJSON}`);
      if (streams >= MOST_STREAMS) {
        throw new ColdsealError('BUSY', `${streams} scans are under way, the limit; try again when one has ended`);
      }
      streams += 1;
      try {
        const { repository } = request.query;
        const folder = repository === undefined ? '/' : await context.allowedRepository(repository);
        const surroundings = context.surroundingsOf({ folder, say: () => undefined, signal: signalOf(reply) });
        const withSession = repository === undefined ? withMachineScanSession : withScanSession;
        const opened = await opening.enter(0);
        await withSession(surroundings, async (session) => {
          opened();
          const lineBounds = { longestLineBytes: LONGEST_LINE_BYTES, enterLong, onStalled: () => reply.raw.destroy() };
          const shared = { ...session, bounds: shareOf(session.bounds) };
          const answers = Readable.from(answerNdjson(shared, body, lineBounds), { highWaterMark: 1 });
          sendStream(reply, NDJSON, answers);
          // A client that goes away ends the scan; there is nobody to tell.
          await finished(reply.raw).catch(() => answers.destroy());
        }).finally(opened);
        return reply;
      } finally {
        streams -= 1;
      }
    },
  );
};
