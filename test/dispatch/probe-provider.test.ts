/** The probe of one provider: what it asks, how it ends, and that it carries nothing but the key. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Probe, probeProvider } from '../../src/dispatch/probe-provider.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { madeCredential, providerOf, realSleep } from '../support/made-call.js';

let sandbox: Sandbox | null = null;
let server: Server | null = null;

afterEach(async () => {
  await sandbox?.close();
  server?.closeAllConnections();
  await new Promise<void>((done) => (server === null ? done() : server.close(() => done())));
  sandbox = null;
  server = null;
});

const probeOf = (changes: Pick<Probe, 'provider'> & Partial<Probe>) =>
  probeProvider({
    credential: null,
    proxy: { httpsProxy: null, noProxy: null },
    extraCaFile: null,
    clock: () => performance.now(),
    sleep: realSleep,
    signal: new AbortController().signal,
    ...changes,
  });

const localServer = async (answer: RequestListener) => {
  const started = createServer(answer);
  server = started;
  await new Promise<void>((done) => started.listen(0, '127.0.0.1', done));
  const { port } = started.address() as AddressInfo;
  const here = await startSandbox({ tls: false });
  sandbox = here;
  const endpoint = { baseUrl: `http://127.0.0.1:${port}/v1/`, host: '127.0.0.1', port, remote: false };
  return providerOf(here, { endpoint });
};

describe('a probe', () => {
  it('goes through TLS under the remote name and lists the models', async () => {
    sandbox = await startSandbox({ tls: true });
    const report = await probeOf({ provider: providerOf(sandbox) });
    expect(report).toMatchObject({ failure: null, models: ['summary-1'], proxy: null });
    expect(report.connectedMs).not.toBeNull();
    expect(report.openMs).not.toBeNull();
    expect(sandbox.connections()).toBe(1);
    expect(sandbox.requests()).toHaveLength(0);
  });

  it('asks for one path with one bearer header and no body', async () => {
    const credential = { name: 'key', value: madeCredential() };
    const asked: unknown[] = [];
    const provider = await localServer((request, response) => {
      asked.push([request.method, request.url, request.headers.authorization, request.headers['content-length']]);
      response.end('{"data":[{"id":"a/b"},{"id":7},{}]}');
    });
    expect((await probeOf({ provider, credential })).models).toEqual(['a/b']);
    expect(asked).toEqual([['GET', '/v1/models', `Bearer ${credential.value}`, undefined]]);
  });

  const ENDS: readonly (readonly [what: string, status: number, body: string, code: string | null])[] = [
    ['that has no list', 404, 'not here', null],
    ['that does not know the key', 401, '{"error":{"message":"no"}}', 'PROVIDER_STATUS'],
    ['that answers with a page', 200, '<html></html>', 'PROVIDER_ANSWER_INVALID'],
    ['that redirects', 302, '', 'PROVIDER_REDIRECT'],
    ['that fails', 500, '', 'PROVIDER_STATUS'],
  ];
  it.each(ENDS)('of a server %s ends by its own rule', async (_what, status, body, code) => {
    const provider = await localServer((_request, response) => {
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end(body);
    });
    const report = await probeOf({ provider });
    expect(report.failure?.code ?? null).toBe(code);
    expect(report.models).toBeNull();
  });

  it('does not repeat the key that a server says back', async () => {
    const credential = { name: 'key', value: madeCredential() };
    const provider = await localServer((request, response) => {
      response.writeHead(401).end(JSON.stringify({ error: { message: `bad: ${request.headers.authorization}` } }));
    });
    const report = await probeOf({ provider, credential });
    expect(report.failure?.message).toContain('[credential]');
    expect(report.failure?.message).not.toContain(credential.value);
  });

  it('of a wrong certificate is PROVIDER_TLS and of a closed port PROVIDER_UNREACHABLE', async () => {
    sandbox = await startSandbox({ tls: true });
    const wrong = providerOf(sandbox, { caFile: null });
    expect((await probeOf({ provider: wrong })).failure?.code).toBe('PROVIDER_TLS');
    const closed = providerOf(sandbox, { resolve: { [sandbox.name]: '127.0.0.1:1' } });
    expect((await probeOf({ provider: closed })).failure?.code).toBe('PROVIDER_UNREACHABLE');
  });

  it('is bounded in time', async () => {
    const provider = await localServer(() => undefined);
    const report = await probeOf({ provider, totalMs: 200 });
    expect(report.failure).toMatchObject({ code: 'PROVIDER_TIMEOUT', facts: { limit: 'total' } });
  });
});
