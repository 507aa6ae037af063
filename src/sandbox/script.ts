/**
 * Scripts for the sandbox: what each request in turn meets, from a plain answer to a connection that dies half way.
 *
 * A script is data, validated before the first connection, so that a mistyped failure is an error and not a success that
 * proves nothing.
 */
import { z } from 'zod';
import { ColdsealError } from '../contract/error.js';

const ms = z.number().int().min(0).max(3_600_000);
const bytes = z
  .number()
  .int()
  .min(0)
  .max(512 * 1024 * 1024);
const times = z.number().int().min(1).max(10_000_000);

const simpleEvent = z.union([
  /** A `data:` event: a string as it is (several lines become several `data:` lines), anything else as JSON. */
  z.strictObject({ data: z.unknown() }),
  z.strictObject({ comment: z.string() }),
  /** Bytes of the stream as they are, base64 where they are no text. */
  z.strictObject({ raw: z.string() }),
  z.strictObject({ rawBase64: z.base64() }),
  z.strictObject({ waitMs: ms }),
  /** A chunk of the answer's text. */
  z.strictObject({ text: z.string(), model: z.string().optional() }),
  z.strictObject({ finish: z.string().nullable(), model: z.string().optional() }),
  z.strictObject({
    usage: z.record(z.string(), z.unknown()),
    choices: z.enum(['empty', 'null', 'none']).default('empty'),
  }),
  z.strictObject({ done: z.literal(true) }),
]);

const event = z.union([simpleEvent, z.strictObject({ times, event: simpleEvent })]);

const reply = z.strictObject({
  /** What the connection itself does: answered, reset, closed or left silent before a byte, or no TLS where TLS is due. */
  connection: z.enum(['accept', 'reset', 'close', 'stall', 'no-tls']).default('accept'),
  /** How the request is read. `stopAfterBytes` counts bytes of its body. */
  read: z
    .union([
      z.enum(['all', 'none']),
      z.strictObject({ bytesPerSecond: z.number().int().min(1) }),
      z.strictObject({ stopAfterBytes: bytes }),
    ])
    .default('all'),
  /** Before the answer's head. */
  waitMs: ms.default(0),
  /** No head and no body: only `end` follows. */
  silent: z.boolean().default(false),
  status: z.number().int().min(200).max(599).default(200),
  headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).default({}),
  /** Bytes written instead of a head. */
  rawHead: z.string().optional(),
  /** The body; without any of these a 200 is the sandbox's own answer and anything else is empty. */
  events: z.array(event).optional(),
  json: z.unknown().optional(),
  text: z.string().optional(),
  fill: z
    .strictObject({ before: z.string().default(''), text: z.string(), times, after: z.string().default('') })
    .optional(),
  lineEnd: z.enum(['\n', '\r\n', '\r']).default('\n'),
  /** Writes the body this many bytes at a time. */
  pace: z.strictObject({ bytes: bytes.min(1), everyMs: ms }).optional(),
  /** Ends the connection after so many bytes of the body. */
  closeAfterBytes: bytes.optional(),
  end: z.enum(['end', 'hang', 'close', 'reset']).default('end'),
});

const script = z.strictObject({
  replies: z.array(reply).min(1).max(10_000),
  /** Once the replies are used up. */
  after: z.enum(['answer', 'repeat']).default('answer'),
});

export type ScriptEvent = z.output<typeof event>;
export type SimpleEvent = z.output<typeof simpleEvent>;
export type Reply = z.output<typeof reply>;
export type SandboxScript = z.output<typeof script>;
/** As typed: everything with a default may be missing. */
export type ScriptInput = z.input<typeof script>;

/** The plain reply: the request is read and answered with a summary. */
export const PLAIN_REPLY: Reply = reply.parse({});

/** Checks a script; `USAGE` names each member that is wrong. */
export const readScript = (value: unknown): SandboxScript => {
  const read = script.safeParse(value);
  if (!read.success) {
    throw new ColdsealError('USAGE', `The sandbox script does not read:\n${z.prettifyError(read.error)}`, {
      cause: read.error,
    });
  }
  return read.data;
};

/** The same from a file's text. */
export const parseScript = (text: string): SandboxScript => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ColdsealError('USAGE', 'The sandbox script is not JSON.', { cause: error });
  }
  return readScript(value);
};
