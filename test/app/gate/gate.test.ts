import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GateWorld, MODEL, openGateWorld } from '../../support/gate-world.js';
import { drawn, madeToken } from '../../support/made-secrets.js';
import type { RecordedCall } from '../../support/recording-provider.js';

const ANSWER =
  '{"id":"chatcmpl-1","model":"vendor/model-1",  "choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}';
const KEY = drawn(99, 40);

let world: GateWorld;
beforeAll(async () => {
  world = await openGateWorld(() => undefined, { key: 'main', environment: { COLDSEAL_KEY_MAIN: KEY } });
});
afterAll(() => world.close());
beforeEach(() => {
  world.provider.calls.length = 0;
  world.home.writeMachine(world.settings());
  world.provider.answer((_call, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(ANSWER) });
    response.end(ANSWER);
  });
});

const chat = (more: object): object => ({ model: MODEL, messages: [{ role: 'user', content: 'hello' }], ...more });
const only = (): RecordedCall => {
  const [call, ...others] = world.provider.calls;
  if (call === undefined || others.length > 0) throw new Error(`${others.length + 1} calls where one was due`);
  return call;
};
const lastRows = async (): Promise<readonly Record<string, unknown>[]> => (await world.rows()).slice(-2);
const withGate = (gate: object, oracle: object = {}): void => {
  const settings = world.settings();
  world.home.writeMachine({
    oracle: { ...settings.oracle, ...oracle },
    coldseal: { ...settings.coldseal, gate: { providers: ['there'], ...gate } },
  });
};

describe('a request without secrets', () => {
  const body = `{ "model":"${MODEL}","temperature":0.70,"n":1e0,\n"messages":[{"role":"user","content":"caf\\u00e9 \\/ \\ud83d\\ude00"}],"later":[null,true] }`;

  it('arrives byte for byte, and its answer comes back byte for byte', async () => {
    const answer = await world.post('chat/completions', body);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(ANSWER);
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(ANSWER)));
    expect(only().body.toString()).toBe(body);
    expect(only().url).toBe('/v1/chat/completions');
  });

  it.each([
    ['chat/completions', '/v1/chat/completions'],
    ['v1/chat/completions', '/v1/chat/completions'],
    ['messages', '/v1/messages'],
    ['v1/messages', '/v1/messages'],
    ['v1/messages?beta=true', '/v1/messages?beta=true'],
    ['v1/messages/count_tokens', '/v1/messages/count_tokens'],
    ['chat/completions?user=robin&beta=true', '/v1/chat/completions'],
  ])('posted to %s goes to %s', async (path, url) => {
    expect((await world.post(path, body)).status).toBe(200);
    expect(only().url).toBe(url);
  });

  it('carries our credential and no header of the client but the closed list', async () => {
    const headers = {
      cookie: 'a=b',
      'x-custom': 'c',
      'openai-beta': 'assistants=v2',
    };
    await world.post('chat/completions', body, headers);
    const { host: _host, connection: _connection, ...sent } = only().headers;
    expect(sent).toEqual({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: `Bearer ${KEY}`,
      'openai-beta': 'assistants=v2',
    });
  });

  it('of the other format carries the credential where its client carries one', async () => {
    await world.post('v1/messages', body, { 'x-api-key': world.token, 'anthropic-beta': 'tools-2024-04-04' });
    expect(only().headers).toMatchObject({
      'x-api-key': KEY,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'tools-2024-04-04',
    });
    expect(only().headers.authorization).toBeUndefined();
  });

  it('is recorded before the call and after it, by role and place and without its text', async () => {
    const answer = await world.post('chat/completions', chat({ messages: [{ role: 'user', content: 'xyzzy-plugh' }] }));
    const [start, end] = await lastRows();
    expect(answer.headers.get('x-coldseal-record')).toBe(start?.['id']);
    expect(start).toMatchObject({
      event: 'start',
      verb: 'gate',
      route: { agent: 'gate', provider: 'there', model_asked: MODEL, remote: true, credential: 'main' },
      bundle: { kind: 'gate', project: null, blanked: [], cap: 4 * 1024 * 1024, cap_origin: 'default' },
    });
    const bundle = start?.['bundle'] as { items: object[]; digest: string; bytes: number; raw_bytes: number };
    expect(bundle.digest).toBe(`sha256:${createHash('sha256').update(only().body).digest('hex')}`);
    expect(bundle.bytes).toBe(only().body.length);
    expect(bundle.items).toEqual([
      { id: 'itm-0001', input: 'members', label: 'members', raw_bytes: expect.any(Number), bytes: expect.any(Number) },
      { id: 'itm-0002', input: 'message', label: 'messages[0] user', raw_bytes: 39, bytes: 39 },
    ]);
    expect(end).toMatchObject({
      event: 'end',
      id: start?.['id'],
      outcome: 'sent',
      model_reported: MODEL,
      usage: { prompt_tokens: 7, completion_tokens: 3 },
      answer_bytes: Buffer.byteLength(ANSWER),
    });
    expect(JSON.stringify([start, end])).not.toContain('xyzzy');
  });
});

describe('a secret in a request', () => {
  const secret = madeToken(1);
  const [front, back] = [secret.slice(0, 17), secret.slice(17)];
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  const POSITIONS: readonly [where: string, more: object][] = [
    ['a system message', { messages: [{ role: 'system', content: `use ${secret}` }] }],
    ['a user message', { messages: [{ role: 'user', content: secret }] }],
    ['an assistant message', { messages: [{ role: 'assistant', content: `"${secret}"\n` }] }],
    ['a tool’s result', { messages: [{ role: 'tool', tool_call_id: 'c', content: `{"out":"${secret}"}` }] }],
    ['a content part', { messages: [{ role: 'user', content: [{ type: 'text', text: `\t${secret}` }] }] }],
    [
      'two messages of one speaker',
      {
        messages: [
          { role: 'user', content: front },
          { role: 'user', content: [{ type: 'text', text: back }] },
        ],
      },
    ],
    [
      'two content parts',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: front },
              { type: 'text', text: back },
            ],
          },
        ],
      },
    ],
    [
      'a tool call’s arguments',
      { messages: [{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: `{"a":"${secret}"}` } }] }] },
    ],
    [
      'two tool calls’ arguments',
      { messages: [{ tool_calls: [front, back].map((part) => ({ function: { arguments: part } })) }] },
    ],
    [
      'a list in the arguments',
      { messages: [{ tool_calls: [{ function: { arguments: JSON.stringify({ a: [front, back] }) } }] }] },
    ],
    [
      'JSON in the arguments',
      {
        messages: [{ tool_calls: [{ function: { arguments: JSON.stringify({ a: JSON.stringify({ b: secret }) }) } }] }],
      },
    ],
    [
      'a key of the arguments',
      { messages: [{ tool_calls: [{ function: { arguments: JSON.stringify({ [secret]: 1 }) } }] }] },
    ],
    ['a name', { messages: [{ role: 'user', name: secret, content: 'x' }] }],
    ['a tool’s description', { tools: [{ type: 'function', function: { name: 'f', description: secret } }] }],
    ['a key of a schema', { tools: [{ function: { parameters: { properties: { [secret]: {} } } } }] }],
    ['a default in a schema', { tools: [{ function: { parameters: { default: { x: [secret] } } } }] }],
    ['a member nobody knows', { later: { deep: [[{ x: secret }]] } }],
    ['a key of the body', { [secret]: true }],
    ['metadata', { metadata: { note: secret } }],
    ['a stop word', { stop: [secret] }],
    ['the user', { user: secret }],
    [
      'a file of text',
      { messages: [{ content: [{ type: 'file', file: { filename: 'a', file_data: base64(`k=${secret}\n`) } }] }] },
    ],
    [
      'a file’s data URL',
      { messages: [{ content: [{ type: 'file', file: { file_data: `data:text/plain;base64,${base64(secret)}` } }] }] },
    ],
    [
      'a file’s name',
      { messages: [{ content: [{ type: 'file', file: { filename: secret, file_data: base64('x') } }] }] },
    ],
    ['the system text of the other format', { system: [{ type: 'text', text: secret }] }],
    [
      'a tool’s input',
      { messages: [{ role: 'assistant', content: [{ type: 'tool_use', input: { a: { b: [secret] } } }] }] },
    ],
    [
      'a tool’s result block',
      { messages: [{ role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: secret }] }] }] },
    ],
    [
      'a document of text',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'document', title: 't', source: { type: 'text', media_type: 'text/plain', data: secret } },
            ],
          },
        ],
      },
    ],
    [
      'a document of base64',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'document', source: { type: 'base64', media_type: 'text/plain', data: base64(secret) } }],
          },
        ],
      },
    ],
    [
      'a thought',
      { messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking: secret, signature: 'c2ln' }] }] },
    ],
    ['base64 in a text', { messages: [{ role: 'user', content: `token: ${base64(secret)}` }] }],
    [
      'percent escapes in a text',
      { messages: [{ role: 'user', content: encodeURIComponent(`a=${secret}`).replaceAll('_', '%5F') }] },
    ],
    [
      'the value told by its name',
      { messages: [{ content: [{ type: 'tool_use', input: { password: drawn(7, 20) } }] }] },
    ],
    [
      'a second place in another form',
      { messages: [{ content: secret }, { content: Buffer.from(secret).toString('hex') }] },
    ],
  ];
  const forms = (value: string): readonly string[] => [
    value,
    Buffer.from(value).toString('hex'),
    Buffer.from(value).toString('base64').slice(0, -4),
    encodeURIComponent(value).replaceAll('_', '%5F'),
  ];
  const decodedTexts = (value: unknown): string => {
    const texts: string[] = [];
    const walk = (one: unknown): void => {
      if (typeof one === 'string') {
        texts.push(one, Buffer.from(one.replace(/^data:[^,]*,/, ''), 'base64').toString('utf8'));
        try {
          walk(JSON.parse(one));
        } catch {
          // No JSON: a text.
        }
      } else if (typeof one === 'object' && one !== null) {
        for (const [name, member] of Object.entries(one)) {
          texts.push(name);
          walk(member);
        }
      }
    };
    walk(value);
    return texts.join('').replaceAll(/\s/g, '');
  };

  it.each(POSITIONS)('in %s never reaches the provider', async (_where, more) => {
    const answer = await world.post('chat/completions', { ...chat({}), ...more });
    expect([answer.status, await answer.text()]).toEqual([200, ANSWER]);
    const sent = only().body.toString('utf8');
    const seen = `${sent}\n${decodedTexts(JSON.parse(sent))}`;
    for (const form of [...forms(secret), drawn(7, 20)]) expect(seen).not.toContain(form);
    // Nor does one half of a value that was split.
    expect(seen).not.toContain(front);
    expect(seen).not.toContain(back);
    expect(seen).toMatch(/\[blanked/);
    expect(Number(answer.headers.get('x-coldseal-blanked'))).toBeGreaterThan(0);
    const [start = {}] = await lastRows();
    expect(JSON.stringify(start)).not.toContain(secret);
    const { blanked } = start['bundle'] as { blanked: readonly object[] };
    expect(blanked.length).toBe(Number(answer.headers.get('x-coldseal-blanked')));
  });

  it('leaves arguments of tools valid JSON, and the rest of the body as it was typed', async () => {
    const inner = JSON.stringify({ path: 'a\n"b"', token: secret, n: 1 });
    const body = `{"model":"${MODEL}", "messages":[ {"tool_calls":[{"function":{"arguments":${JSON.stringify(inner)}}}]}],"t":1.50}`;
    await world.post('chat/completions', body);
    const sent = only().body.toString();
    expect(sent).toBe(body.replace(secret, '[blanked token:github_pat #1]'));
    const call = JSON.parse(sent).messages[0].tool_calls[0].function.arguments;
    expect(JSON.parse(call)).toEqual({ path: 'a\n"b"', token: '[blanked token:github_pat #1]', n: 1 });
  });

  it('keeps its number wherever it stands', async () => {
    const other = madeToken(2);
    await world.post('chat/completions', chat({ messages: [{ content: `${other} ${secret}` }, { content: secret }] }));
    const contents = JSON.parse(only().body.toString()).messages.map(({ content }: { content: string }) => content);
    expect(contents).toEqual([
      '[blanked token:github_pat #1] [blanked token:github_pat #2]',
      '[blanked token:github_pat #2]',
    ]);
  });

  it('that is the provider’s own credential is blanked too', async () => {
    await world.post('chat/completions', chat({ messages: [{ content: `the key ${KEY}` }] }));
    expect(only().body.toString()).not.toContain(KEY);
  });

  it('in a header that would travel is refused', async () => {
    const answer = await world.post('v1/messages', chat({}), { 'anthropic-beta': secret });
    expect(await answer.json()).toMatchObject({ error: { code: 'SETTING_REFUSED' } });
    expect(world.provider.calls).toEqual([]);
  });
});

describe('a request that is refused', () => {
  const refused = async (body: unknown, path = 'chat/completions'): Promise<{ status: number; code: string }> => {
    const answer = await world.post(path, body);
    const { error } = (await answer.json()) as { error: { code: string; message: string; type: string } };
    expect(world.provider.calls).toEqual([]);
    expect(error.message).toContain(error.code);
    return { status: answer.status, code: error.code };
  };

  it('names a model that is not on the owner’s list, or denied', async () => {
    expect(await refused(chat({ model: 'vendor/other' }))).toEqual({ status: 422, code: 'MODEL_NOT_LISTED' });
    withGate({}, { denylist: ['vendor/*'] });
    expect(await refused(chat({}))).toEqual({ status: 422, code: 'MODEL_DENIED' });
    expect(await lastRows()).toMatchObject([
      {},
      { event: 'refused', code: 'MODEL_DENIED', kind: 'gate', verb: 'gate' },
    ]);
  });

  it('is over the gate’s cap by one byte, and passes at the cap', async () => {
    const body = JSON.stringify(chat({}));
    withGate({ cap: Buffer.byteLength(body) });
    expect((await world.post('chat/completions', body)).status).toBe(200);
    world.provider.calls.length = 0;
    withGate({ cap: Buffer.byteLength(body) - 1 });
    expect(await refused(body)).toEqual({ status: 413, code: 'OVER_CAP' });
  });

  it('is weighed as it would be sent, not as it came', async () => {
    const block = `-----BEGIN ${'PRIVATE'} KEY-----\n${drawn(3, 2000)}\n-----END ${'PRIVATE'} KEY-----`;
    withGate({ cap: 400 });
    const answer = await world.post('chat/completions', chat({ messages: [{ content: block }] }));
    expect(answer.status).toBe(200);
    expect(only().body.length).toBeLessThanOrEqual(400);
  });

  it('holds a part that cannot be scanned, unless the owner admits it', async () => {
    const png = Buffer.from([0x89, 0x50, 0xff, 0]).toString('base64');
    const body = JSON.stringify(
      chat({
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }] },
        ],
      }),
    );
    expect(await refused(body)).toEqual({ status: 422, code: 'SCAN_FAILED' });
    withGate({ admit_opaque: true });
    expect((await world.post('chat/completions', body)).status).toBe(200);
    expect(only().body.toString()).toBe(body);
    const [start] = await lastRows();
    expect(start).toMatchObject({ bundle: { items: [{}, { label: 'messages[0] user, not scanned' }] } });
  });

  it.each<[what: string, body: unknown, code: string]>([
    ['no JSON', '{', 'USAGE'],
    ['a body that names a member twice', `{"model":"${MODEL}","model":"x"}`, 'USAGE'],
    ['no model', { messages: [] }, 'USAGE'],
  ])('is %s', async (_what, body, code) => {
    expect((await refused(body)).code).toBe(code);
  });

  it('names a provider that is not configured, or that the gate is off for', async () => {
    const settings = world.settings();
    world.home.writeMachine({ ...settings, coldseal: { ...settings.coldseal, gate: { providers: [] } } });
    expect(await refused(chat({}))).toEqual({ status: 422, code: 'PROVIDER_UNKNOWN' });
    const answer = await world.post('../therex/chat/completions', '{}');
    expect(await answer.json()).toMatchObject({ error: { code: 'PROVIDER_UNKNOWN' } });
  });

  it('is refused in the shape that the client’s library reads', async () => {
    const openai = await world.post('chat/completions', '{');
    expect(await openai.json()).toEqual({
      error: { message: expect.stringMatching(/^USAGE: /), type: 'invalid_request_error', param: null, code: 'USAGE' },
    });
    const anthropic = await world.post('v1/messages', '{');
    expect(await anthropic.json()).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringMatching(/^USAGE: /), code: 'USAGE' },
    });
    expect(anthropic.headers.get('x-should-retry')).toBe('false');
  });

  it('would come back to this very service', async () => {
    const settings = world.settings();
    world.home.writeMachine({
      oracle: { api: { there: { base_url: `http://localhost:${world.port}/v1/gate/there`, models: [MODEL] } } },
      coldseal: { gate: { providers: ['there'] }, threads: settings.coldseal['threads'] },
    });
    expect(await refused(chat({}))).toEqual({ status: 422, code: 'CONFIG_INVALID' });
    expect(await lastRows()).toMatchObject([
      { event: 'start' },
      { event: 'end', outcome: 'refused', code: 'CONFIG_INVALID', request: 'unsent' },
    ]);
  });
});

describe('the owner’s models', () => {
  it('are listed without a call, but for those that are denied', async () => {
    const list = await world.get('models');
    expect(await list.json()).toEqual({
      object: 'list',
      data: [{ id: MODEL, object: 'model', created: 0, owned_by: 'there' }],
    });
    const other = await world.get('v1/models', { 'anthropic-version': '2023-06-01' });
    expect(await other.json()).toMatchObject({ data: [{ type: 'model', id: MODEL }], has_more: false });
    expect((await world.get(`models/${MODEL}`)).status).toBe(200);
    expect((await world.get('models/vendor/none')).status).toBe(404);
    withGate({}, { denylist: [MODEL] });
    expect(await (await world.get('models')).json()).toEqual({ object: 'list', data: [] });
    expect(world.provider.calls).toEqual([]);
  });
});
