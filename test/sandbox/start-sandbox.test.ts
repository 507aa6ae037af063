import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { readScript } from '../../src/sandbox/script.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox.js';

let sandbox: Sandbox | null = null;

const started = async (options: Partial<SandboxOptions> = {}): Promise<Sandbox> => {
  sandbox = await startSandbox({ tls: false, ...options });
  return sandbox;
};

afterEach(async () => {
  await sandbox?.close();
  sandbox = null;
});

const ask = async (here: Sandbox, body: unknown): Promise<{ readonly status: number; readonly text: string }> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${here.baseUrl}/chat/completions`, { method: 'POST', body: text });
  return { status: response.status, text: await response.text() };
};

const framed = [
  'coldseal-bundle/1 items=2 boundary=0123456789abcdef',
  '=== 0123456789abcdef itm-0001 diff 20 "a..b" ===',
  'key = [blanked token:github_pat #1]',
  'again [blanked token:github_pat #1], mail [blanked identity:email]',
].join('\n');
const chat = (content: string, more: object = {}) => ({ model: 'm', messages: [{ role: 'user', content }], ...more });

describe('the sandbox', { timeout: 120_000 }, () => {
  it('answers a plain request with one JSON completion that says what it was sent', async () => {
    const { status, text } = await ask(await started(), chat(framed));
    const answer = JSON.parse(text);
    expect(status).toBe(200);
    expect(answer).toMatchObject({ object: 'chat.completion', model: 'm' });
    expect(answer.choices[0].finish_reason).toBe('stop');
    expect(answer.choices[0].message.content).toMatch(/a bundle of 2 items: \d+ bytes of request with 3 blanked marks/);
    expect(answer.usage.prompt_tokens).toBeGreaterThan(0);
  });

  it('answers a streamed request with events, and with usage only where it was asked for', async () => {
    const here = await started();
    const plain = await ask(here, chat('hello', { stream: true }));
    expect(plain.text).toMatch(/^data: \{.*\n\n$/s);
    expect(plain.text).toMatch(/data: \[DONE\]\n\n$/);
    expect(plain.text).not.toContain('usage');
    const counted = await ask(here, chat('hello', { stream: true, stream_options: { include_usage: true } }));
    expect(counted.text).toContain('"choices":[],"usage":');
  });

  it.each([
    ['a response format', { response_format: { type: 'json_object' } }],
    [
      'a system message that asks for one JSON document',
      { messages: [{ role: 'system', content: 'Answer with one JSON document.' }] },
    ],
  ])('answers with one JSON document for %s', async (_what, more) => {
    const { text } = await ask(await started(), chat('hello', more));
    expect(JSON.parse(JSON.parse(text).choices[0].message.content)).toMatchObject({ sandbox: true, blanked_marks: 0 });
  });

  it('counts the items of a reading by their keys', async () => {
    const reading = JSON.stringify({ bundle: { items: [{ item_key: 'itm-0001' }, { item_key: 'itm-0002' }] } });
    const here = await started();
    await ask(here, chat(reading));
    expect(here.requests()[0]?.summary).toMatchObject({ items: 2, blankedMarks: 0 });
  });

  it('lists its model', async () => {
    const here = await started();
    const response = await fetch(`${here.baseUrl}/models`);
    expect(await response.json()).toMatchObject({ data: [{ id: here.model }] });
  });

  it.each([
    ['no JSON', '{'],
    ['no messages', '{"model":"m","messages":[]}'],
    ['no model', '{"messages":[{"role":"user","content":"x"}]}'],
  ])('refuses a body with %s', async (_what, body) => {
    expect(await ask(await started(), body)).toMatchObject({ status: 400 });
  });

  it('answers 404 elsewhere', async () => {
    const here = await started();
    expect((await fetch(`${here.baseUrl}/embeddings`, { method: 'POST' })).status).toBe(404);
  });

  it('keeps what it received whole, byte for byte, in memory and in a folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coldseal-bodies-'));
    try {
      const here = await started({ keepBodies: true, bodiesFolder: folder });
      const body = JSON.stringify(chat('grün 🦭'.repeat(10_000)));
      await ask(here, body);
      expect(String(here.requests()[0]?.body)).toBe(body);
      expect(here.bodyBytes()).toBe(Buffer.byteLength(body));
      expect(await readdir(folder)).toEqual(['request-1.json']);
      expect(await readFile(join(folder, 'request-1.json'), 'utf8')).toBe(body);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('does not keep a body that is too large to parse, and answers it all the same', async () => {
    const here = await started();
    const { text } = await ask(here, chat(`${framed}\n${'x'.repeat(9 * 1024 * 1024)}`, { stream: true }));
    expect(here.requests()[0]).toMatchObject({ body: null, whole: true, summary: { items: 2, blankedMarks: 3 } });
    expect(text).toContain('"model":"m"');
  });

  it('prints a fragment that leads to it over TLS under a remote name', async () => {
    const here = await started({ tls: true });
    expect(here.fragment).toEqual({
      oracle: {
        api: { sandbox: { base_url: 'https://sandbox.coldseal.example/v1', models: [here.model] } },
        roles: { 'change-reviewer': `sandbox/${here.model}` },
        bundled_context_providers: ['sandbox'],
      },
      coldseal: {
        providers: {
          sandbox: { resolve: { 'sandbox.coldseal.example': here.address }, ca_file: here.caFile },
        },
      },
    });
    const ca = await readFile(here.caFile ?? '', 'utf8');
    const answer = await new Promise<string>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: here.port, servername: here.name, path: '/v1/models', ca };
      httpsRequest({ ...options, headers: { host: here.name }, agent: false }, (response) => {
        resolve(readText(response));
      })
        .on('error', reject)
        .end();
    });
    expect(answer).toContain(here.model);
  });

  it('leaves nothing behind when it is closed', async () => {
    const here = await startSandbox({ tls: true });
    const file = here.caFile ?? '';
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await here.close();
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('counts every connection, those that never become a request included', async () => {
    const here = await started({ script: readScript({ replies: [{ connection: 'close' }, { connection: 'reset' }] }) });
    await expect(ask(here, chat('a'))).rejects.toThrow();
    await expect(ask(here, chat('b'))).rejects.toThrow();
    expect((await ask(here, chat('c'))).status).toBe(200);
    expect([here.connections(), here.requests().length]).toEqual([3, 1]);
  });

  it('plays its replies in order and then answers itself, or repeats the last', async () => {
    const here = await started({ script: readScript({ replies: [{ status: 500 }, { status: 429, json: {} }] }) });
    const statuses = async () => [
      (await ask(here, chat('a'))).status,
      (await ask(here, chat('a'))).status,
      (await ask(here, chat('a'))).status,
    ];
    expect(await statuses()).toEqual([500, 429, 200]);
    here.play(readScript({ replies: [{ status: 500 }, { status: 418 }], after: 'repeat' }));
    expect(await statuses()).toEqual([500, 418, 418]);
  });
});

describe('a sandbox script', () => {
  it.each([
    ['a status that is none', { replies: [{ status: 42 }] }, /status/],
    ['a member nobody knows', { replies: [{ statsu: 500 }] }, /statsu/],
    ['an event nobody knows', { replies: [{ events: [{ txet: 'a' }] }] }, /events/],
    ['no reply', { replies: [] }, /replies/],
    ['something else', [], /expected object/i],
  ])('with %s is refused, naming it', (_what, script, named) => {
    expect(() => readScript(script)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(named) }),
    );
  });
});
