import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerChat } from '../support/chat-provider.js';
import { drawn, madeToken } from '../support/made-secrets.js';
import { makeProgramHome, type ProgramHome } from '../support/program-home.js';
import { type RecordingProvider, startRecordingProvider } from '../support/recording-provider.js';
import { type ServedProgram, serveProgram } from '../support/served-program.js';

const NAME = 'models.example.com';
const MODEL = 'vendor/model-1';
const KEY = drawn(41, 44);

let provider: RecordingProvider;
let home: ProgramHome;
let service: ServedProgram;

beforeAll(async () => {
  provider = await startRecordingProvider(NAME, answerChat);
  home = makeProgramHome({
    oracle: { api: { there: { base_url: `https://${NAME}/v1`, models: [MODEL], key: 'main' } } },
    coldseal: {
      threads: 2,
      providers: { there: { resolve: { [NAME]: `127.0.0.1:${provider.port}` }, ca_file: provider.caFile } },
      gate: { providers: ['there'] },
    },
  });
  service = await serveProgram(home, { COLDSEAL_KEY_MAIN: KEY });
});
afterAll(async () => {
  await service.end();
  await provider.close();
  home.remove();
});
beforeEach(() => {
  provider.calls.length = 0;
});

const openai = (): OpenAI =>
  new OpenAI({ baseURL: `${service.url}/v1/gate/there`, apiKey: service.token, maxRetries: 0 });
const anthropic = (): Anthropic =>
  new Anthropic({ baseURL: `${service.url}/v1/gate/there`, apiKey: service.token, maxRetries: 0 });
const sent = (): string => provider.calls.map(({ body }) => body.toString('utf8')).join('\n');

const TOOL = {
  type: 'function',
  function: { name: 'look_up', parameters: { type: 'object', properties: { place: { type: 'string' } } } },
} as const;

describe('the openai package through the gate', () => {
  it('chats', async () => {
    const answer = await openai().chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'hello' }],
    });
    expect(answer.choices[0]?.message.content).toMatch(/^I read \d+ bytes, café 😀$/);
    expect(provider.calls[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('is told in its own shape what the gate does not forward', async () => {
    const refused = await openai()
      .embeddings.create({ model: MODEL, input: 'x' })
      .then(
        () => null,
        (error: unknown) => error,
      );
    expect(refused).toBeInstanceOf(APIError);
    expect(refused).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect(String(refused)).toContain('the gate forwards POST chat/completions');
    expect(provider.calls).toEqual([]);
  });

  it('streams', async () => {
    const stream = await openai().chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'hello' }],
      stream: true,
    });
    const texts: string[] = [];
    for await (const chunk of stream) texts.push(chunk.choices[0]?.delta.content ?? '');
    expect(texts.join('')).toMatch(/^I read \d+ bytes, café 😀$/);
    expect(texts.length).toBeGreaterThan(10);
  });

  it('calls tools and gives their results back, whole and streamed', async () => {
    const secret = madeToken(11);
    const first = await openai().chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'look' }],
      tools: [TOOL],
    });
    const message = first.choices[0]?.message;
    const calls = message?.tool_calls ?? [];
    expect(calls.map((call) => (call.type === 'function' ? call.function.arguments : ''))).toEqual([
      '{"place":"here"}',
      '{"place":"there"}',
    ]);
    if (message === undefined) throw new Error('no message');
    const stream = openai().chat.completions.stream({
      model: MODEL,
      messages: [
        { role: 'user', content: 'look' },
        message,
        ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: JSON.stringify({ secret }) }) as const),
      ],
      tools: [TOOL],
    });
    const last = await stream.finalChatCompletion();
    expect(last.choices[0]?.message.tool_calls?.length).toBe(2);
    expect(sent()).not.toContain(secret);
    expect(JSON.parse(provider.calls[1]?.body.toString() ?? '').messages[2]).toEqual({
      role: 'tool',
      tool_call_id: 'call_1',
      content: '{"secret":"[blanked token:github_pat #1]"}',
    });
  });

  it('asks 20 things at once, each answered as its own and recorded', async () => {
    const unended = (): number =>
      home.rows().reduce((open, { event }) => open + Number(event === 'start') - Number(event === 'end'), 0);
    await expect.poll(unended, { timeout: 60_000 }).toBe(0);
    const before = home.rows().length;
    const secrets = Array.from({ length: 20 }, (_, index) => madeToken(100 + index));
    const answers = await Promise.all(
      secrets.map((secret, index) =>
        openai().chat.completions.create({
          model: MODEL,
          messages: [{ role: 'user', content: `${'x'.repeat(1000 * index)} ${secret}` }],
        }),
      ),
    );
    const sizes = answers.map(({ choices }) => Number(/\d+/.exec(choices[0]?.message.content ?? '')?.[0]));
    expect(new Set(sizes).size).toBe(20);
    expect([...sizes].sort((a, b) => a - b)).toEqual(sizes);
    for (const secret of secrets) expect(sent()).not.toContain(secret);
    await expect.poll(() => home.rows().length - before, { timeout: 60_000 }).toBe(40);
  });

  it('reads a refusal as an error of its own with our code', async () => {
    const asked = openai().chat.completions.create({ model: 'vendor/none', messages: [] });
    const error = await asked.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 422, code: 'MODEL_NOT_LISTED', type: 'invalid_request_error' });
    const stranger = new OpenAI({ baseURL: `${service.url}/v1/gate/there`, apiKey: 'nobody', maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    expect(provider.calls).toEqual([]);
  });

  it('lists the owner’s models', async () => {
    const models = await openai().models.list();
    expect(models.data.map(({ id }) => id)).toEqual([MODEL]);
  });
});

describe('the Anthropic package through the gate', () => {
  it('chats, streams and calls tools', async () => {
    const secret = madeToken(12);
    const asked = { model: MODEL, max_tokens: 100, messages: [{ role: 'user', content: `say ${secret}` } as const] };
    const whole = await anthropic().messages.create({ ...asked, system: [{ type: 'text', text: secret }] });
    expect(whole.content[0]).toMatchObject({ type: 'text', text: expect.stringMatching(/^I read \d+ bytes/) });
    const stream = await anthropic().messages.stream(asked).finalMessage();
    expect(stream.content[0]).toMatchObject({ type: 'text', text: expect.stringMatching(/^I read \d+ bytes/) });
    const tools = await anthropic().messages.create({
      ...asked,
      tools: [{ name: 'look_up', input_schema: { type: 'object' } }],
      messages: [
        { role: 'user', content: 'look' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look_up', input: { at: [secret] } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: `found ${secret}` }] },
      ],
    });
    expect(tools.content.map(({ type }) => type)).toEqual(['tool_use', 'tool_use']);
    expect(provider.calls.map(({ url }) => url)).toEqual(['/v1/messages', '/v1/messages', '/v1/messages']);
    expect(provider.calls[0]?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'anthropic-version': expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
    expect(sent()).not.toContain(secret);
  });

  it('carries the credential in the header that the client says who it is with', async () => {
    const client = new Anthropic({
      baseURL: `${service.url}/v1/gate/there`,
      apiKey: null,
      defaultHeaders: { 'X-Api-Key': service.token },
      maxRetries: 0,
    });
    await client.messages.create({ model: MODEL, max_tokens: 1, messages: [{ role: 'user', content: 'a' }] });
    expect(provider.calls[0]?.headers['x-api-key']).toBe(KEY);
    expect(provider.calls[0]?.headers.authorization).toBeUndefined();
  });

  it('reads a refusal as an error of its own', async () => {
    const asked = anthropic().messages.create({ model: 'vendor/none', max_tokens: 1, messages: [] });
    await expect(asked).rejects.toMatchObject({ status: 422, error: { error: { code: 'MODEL_NOT_LISTED' } } });
  });

  it('lists the owner’s models', async () => {
    const ids: string[] = [];
    for await (const { id } of anthropic().models.list()) ids.push(id);
    expect(ids).toEqual([MODEL]);
  });
});
