import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SLICE_BYTES } from '../../src/contract/json-escape.js';
import type { Brief } from '../../src/contract/transport.js';
import { requestBody } from '../../src/dispatch/request-body.js';
import { madeBundle } from '../support/made-bundle.js';

const { signal } = new AbortController();
const parts = (brief: Brief) => ({ model: 'm', brief, settings: {}, usageChunk: true });
const local = (system: Uint8Array, message: Uint8Array): Brief => ({ kind: 'local', system, message });

const bodyText = async (changes: Partial<Parameters<typeof requestBody>[0]>): Promise<string> => {
  const body = await requestBody({ ...parts(local(Buffer.from('s'), Buffer.from('u'))), ...changes }, signal);
  const bytes = Buffer.concat([...body.slices()]);
  expect(bytes.length).toBe(body.contentLength);
  return bytes.toString();
};

describe('the body of a request', () => {
  it('is JSON whose messages are the sealed bytes, with its length known beforehand', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), async (message, system) => {
        const text = await bodyText({ brief: { kind: 'sealed', bundle: madeBundle(message, system) } });
        const { messages } = JSON.parse(text);
        expect(messages.at(-1)).toEqual({ role: 'user', content: Buffer.from(message).toString() });
        expect(messages.length).toBe(system === '' ? 1 : 2);
        expect(messages[0].content).toBe(Buffer.from(messages.length === 2 ? system : message).toString());
      }),
    );
  });

  it('stays whole where a character lies across two slices', async () => {
    for (const before of [SLICE_BYTES - 3, SLICE_BYTES - 2, SLICE_BYTES - 1, SLICE_BYTES]) {
      const message = `${'a'.repeat(before)}🦭"\n${'b'.repeat(SLICE_BYTES)}`;
      const text = await bodyText({ brief: { kind: 'sealed', bundle: madeBundle(message) } });
      expect(JSON.parse(text).messages[1].content).toBe(message);
    }
  });

  it('escapes every control character as JSON asks', async () => {
    const message = Array.from({ length: 0x80 }, (_, point) => String.fromCharCode(point)).join('');
    const text = await bodyText({ brief: { kind: 'sealed', bundle: madeBundle(message) } });
    expect(text).toContain(JSON.stringify(message).slice(1, -1));
  });

  it('has the same slices at every reading, for a second try', async () => {
    const body = await requestBody(parts({ kind: 'sealed', bundle: madeBundle('x'.repeat(200_000)) }), signal);
    expect(Buffer.concat([...body.slices()]).equals(Buffer.concat([...body.slices()]))).toBe(true);
  });

  it('has members in one order, the owner’s settings last', async () => {
    const settings = { temperature: 0, stop: ['a"b'], provider: { order: ['x'] } };
    expect(await bodyText({ model: 'v/m', settings })).toBe(
      '{"model":"v/m","messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}],"stream":true,"stream_options":{"include_usage":true},"temperature":0,"stop":["a\\"b"],"provider":{"order":["x"]}}',
    );
  });

  it('has no stream options for a server that refuses them', async () => {
    expect(JSON.parse(await bodyText({ usageChunk: false }))).not.toHaveProperty('stream_options');
  });

  it('carries bytes of a local brief that are no UTF-8 as U+FFFD', async () => {
    const brief = local(Buffer.from(''), Buffer.from([0x61, 0xff, 0xfe, 0x62]));
    expect(JSON.parse(await bodyText({ brief })).messages).toEqual([{ role: 'user', content: 'a\ufffd\ufffdb' }]);
  });

  it('is refused for sealed bytes that are no UTF-8', async () => {
    const bundle = madeBundle(Buffer.from([0xff]));
    await expect(requestBody(parts({ kind: 'sealed', bundle }), signal)).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it.each([
    ['abc', 3],
    ['aaa', 1],
    ['aabbaa', 3],
    ['', 0],
    ['    x    ', 3],
  ])('counts each run of one byte once: %j', async (message, runs) => {
    const body = await requestBody(parts(local(Buffer.from(''), Buffer.from(message))), signal);
    expect([body.runBytes, body.messageBytes]).toEqual([runs, message.length]);
  });

  it('stops counting when the run is aborted', async () => {
    const aborted = AbortSignal.abort(new Error('enough'));
    const big = local(Buffer.from(''), Buffer.alloc(9 * 1024 * 1024, 'a'));
    await expect(requestBody(parts(big), aborted)).rejects.toThrow('enough');
  });
});
