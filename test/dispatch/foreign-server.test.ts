/** A server that nobody here wrote serves the dispatcher: what it speaks is read the way its own clients read it. */
import { LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { judgeEndpoint } from '../../src/contract/judge-endpoint.js';
import type { ProviderSettings } from '../../src/contract/route.js';
import { probeProvider } from '../../src/dispatch/probe-provider.js';
import { madeBundle } from '../support/made-bundle.js';
import { madeCredential, realSleep, requestOf, transportOf } from '../support/made-call.js';

let mock: LLMock;
let provider: ProviderSettings;

beforeEach(async () => {
  mock = new LLMock({ port: 0, logLevel: 'silent' });
  await mock.start();
  const judged = judgeEndpoint(`${mock.url}/v1`);
  if (!judged.ok) throw new Error(judged.reason);
  provider = {
    name: 'foreign',
    endpoint: judged.endpoint,
    credential: null,
    models: ['large-1'],
    resolve: {},
    caFile: null,
    totalTimeoutMs: 30_000,
    settings: {},
    maxPromptTokens: null,
    usageChunk: true,
    spawn: null,
  };
});
afterEach(() => mock.stop());

const BUNDLE = 'coldseal-bundle/1 items=1\nconst café = "\\u0041";\n';
const LONG = Array.from({ length: 400 }, (_, line) => `line ${line}: é日本語 \\"quoted\\"\n`).join('');

const send = (changes: Parameters<typeof requestOf>[1] = {}) =>
  transportOf({ random: () => 0, sleep: (_ms, signal) => realSleep(1, signal) }).send(
    requestOf(provider, { brief: { kind: 'sealed', bundle: madeBundle(BUNDLE) }, ...changes }),
  );

describe('a foreign server', () => {
  it('is judged to be on this machine and lists models to a probe', async () => {
    expect(provider.endpoint.remote).toBe(false);
    const report = await probeProvider({
      provider,
      credential: { name: 'key', value: madeCredential() },
      proxy: { httpsProxy: null, noProxy: null },
      extraCaFile: null,
      clock: () => performance.now(),
      sleep: realSleep,
      signal: new AbortController().signal,
    });
    expect(report.failure).toBeNull();
    expect(report.models?.length).toBeGreaterThan(0);
  });

  it('streams an answer of many chunks, which arrives whole with model and usage', async () => {
    mock.on(
      { userMessage: 'coldseal-bundle/1' },
      { content: LONG, usage: { prompt_tokens: 40, completion_tokens: 7 } },
      { chunkSize: 7 },
    );
    const answer = await send({ credential: { name: 'key', value: madeCredential() } });
    expect(answer).toMatchObject({
      ok: true,
      text: LONG,
      finishReason: 'stop',
      modelReported: 'large-1',
      usage: { promptTokens: 40, completionTokens: 7 },
      attempts: 1,
    });
  });

  it('receives exactly the bundle as the user message, the settings beside it', async () => {
    mock.onMessage('coldseal-bundle/1', { content: 'seen' });
    expect(await send({ settings: { temperature: 0, max_tokens: 64 } })).toMatchObject({ ok: true, text: 'seen' });
    const [entry] = mock.getRequests();
    expect(entry?.path).toBe('/v1/chat/completions');
    expect(entry?.body).toMatchObject({
      model: 'large-1',
      stream: true,
      temperature: 0,
      max_tokens: 64,
      messages: [{ role: 'system' }, { role: 'user', content: BUNDLE }],
    });
  });

  it.each([
    ['cut off by its limit', { content: 'half', finishReason: 'length' }, 'PROVIDER_CUT_OFF'],
    ['filtered', { content: 'no', finishReason: 'content_filter' }, 'PROVIDER_FILTERED'],
    ['calling a tool', { toolCalls: [{ name: 'look', arguments: '{}' }] }, 'PROVIDER_TOOL_CALL'],
    ['refused', { error: { message: 'no such model', type: 'invalid_request_error' }, status: 404 }, 'PROVIDER_STATUS'],
  ])('gives an answer that is %s, which is no answer', async (_what, response, code) => {
    mock.on({ userMessage: 'coldseal-bundle/1' }, response);
    expect(await send()).toMatchObject({ ok: false, code, attempts: 1 });
    expect(mock.getRequests()).toHaveLength(1);
  });

  it('breaks off in the middle of a stream, which is a cut', async () => {
    mock.on({ userMessage: 'coldseal-bundle/1' }, { content: LONG }, { chunkSize: 5, truncateAfterChunks: 3 });
    expect(await send()).toMatchObject({ ok: false, code: 'PROVIDER_CUT_OFF', attempts: 1 });
    expect(mock.getRequests()).toHaveLength(1);
  });

  it('turns a request away with 429 and takes the next', async () => {
    mock.onMessage('coldseal-bundle/1', { content: 'at last' });
    mock.nextRequestError(429, { message: 'slow down', type: 'rate_limit_error' });
    const attempts: number[] = [];
    const answer = await send({
      beforeConnect: async (attempt) => {
        attempts.push(attempt);
      },
    });
    expect(answer).toMatchObject({ ok: true, text: 'at last', attempts: 2 });
    expect(attempts).toEqual([1, 2]);
    expect(mock.getRequests()).toHaveLength(2);
  });
});
