/** A client that nobody here wrote talks to the sandbox: what it reads is what the sandbox says it speaks. */
import OpenAI, { APIConnectionError, APIError, RateLimitError } from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readScript, type ScriptInput } from '../../src/sandbox/script.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { madeCredential } from '../support/made-call.js';

let sandbox: Sandbox;
let client: OpenAI;
let apiKey: string;

beforeEach(async () => {
  sandbox = await startSandbox({ tls: false, keepBodies: true });
  apiKey = madeCredential();
  client = new OpenAI({ baseURL: sandbox.baseUrl, apiKey, maxRetries: 0, timeout: 60_000 });
});
afterEach(() => sandbox.close());

const messages = [
  { role: 'system' as const, content: 'You review changes.' },
  { role: 'user' as const, content: 'a line\nand "another"\n' },
];
const play = (...replies: ScriptInput['replies']) => sandbox.play(readScript({ replies }));

describe('the openai client', () => {
  it('lists the sandbox’s models', async () => {
    const models = await client.models.list();
    expect(models.data.map((model) => model.id)).toEqual([sandbox.model]);
  });

  it('reads a whole completion with its usage', async () => {
    const answer = await client.chat.completions.create({ model: sandbox.model, messages });
    expect(answer).toMatchObject({ object: 'chat.completion', model: sandbox.model });
    expect(answer.choices).toMatchObject([{ index: 0, finish_reason: 'stop', message: { role: 'assistant' } }]);
    expect(answer.choices[0]?.message.content).toContain('The sandbox received');
    expect(answer.usage?.total_tokens).toBe(
      (answer.usage?.prompt_tokens ?? 0) + (answer.usage?.completion_tokens ?? Number.NaN),
    );
    expect(sandbox.requests()[0]?.headers['authorization']).toBe(`Bearer ${apiKey}`);
  });

  it('reads a streamed one event by event, the usage chunk last', async () => {
    const stream = await client.chat.completions.create({
      model: sandbox.model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    const reasons: unknown[] = [];
    let usage: unknown = null;
    for await (const chunk of stream) {
      expect(chunk.object).toBe('chat.completion.chunk');
      text += chunk.choices[0]?.delta.content ?? '';
      if (chunk.choices[0]?.finish_reason) reasons.push(chunk.choices[0].finish_reason);
      usage = chunk.usage ?? usage;
    }
    expect(text).toContain('The sandbox received');
    expect(reasons).toEqual(['stop']);
    expect(usage).toMatchObject({ prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) });
  });

  it('gathers the same text through its own stream helper', async () => {
    const runner = client.chat.completions.stream({ model: sandbox.model, messages });
    const completion = await runner.finalChatCompletion();
    expect(completion.choices[0]?.message.content).toContain('The sandbox received');
  });

  it('takes a scripted 429, an error inside the stream and a dead connection for what they are', async () => {
    const ask = () => client.chat.completions.create({ model: sandbox.model, messages, stream: true });
    const readAll = async () => {
      let text = '';
      for await (const chunk of await ask()) text += chunk.choices[0]?.delta.content ?? '';
      return text;
    };
    play({ status: 429, json: { error: { message: 'slow down', type: 'rate', code: 'rate_limit_exceeded' } } });
    await expect(readAll()).rejects.toBeInstanceOf(RateLimitError);
    play({ events: [{ text: 'half' }, { data: { error: { message: 'broken', code: 502 } } }] });
    await expect(readAll()).rejects.toBeInstanceOf(APIError);
    play({ connection: 'reset' });
    await expect(readAll()).rejects.toBeInstanceOf(APIConnectionError);
    play({ events: [{ text: 'whole' }, { finish: 'stop' }, { done: true }] });
    await expect(readAll()).resolves.toBe('whole');
  });
});
