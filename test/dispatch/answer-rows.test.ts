import { describe, expect, it } from 'vitest';
import type { ScriptInput } from '../../src/sandbox/script.js';
import { madeCredential } from '../support/made-call.js';
import { encodedForms, type Plan, playCall } from '../support/played-call.js';

type Replies = ScriptInput['replies'];
type Events = NonNullable<Replies[number]['events']>;

interface Row {
  readonly title: string;
  readonly replies: Replies;
  readonly expected: object;
  readonly plan?: Omit<Plan, 'replies'>;
  /** Connections the sandbox counted; 1 where the row does not say. */
  readonly connections?: number;
  readonly waits?: readonly number[];
}

/** Stands in a script for each encoded form of the credential. */
const credential = { name: 'key', value: madeCredential() };
const echoed = encodedForms(credential.value).join(' ');

const stream = (...events: Events): Replies => [{ events }];
const whole = (text: string): Events => [{ text }, { finish: 'stop' }, { done: true }];
const failed = (code: string, message?: RegExp, more: object = {}) => ({
  ok: false,
  code,
  neverConnected: false,
  ...(message === undefined ? {} : { message: expect.stringMatching(message) }),
  ...more,
});
const accepted = (text: string, more: object = {}) => ({ ok: true, text, ...more });
const completion = (choice: object, more: object = {}) => ({
  json: { id: 'c-1', model: 'summary-1', choices: [{ index: 0, ...choice }], ...more },
});
const choice = (delta: object, reason: string | null = null, more: object = {}) => ({
  data: { model: 'summary-1', choices: [{ index: 0, delta, finish_reason: reason, ...more }] },
});
const errorStatus = (status: number, json: unknown, headers: Record<string, string> = {}) => ({
  status,
  json,
  headers,
});

const STREAM_ROWS: readonly Row[] = [
  { title: 'events in LF', replies: stream(...whole('yes')), expected: accepted('yes', { notes: [] }) },
  { title: 'events in CRLF', replies: [{ events: whole('yes'), lineEnd: '\r\n' }], expected: accepted('yes') },
  { title: 'events in CR', replies: [{ events: whole('yes'), lineEnd: '\r' }], expected: accepted('yes') },
  {
    title: 'a stream that comes one byte at a time, with characters of many bytes',
    replies: [{ events: whole('grün 🦭 \u2028'), lineEnd: '\r\n', pace: { bytes: 1, everyMs: 0 } }],
    expected: accepted('grün 🦭 \u2028'),
  },
  {
    title: 'data over several lines',
    replies: stream(
      { data: '{"choices":[{"index":0,\n"delta":{"content":"yes"},\n"finish_reason":"stop"}]}' },
      { done: true },
    ),
    expected: accepted('yes', { modelReported: null, notes: [expect.stringMatching(/did not report a model/)] }),
  },
  {
    title: 'event, id and retry fields, which say nothing',
    replies: stream({ raw: 'event: message\nid: 7\nretry: 10\n' }, ...whole('yes')),
    expected: accepted('yes'),
  },
  {
    title: 'a byte order mark before the first event',
    replies: stream({ rawBase64: '77u/' }, ...whole('yes')),
    expected: accepted('yes'),
  },
  {
    title: 'keep-alive comments between the events',
    replies: stream(
      { comment: 'OPENROUTER PROCESSING' },
      { text: 'y' },
      { comment: '' },
      { text: 'es' },
      { finish: 'stop' },
      { done: true },
    ),
    expected: accepted('yes'),
  },
  {
    title: 'a last event without its empty line',
    replies: stream({ text: 'yes' }, { finish: 'stop' }, { raw: 'data: [DONE]' }),
    expected: accepted('yes'),
  },
  {
    title: 'one JSON object from a server that ignores stream',
    replies: [
      completion(
        { message: { content: 'yes' }, finish_reason: 'stop' },
        { usage: { prompt_tokens: 30, completion_tokens: 2 } },
      ),
    ],
    expected: accepted('yes', { usage: { promptTokens: 30, completionTokens: 2 }, generationId: 'c-1' }),
  },
  ...(['empty', 'null', 'none'] as const).map(
    (choices): Row => ({
      title: `a usage chunk whose choices are ${choices}`,
      replies: stream(
        { text: 'yes' },
        { finish: 'stop' },
        { usage: { prompt_tokens: 30, completion_tokens: 9 }, choices },
        { done: true },
      ),
      expected: accepted('yes', { usage: { promptTokens: 30, completionTokens: 9 } }),
    }),
  ),
  {
    title: 'content in parts',
    replies: stream(choice({ content: [{ type: 'text', text: 'yes' }] }), { finish: 'stop' }, { done: true }),
    expected: accepted('yes'),
  },
  {
    title: 'reasoning beside the text',
    replies: stream(choice({ reasoning_content: 'hm', content: null }), ...whole('yes')),
    expected: accepted('yes'),
  },
  {
    title: 'an empty list of tool calls',
    replies: stream(choice({ content: 'yes', tool_calls: [] }), { finish: 'stop' }, { done: true }),
    expected: accepted('yes'),
  },
  {
    title: 'an empty finish reason on every chunk',
    replies: stream(choice({ content: 'yes' }, ''), { finish: 'stop' }, { done: true }),
    expected: accepted('yes'),
  },
  {
    title: 'a finish reason and no [DONE]',
    replies: stream({ text: 'yes' }, { finish: 'stop' }),
    expected: accepted('yes', { finishReason: 'stop' }),
  },
  {
    title: '[DONE] without a finish reason',
    replies: stream({ text: 'yes' }, { finish: null }, { done: true }),
    expected: accepted('yes', { finishReason: null, notes: [expect.stringMatching(/without a finish reason/)] }),
  },
  {
    title: 'a connection that breaks after the finish reason',
    replies: [{ events: [{ text: 'yes' }, { finish: 'stop' }], end: 'close' }],
    expected: accepted('yes', { notes: [expect.stringMatching(/broke after the finish reason/)] }),
  },
  {
    title: 'another model than was asked for',
    replies: stream({ text: 'yes', model: 'other' }, { finish: 'stop', model: 'other' }, { done: true }),
    expected: accepted('yes', { modelReported: 'other' }),
  },
  {
    title: 'a generation id in the headers',
    replies: [{ events: whole('yes'), headers: { 'x-generation-id': 'gen-42' } }],
    expected: accepted('yes', { generationId: 'gen-42' }),
  },
];

const END_ROWS: readonly Row[] = [
  {
    title: 'length: cut off, with its usage kept',
    replies: stream(
      { text: 'half' },
      { finish: 'length' },
      { usage: { prompt_tokens: 30, completion_tokens: 9 } },
      { done: true },
    ),
    expected: failed('PROVIDER_CUT_OFF', /"length"/, {
      usage: { promptTokens: 30, completionTokens: 9 },
      modelReported: 'summary-1',
    }),
  },
  {
    title: 'content_filter',
    replies: stream({ text: 'half' }, { finish: 'content_filter' }, { done: true }),
    expected: failed('PROVIDER_FILTERED'),
  },
  {
    title: 'a refusal instead of content',
    replies: stream(choice({ refusal: 'no' }), { finish: 'stop' }, { done: true }),
    expected: failed('PROVIDER_FILTERED'),
  },
  {
    title: 'tool_calls as the finish reason',
    replies: stream({ finish: 'tool_calls' }, { done: true }),
    expected: failed('PROVIDER_TOOL_CALL'),
  },
  {
    title: 'a tool call in a chunk',
    replies: stream(
      choice({ tool_calls: [{ index: 0, function: { name: 'run', arguments: '{}' } }] }),
      ...whole('yes'),
    ),
    expected: failed('PROVIDER_TOOL_CALL'),
  },
  {
    title: 'error as the finish reason',
    replies: stream({ text: 'half' }, { finish: 'error' }, { done: true }),
    expected: failed('PROVIDER_STATUS', /finish reason "error"/),
  },
  {
    title: 'a finish reason nobody knows',
    replies: stream({ text: 'yes' }, { finish: 'why\u001b[2J' }, { done: true }),
    expected: failed('PROVIDER_ANSWER_INVALID', /"why\\x1b\[2J"/),
  },
  {
    title: 'a stream that ends with neither finish reason nor [DONE]',
    replies: stream({ text: 'half' }),
    expected: failed('PROVIDER_CUT_OFF', /neither/),
  },
  {
    title: 'a stream that ends inside an event',
    replies: stream({ text: 'half' }, { raw: 'data: {"choi' }),
    expected: failed('PROVIDER_CUT_OFF'),
  },
  {
    title: 'a connection that breaks inside the stream',
    replies: [{ events: [{ text: 'half' }], end: 'close' }],
    expected: failed('PROVIDER_CUT_OFF', /broke inside the answer/),
  },
  {
    title: 'a connection that is reset inside the stream',
    replies: [{ events: [{ text: 'half' }], end: 'reset' }],
    expected: failed('PROVIDER_CUT_OFF'),
  },
  {
    title: 'a JSON body shorter than announced',
    replies: [{ json: { choices: [] }, headers: { 'content-length': '999' }, end: 'close' }],
    expected: failed('PROVIDER_CUT_OFF'),
  },
  {
    title: 'no answer at all',
    replies: [{ silent: true, end: 'close' }],
    expected: failed('PROVIDER_CUT_OFF', /before an answer/),
  },
  {
    title: 'something that is not HTTP',
    replies: [{ rawHead: 'SSH-2.0-OpenSSH_9\r\n', text: '' }],
    expected: failed('PROVIDER_ANSWER_INVALID', /not HTTP/),
  },
  {
    title: '200 with no text',
    replies: stream({ finish: 'stop' }, { done: true }),
    expected: failed('PROVIDER_EMPTY', /model’s context/),
  },
  { title: '200 with blanks for text', replies: stream(...whole(' \n ')), expected: failed('PROVIDER_EMPTY') },
  {
    title: '200 with no body',
    replies: [{ json: '', headers: { 'content-type': 'application/json' }, closeAfterBytes: 0 }],
    expected: failed('PROVIDER_CUT_OFF'),
  },
  {
    title: '200 with a body of no bytes',
    replies: [{ text: '', headers: { 'content-length': '0' } }],
    expected: failed('PROVIDER_EMPTY'),
  },
  {
    title: 'two models in one answer',
    replies: stream({ text: 'a' }, { text: 'b', model: 'other' }, { finish: 'stop' }, { done: true }),
    expected: failed('PROVIDER_TWO_MODELS', /"summary-1" and "other"/),
  },
  {
    title: 'a model that the denylist names',
    replies: stream({ text: 'a', model: 'Vendor/Big-1' }, { finish: 'stop', model: 'Vendor/Big-1' }, { done: true }),
    plan: { request: { denylist: ['vendor/*'] } },
    expected: failed('PROVIDER_MODEL_DENIED', /"Vendor\/Big-1"/, { modelReported: 'Vendor/Big-1' }),
  },
  {
    title: 'several choices',
    replies: stream(choice({ content: 'yes' }), choice({ content: 'no' }, 'stop', { index: 1 })),
    expected: failed('PROVIDER_ANSWER_INVALID'),
  },
  {
    title: 'a malformed event in an otherwise whole stream',
    replies: stream({ text: 'a' }, { data: '{"cho' }, ...whole('b')),
    expected: failed('PROVIDER_ANSWER_INVALID', /not JSON/),
  },
  {
    title: 'an event that is JSON but no object',
    replies: stream({ data: [1] }, ...whole('b')),
    expected: failed('PROVIDER_ANSWER_INVALID'),
  },
  {
    title: 'choices that are no list',
    replies: stream({ data: { choices: 'yes' } }),
    expected: failed('PROVIDER_ANSWER_INVALID'),
  },
  {
    title: 'HTML with status 200',
    replies: [{ text: '<html>log in</html>' }],
    expected: failed('PROVIDER_ANSWER_INVALID', /begins "<html>log in<\/html>"/),
  },
  {
    title: 'a JSON object without choices',
    replies: [{ json: { hello: 'world' } }],
    expected: failed('PROVIDER_ANSWER_INVALID', /no `choices`/),
  },
  {
    title: 'a compressed body',
    replies: [{ events: whole('yes'), headers: { 'content-encoding': 'gzip' } }],
    expected: failed('PROVIDER_ANSWER_INVALID', /compressed/),
  },
  {
    title: 'an error inside a 200 body',
    replies: [{ json: { error: { code: 502, message: 'upstream is gone', metadata: { raw: 'secret words' } } } }],
    expected: failed('PROVIDER_STATUS', /inside an answer of status 200 \(502\).*upstream is gone/),
  },
  {
    title: 'an error as an event after the start',
    replies: stream(
      { text: 'half' },
      {
        data: {
          error: { code: 'server_error', message: 'broken' },
          choices: [{ index: 0, delta: {}, finish_reason: 'error' }],
        },
      },
    ),
    expected: failed('PROVIDER_STATUS', /server_error.*broken/),
  },
  {
    title: 'vLLM’s error object as an event',
    replies: stream({ text: 'half' }, { data: { object: 'error', message: 'engine died' } }),
    expected: failed('PROVIDER_STATUS', /engine died/),
  },
];

const BOUND_ROWS: readonly Row[] = [
  {
    title: 'one event over 4 MiB',
    replies: stream({ raw: `data: {"x":"${'a'.repeat(4 * 1024 * 1024)}"}\n\n` }, ...whole('yes')),
    expected: failed('PROVIDER_TOO_LARGE', /4194304/),
  },
  {
    title: 'a line that never ends',
    replies: [{ fill: { before: 'data: ', text: 'a'.repeat(65_536), times: 80 } }],
    expected: failed('PROVIDER_TOO_LARGE', /4194304/),
  },
  {
    title: 'text over 4 MiB in many events',
    replies: stream({ times: 70, event: { text: 'b'.repeat(65_536) } }, ...whole('yes')),
    expected: failed('PROVIDER_TOO_LARGE', /4194304/),
  },
  {
    title: 'a stream over 64 MiB of comments',
    replies: stream({ times: 66, event: { comment: 'c'.repeat(1024 * 1024) } }, ...whole('yes')),
    expected: failed('PROVIDER_TOO_LARGE', /67108864/),
  },
  {
    title: 'a JSON body over 64 MiB',
    replies: [{ fill: { text: ' '.repeat(1024 * 1024), times: 66 }, headers: { 'content-type': 'application/json' } }],
    expected: failed('PROVIDER_TOO_LARGE', /67108864/),
  },
  {
    title: 'a head over 64 KiB',
    replies: [{ events: whole('yes'), headers: { 'x-filler': 'd'.repeat(70_000) } }],
    expected: failed('PROVIDER_TOO_LARGE', /65536/),
  },
];

const text = 'word '.repeat(20_000);
const table = `${'-'.repeat(50_000)}${' '.repeat(50_000)}`;
const usage = (tokens: number): Replies =>
  stream(
    { text: 'yes' },
    { finish: 'stop' },
    { usage: { prompt_tokens: tokens, completion_tokens: 1 } },
    { done: true },
  );

const READ_LESS_ROWS: readonly Row[] = [
  {
    title: 'a prompt count that only a shortened prompt explains',
    replies: usage(4096),
    plan: { message: text },
    expected: failed('PROVIDER_READ_LESS', /4096 prompt tokens/, {
      facts: { prompt_tokens: 4096, least_tokens: 12_502, sent_bytes: 100_019 },
    }),
  },
  {
    title: 'a count that is low but possible',
    replies: usage(12_600),
    plan: { message: text },
    expected: accepted('yes', { notes: [expect.stringMatching(/about 25978 were expected/)] }),
  },
  {
    title: 'the usual count',
    replies: usage(26_000),
    plan: { message: text },
    expected: accepted('yes', { notes: [] }),
  },
  {
    title: 'a low count of a table that packs well',
    replies: usage(100),
    plan: { message: table },
    expected: accepted('yes', { notes: [expect.stringMatching(/may have read only part/)] }),
  },
  {
    title: 'no count',
    replies: stream(...whole('yes')),
    plan: { message: text },
    expected: accepted('yes', { notes: [] }),
  },
];

const SAID = (message: string) => new RegExp(`It said: "${message}"`);

const ERROR_ROWS: readonly Row[] = [
  {
    title: 'OpenAI: context_length_exceeded names bytes and the cap to lower',
    replies: [
      errorStatus(400, {
        error: {
          message: 'too long',
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      }),
    ],
    expected: failed(
      'PROVIDER_STATUS',
      /too long.*28 bytes were sent\. Lower the cap of 268435456 bytes \(`oracle\.bundles\.cap`\)/,
      {
        facts: { status: 400, error_code: 'context_length_exceeded', cause: 'context' },
      },
    ),
  },
  {
    title: 'OpenAI: insufficient_quota is not tried again although it is a 429',
    replies: [
      errorStatus(429, {
        error: { message: 'no quota', type: 'insufficient_quota', param: null, code: 'insufficient_quota' },
      }),
    ],
    expected: failed('PROVIDER_STATUS', /no quota left/),
  },
  {
    title: 'OpenRouter: 402',
    replies: [errorStatus(402, { error: { code: 402, message: 'pay' } })],
    expected: failed('PROVIDER_STATUS', /Status 402 \(402\)\. It said: "pay" The account has no credits left/),
  },
  {
    title: 'OpenRouter: 403 without the flagged input',
    replies: [
      errorStatus(403, {
        error: { code: 403, message: 'flagged', metadata: { reasons: ['x'], flagged_input: 'one line' } },
      }),
    ],
    expected: failed('PROVIDER_STATUS', /^(?!.*one line).*flagged.*moderation/),
  },
  ...[408, 500, 502, 504, 529].map(
    (status): Row => ({
      title: `status ${status} is not tried again`,
      replies: [errorStatus(status, { error: { code: status, message: 'gone' } })],
      expected: failed('PROVIDER_STATUS', SAID('gone'), { facts: expect.objectContaining({ status }) }),
    }),
  ),
  {
    title: 'vLLM: an error object',
    replies: [
      errorStatus(400, {
        object: 'error',
        message: 'This model has a maximum context length of 8192 tokens',
        type: 'BadRequestError',
        code: 400,
      }),
    ],
    expected: failed('PROVIDER_STATUS', /maximum context length.*Lower the cap/),
  },
  {
    title: 'llama.cpp: exceed_context_size_error with its counts',
    replies: [
      errorStatus(400, {
        error: { code: 400, message: 'too big', type: 'exceed_context_size_error', n_prompt_tokens: 9000, n_ctx: 4096 },
      }),
    ],
    expected: failed('PROVIDER_STATUS', /9000 tokens where 4096 fit/, {
      facts: expect.objectContaining({ prompt_tokens: 9000, context_tokens: 4096 }),
    }),
  },
  {
    title: 'llama.cpp: loading is a 503 like any other',
    replies: [
      errorStatus(503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }),
      { events: whole('yes') },
    ],
    expected: accepted('yes', { attempts: 2 }),
    connections: 2,
    waits: [5000],
  },
  {
    title: 'LM Studio: a string',
    replies: [errorStatus(400, { error: 'no model loaded' })],
    expected: failed('PROVIDER_STATUS', SAID('no model loaded')),
  },
  {
    title: 'a detail alone',
    replies: [errorStatus(422, { detail: 'not so' })],
    expected: failed('PROVIDER_STATUS', SAID('not so')),
  },
  {
    title: 'HTML',
    replies: [{ status: 502, text: '<h1>Bad Gateway</h1>' }],
    expected: failed('PROVIDER_STATUS', SAID('<h1>Bad Gateway</h1>')),
  },
  {
    title: 'an error that comes while the bundle is still being sent',
    replies: [{ status: 413, text: 'too large', read: { stopAfterBytes: 1000 } }],
    plan: { message: 'm'.repeat(16_000_000) },
    expected: failed('PROVIDER_STATUS', /too large.*Lower the cap/),
  },
  {
    title: 'a 413 from a gateway',
    replies: [{ status: 413, text: 'too large' }],
    expected: failed('PROVIDER_STATUS', /Lower the cap/),
  },
  {
    title: '401 names the credential',
    replies: [errorStatus(401, { error: { message: `bad key ${echoed}` } })],
    expected: failed('PROVIDER_STATUS', /credential "key" was not accepted/),
  },
  { title: '404', replies: [{ status: 404, text: '' }], expected: failed('PROVIDER_STATUS', /base_url/) },
  {
    title: 'a long message is quoted to 200 bytes, whole characters only',
    replies: [errorStatus(500, { error: { message: 'ü'.repeat(150) } })],
    expected: failed('PROVIDER_STATUS', new RegExp(`"${'ü'.repeat(100)}\\.\\.\\."`)),
  },
  {
    title: 'escape sequences and directions in a message are shown, not done',
    replies: [errorStatus(500, { error: { message: 'a\u001b[31mb\u202ec' } })],
    expected: failed('PROVIDER_STATUS', /a\\x1b\[31mb\\u202ec/),
  },
  {
    title: 'a credential that the 200 byte mark would cut in two',
    replies: [errorStatus(500, { error: { message: `${'x'.repeat(190)}${credential.value}` } })],
    expected: failed('PROVIDER_STATUS', /x{190}\[credentia\.\.\./),
  },
  {
    title: 'a body that is cut off is not quoted',
    replies: [{ status: 500, text: 'half a word', headers: { 'content-length': '999' }, end: 'close' }],
    expected: failed('PROVIDER_STATUS', /^(?!.*half).*$/s),
  },
  {
    title: 'a body over 16 KiB is not quoted',
    replies: [{ status: 500, text: 'e'.repeat(17_000) }],
    expected: failed('PROVIDER_STATUS', /^(?!.*eee).*$/s),
  },
  ...[301, 302, 303, 307, 308].map(
    (status): Row => ({
      title: `a redirect of ${status} is not followed`,
      replies: [{ status, headers: { location: 'http://127.0.0.1:1/v1?token=abc' } }],
      expected: failed('PROVIDER_REDIRECT', new RegExp(`Status ${status} to "http://127.0.0.1:1/v1"`)),
    }),
  ),
];

const RETRY_ROWS: readonly Row[] = [
  {
    title: 'a whole 429 is tried again after the seconds it names',
    replies: [errorStatus(429, { error: { message: 'slow down' } }, { 'retry-after': '7' }), { events: whole('yes') }],
    expected: accepted('yes', { attempts: 2 }),
    connections: 2,
    waits: [7000],
  },
  {
    title: 'retry-after-ms goes before retry-after',
    replies: [errorStatus(429, {}, { 'retry-after': '7', 'retry-after-ms': '1500' }), { events: whole('yes') }],
    expected: accepted('yes'),
    connections: 2,
    waits: [1500],
  },
  {
    title: 'a date that is past means now',
    replies: [errorStatus(503, {}, { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }), { events: whole('yes') }],
    expected: accepted('yes'),
    connections: 2,
    waits: [0],
  },
  {
    title: 'without a time named it waits 5 seconds, and gives up after two further tries',
    replies: [
      errorStatus(429, { error: { message: 'one' } }),
      errorStatus(503, {}),
      errorStatus(429, { error: { message: 'three' } }),
      { events: whole('late') },
    ],
    expected: failed('PROVIDER_STATUS', SAID('three'), { attempts: 3 }),
    connections: 3,
    waits: [5000, 5000],
  },
  {
    title: 'a wait that is longer than what is left of the total is not begun',
    replies: [errorStatus(429, { error: { message: 'later' } }, { 'retry-after': '3600' }), { events: whole('yes') }],
    expected: failed('PROVIDER_STATUS', SAID('later'), { attempts: 1 }),
  },
  {
    title: 'a 429 whose body is cut off is not tried again',
    replies: [
      { status: 429, text: 'half', headers: { 'content-length': '999' }, end: 'close' },
      { events: whole('yes') },
    ],
    expected: failed('PROVIDER_STATUS'),
  },
  {
    title: 'a 429 inside a 200 is not tried again',
    replies: [{ json: { error: { code: 429, message: 'slow down' } } }, { events: whole('yes') }],
    expected: failed('PROVIDER_STATUS', /provider is busy/),
  },
  {
    title: 'an answer that is cut off is not tried again',
    replies: [{ events: [{ text: 'half' }], end: 'close' }, { events: whole('yes') }],
    expected: failed('PROVIDER_CUT_OFF'),
  },
  {
    title: 'a connection that dies inside the request is not tried again',
    replies: [{ read: { stopAfterBytes: 10 }, silent: true, end: 'reset' }, { events: whole('yes') }],
    expected: failed('PROVIDER_CUT_OFF'),
    plan: { message: 'm'.repeat(2_000_000) },
  },
];

describe.each([
  ['a stream that is an answer', STREAM_ROWS],
  ['an end that is no answer', END_ROWS],
  ['an answer over a bound', BOUND_ROWS],
  ['an answer to a prompt that was cut', READ_LESS_ROWS],
  ['an error', ERROR_ROWS],
  ['trying again', RETRY_ROWS],
])('%s', { timeout: 60_000 }, (_group, rows) => {
  it.each(rows.map((row) => [row.title, row] as const))('%s', async (_title, row) => {
    const played = await playCall({
      replies: row.replies,
      ...row.plan,
      request: { credential, ...row.plan?.request },
    });
    expect(played.answer).toMatchObject(row.expected);
    expect(played.connections).toBe(row.connections ?? 1);
    expect(played.requests.length).toBe(row.connections ?? 1);
    expect(played.attempts).toEqual(Array.from({ length: row.connections ?? 1 }, (_, at) => at + 1));
    expect(played.waits).toEqual(row.waits ?? []);
    expectNoCredential(played.answer);
  });
});

describe('a credential that the provider says back', () => {
  const places: readonly (readonly [string, Replies])[] = [
    ['in the text of an answer', stream(...whole(`it is ${echoed}`))],
    [
      'cut in two by events',
      stream(
        { text: `a ${credential.value.slice(0, 9)}` },
        { text: `${credential.value.slice(9)} b` },
        { finish: 'stop' },
        { done: true },
      ),
    ],
    ['in an error’s message', [errorStatus(400, { error: { message: echoed, code: echoed, type: credential.value } })]],
    ['in an error that is no JSON', [{ status: 500, text: echoed }]],
    ['in an error of a stream', stream({ data: { error: { message: echoed, code: credential.value } } })],
    [
      'as the model',
      stream({ text: 'yes', model: credential.value }, { finish: 'stop', model: credential.value }, { done: true }),
    ],
    ['as two models', stream({ text: 'a', model: credential.value }, { text: 'b', model: `x${credential.value}` })],
    ['as the finish reason', stream({ text: 'yes' }, { finish: credential.value }, { done: true })],
    ['as the generation id', [{ events: whole('yes'), headers: { 'x-generation-id': credential.value } }]],
    ['in a page that is no answer', [{ text: `<p>${echoed}</p>` }]],
    [
      'in a redirect',
      [{ status: 302, headers: { location: `http://127.0.0.1:1/${encodeURIComponent(credential.value)}` } }],
    ],
  ];

  it.each(places)('%s is taken out', async (_place, replies) => {
    const { answer, requests } = await playCall({ replies, request: { credential } });
    expect(requests[0]?.headers['authorization']).toBe(`Bearer ${credential.value}`);
    expect(JSON.stringify(answer)).toContain('[credential]');
    expectNoCredential(answer);
  });
});

const expectNoCredential = (answer: unknown): void => {
  const said = JSON.stringify(answer).toLowerCase();
  for (const form of encodedForms(credential.value)) {
    expect(said).not.toContain(form.toLowerCase());
    expect(said).not.toContain(JSON.stringify(form).slice(1, -1).toLowerCase());
  }
};
