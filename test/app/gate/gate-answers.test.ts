import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../src/sandbox/certificate.js';
import { type GateWorld, MODEL, openGateWorld } from '../../support/gate-world.js';
import { drawn } from '../../support/made-secrets.js';

const KEY = drawn(77, 40);
const ASK = { model: MODEL, stream: true, messages: [{ role: 'user', content: 'hello' }] };

let world: GateWorld;
beforeAll(async () => {
  world = await openGateWorld(() => undefined, { key: 'main', environment: { COLDSEAL_KEY_MAIN: KEY } });
});
afterAll(() => world.close());
beforeEach(() => {
  world.provider.calls.length = 0;
  world.home.writeMachine(world.settings());
});

const ask = (): Promise<Response> => world.post('chat/completions', ASK);
const lastRow = async (): Promise<Record<string, unknown>> => (await world.rows()).at(-1) ?? {};

describe('an answer that passes through', () => {
  it('is the same bytes, event by event as they come', async () => {
    const events = [
      ': hi\n\n',
      'data: {"a":"caf\u00e9"}\r\n\r\n',
      'event: x\ndata: 1\ndata: 2\n\n',
      'data: [DONE]\n\n',
    ];
    const gates: (() => void)[] = [];
    world.provider.answer(async (_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'set-cookie': 'a=b', 'x-ratelimit-limit': '9' });
      for (const event of events) {
        response.write(event);
        await new Promise<void>((resolve) => gates.push(resolve));
      }
      response.end();
    });
    const answer = await ask();
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('x-ratelimit-limit')).toBe('9');
    const reader = answer.body?.getReader();
    let text = '';
    for (const event of events) {
      // Nothing more comes before the provider goes on: each event passes as soon as it is there.
      text = Buffer.from((await reader?.read())?.value ?? []).toString('utf8');
      expect(text).toBe(event);
      gates.shift()?.();
    }
    expect((await reader?.read())?.done).toBe(true);
    expect(await lastRow()).toMatchObject({ event: 'end', outcome: 'sent' });
  });

  it('does not hold our credential in any form, and keeps its length', async () => {
    const told = `data: ${KEY} ${Buffer.from(`Bearer ${KEY}`).toString('base64')} ${Buffer.from(KEY).toString('hex')}\n\n`;
    world.provider.answer(async (_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': KEY });
      for (const part of [told.slice(0, 20), told.slice(20, 41), told.slice(41)]) {
        response.write(part);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      response.end();
    });
    const answer = await ask();
    const text = await answer.text();
    expect(text.length).toBe(told.length);
    expect(text).toMatch(/^data: \*{40} /);
    expect(text).not.toContain(KEY.slice(4, -4));
    expect(text).not.toContain(Buffer.from(KEY).toString('hex').slice(8, -8));
    expect(text).not.toContain(Buffer.from(`Bearer ${KEY}`).toString('base64').slice(16, -8));
    expect(answer.headers.get('request-id')).toBe('[credential]');
  });

  it.each([400, 401, 404, 429, 500, 529])('of status %i is passed on with what it says, scrubbed', async (status) => {
    const body = JSON.stringify({ error: { message: `no: ${KEY}`, type: 'some_error', code: null } });
    world.provider.answer((_call, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' });
      response.end(body);
    });
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(await answer.text()).toBe(body.replace(KEY, '*'.repeat(KEY.length)));
    expect(world.provider.calls.length).toBe(1);
    expect(await lastRow()).toMatchObject({ outcome: 'provider_failed', code: 'PROVIDER_STATUS', request: 'answered' });
  });

  it('that redirects is not followed', async () => {
    world.provider.answer((_call, response) => {
      response.writeHead(307, { location: 'https://elsewhere.example.com/?key=1' });
      response.end();
    });
    const answer = await ask();
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({ error: { code: 'PROVIDER_REDIRECT', type: 'api_error' } });
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(world.provider.calls.length).toBe(1);
  });

  it.each([600, 999])('of status %i is no answer and said to be none', async (status) => {
    world.provider.answer((_call, response) => {
      response.writeHead(status);
      response.end('{}');
    });
    const answer = await ask();
    expect([answer.status, await answer.json()]).toMatchObject([502, { error: { code: 'PROVIDER_ANSWER_INVALID' } }]);
    expect(await lastRow()).toMatchObject({ outcome: 'provider_failed', code: 'PROVIDER_ANSWER_INVALID' });
  });

  it('that is compressed is not passed on', async () => {
    world.provider.answer((_call, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end('x');
    });
    expect(await (await ask()).json()).toMatchObject({ error: { code: 'PROVIDER_ANSWER_INVALID' } });
  });

  it('that is cut off is cut off for the client too, and recorded as that', async () => {
    let cut = (): void => undefined;
    world.provider.answer((_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      cut = () => response.socket?.destroy();
    });
    const answer = await ask();
    const reader = answer.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n');
    // Only now: what is cut before it came is no answer at all.
    cut();
    await expect(reader?.read()).rejects.toThrow();
    expect(await lastRow()).toMatchObject({ outcome: 'provider_failed', code: 'PROVIDER_CUT_OFF' });
  });

  it('is no longer asked for when the client leaves: the provider’s socket is closed', async () => {
    world.provider.answer((_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
    });
    const answer = await ask();
    const reader = answer.body?.getReader();
    await reader?.read();
    expect(world.provider.open()).toBeGreaterThan(0);
    await reader?.cancel();
    await expect.poll(() => world.provider.open()).toBe(0);
    expect(await lastRow()).toMatchObject({ outcome: 'provider_failed', code: 'CANCELLED', request: 'answered' });
  });

  it('is read no faster than the client takes it', async () => {
    let written = 0;
    world.provider.answer(async (_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const block = Buffer.alloc(64 * 1024, 'x');
      const closed = new Promise((resolve) => response.once('close', resolve));
      for (let count = 0; count < 1024 && !response.destroyed; count += 1) {
        written += block.length;
        if (!response.write(block))
          await Promise.race([new Promise((resolve) => response.once('drain', resolve)), closed]);
      }
      response.end();
    });
    const answer = await ask();
    const reader = answer.body?.getReader();
    await reader?.read();
    await new Promise((resolve) => setTimeout(resolve, 300));
    // What kernels and TLS hold on both ways; well under the 64 MiB of the whole.
    expect(written).toBeLessThan(24 * 1024 * 1024);
    await reader?.cancel();
    await expect.poll(() => world.provider.open()).toBe(0);
  });
});

describe('a call that does not come to an answer', () => {
  it('is told that the provider cannot be reached, and may be tried again', async () => {
    const settings = world.settings();
    world.home.writeMachine({
      ...settings,
      oracle: { api: { there: { ...settings.oracle.api['there'], base_url: 'http://127.0.0.1:9/v1' } } },
      coldseal: { ...settings.coldseal, providers: {} },
    });
    const answer = await ask();
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([502, 'true']);
    expect(await answer.json()).toMatchObject({ error: { code: 'PROVIDER_UNREACHABLE' } });
    expect(await lastRow()).toMatchObject({ outcome: 'provider_failed', request: 'unsent' });
  });

  it('is refused when the provider is not what it was when it was first sent to', async () => {
    world.provider.answer((_call, response) => {
      response.end('{}');
    });
    expect((await ask()).status).toBe(200);
    const settings = world.settings();
    world.home.writeMachine({
      ...settings,
      oracle: { api: { there: { ...settings.oracle.api['there'], models: [MODEL, 'vendor/more'] } } },
    });
    const answer = await ask();
    expect([answer.status, await answer.json()]).toMatchObject([409, { error: { code: 'CONSENT_CHANGED' } }]);
    expect(world.provider.calls.length).toBe(1);
  });

  it('is refused when the machine file changes while the body comes', async () => {
    const encoder = new TextEncoder();
    const text = JSON.stringify(ASK);
    const settings = world.settings();
    const askWhileItChanges = async (waitMs: number): Promise<unknown> => {
      world.home.writeMachine(settings);
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(encoder.encode(text.slice(0, 10)));
          await new Promise((resolve) => setTimeout(resolve, waitMs));
          world.home.writeMachine({ ...settings, coldseal: { ...settings.coldseal, gate: { providers: [] } } });
          controller.enqueue(encoder.encode(text.slice(10)));
          controller.close();
        },
      });
      const answer = await fetch(`${world.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.token}`, 'content-type': 'application/json' },
        body,
        duplex: 'half',
      });
      return ((await answer.json()) as { error: { code: string } }).error.code;
    };
    // A service that had not read the file yet when it changed refuses for what it reads; then it is given more time.
    let code: unknown = 'PROVIDER_UNKNOWN';
    for (let waitMs = 50; code === 'PROVIDER_UNKNOWN'; waitMs *= 2) code = await askWhileItChanges(waitMs);
    expect(code).toBe('CONSENT_CHANGED');
    expect(world.provider.calls).toEqual([]);
    expect(await lastRow()).toMatchObject({ outcome: 'refused', code: 'CONSENT_CHANGED', request: 'unsent' });
  });

  it('is refused when the root changes that an earlier call was verified with, whose session is still kept', async () => {
    world.provider.answer((_call, response) => {
      response.end('{}');
    });
    const before = world.provider.resumed();
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
    expect(world.provider.resumed()).toBeGreaterThan(before);
    const { caFile, certificate, calls } = world.provider;
    const sent = calls.length;
    writeFileSync(caFile, (await makeCertificate('models.example.com')).certificate);
    const answer = await ask();
    writeFileSync(caFile, certificate);
    expect([answer.status, await answer.json()]).toMatchObject([409, { error: { code: 'CONSENT_CHANGED' } }]);
    expect(calls.length).toBe(sent);
    expect((await ask()).status).toBe(200);
  });

  it('needs the service’s token', async () => {
    const answer = await world.post('v1/messages', ASK, { authorization: 'Bearer nobody' });
    expect([answer.status, await answer.json()]).toMatchObject([
      401,
      { type: 'error', error: { type: 'authentication_error', code: 'UNAUTHORIZED' } },
    ]);
    expect(world.provider.calls).toEqual([]);
  });
});
