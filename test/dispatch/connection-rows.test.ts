import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SLICE_BYTES } from '../../src/contract/json-escape.js';
import { chatTarget, startExchange } from '../../src/dispatch/exchange.js';
import { openLine } from '../../src/dispatch/open-line.js';
import { requestBody } from '../../src/dispatch/request-body.js';
import { trustedRoots } from '../../src/dispatch/secure-socket.js';
import { makeCertificate } from '../../src/sandbox/certificate.js';
import { readScript, type ScriptInput } from '../../src/sandbox/script.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { startConnectProxy } from '../support/connect-proxy.js';
import { madeBundle } from '../support/made-bundle.js';
import { madeCredential, providerOf, requestOf, transportOf } from '../support/made-call.js';
import { playCall } from '../support/played-call.js';

let folder = '';
let sandbox: Sandbox;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coldseal-dispatch-'));
  sandbox = await startSandbox({ tls: true });
});

afterEach(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true });
});

const caFileFor = async (name: string): Promise<string> => {
  const file = join(folder, 'other-ca.pem');
  await writeFile(file, (await makeCertificate(name)).certificate);
  return file;
};

/** Retries cost no time; the limits do not run out. */
const patient = { sleep: async (ms: number, signal: AbortSignal) => (ms < 10_000 ? undefined : forever(signal)) };
const forever = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

/** A port on which nobody listens. */
const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

describe('a certificate', { timeout: 60_000 }, () => {
  it('of another authority is refused, once, and nothing of the bundle leaves', async () => {
    const provider = providerOf(sandbox, { caFile: await caFileFor(sandbox.name) });
    const answer = await transportOf(patient).send(requestOf(provider));
    expect(answer).toMatchObject({ ok: false, code: 'PROVIDER_TLS', attempts: 1, neverConnected: false });
    expect(answer.ok ? {} : answer.facts).toMatchObject({ certificate: true });
    expect([sandbox.connections(), sandbox.requests().length]).toEqual([1, 0]);
  });

  it('that no file vouches for is refused', async () => {
    const answer = await transportOf(patient).send(requestOf(providerOf(sandbox, { caFile: null })));
    expect(answer).toMatchObject({ ok: false, code: 'PROVIDER_TLS', attempts: 1 });
    expect(sandbox.requests()).toEqual([]);
  });

  it('for another name is refused', async () => {
    const provider = providerOf(sandbox, { resolve: { 'other.coldseal.example': sandbox.address } });
    const endpoint = {
      ...provider.endpoint,
      baseUrl: 'https://other.coldseal.example/v1',
      host: 'other.coldseal.example',
    };
    const answer = await transportOf(patient).send(requestOf({ ...provider, endpoint }));
    expect(answer).toMatchObject({ ok: false, code: 'PROVIDER_TLS', facts: { fault: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
    expect(sandbox.requests()).toEqual([]);
  });

  it('is checked even where the environment turned checks off', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const answer = await transportOf(patient).send(requestOf(providerOf(sandbox, { caFile: null })));
      expect(answer).toMatchObject({ ok: false, code: 'PROVIDER_TLS' });
    } finally {
      if (before === undefined) {
        delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      } else {
        process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
      }
    }
  });

  it('is accepted by the file that NODE_EXTRA_CA_CERTS names', async () => {
    const transport = transportOf({ ...patient, extraCaFile: sandbox.caFile });
    expect(await transport.send(requestOf(providerOf(sandbox, { caFile: null })))).toMatchObject({ ok: true });
  });

  it.each([
    ['is missing', async () => join(folder, 'none.pem')],
    ['is a folder', async () => folder],
    [
      'holds no certificate',
      async () => {
        await writeFile(join(folder, 'text.pem'), 'hello\n');
        return join(folder, 'text.pem');
      },
    ],
  ])('file that %s ends the call before anything leaves', async (_what, makeFile) => {
    const answer = await transportOf(patient).send(requestOf(providerOf(sandbox, { caFile: await makeFile() })));
    expect(answer).toMatchObject({ ok: false, code: 'PROVIDER_TLS', neverConnected: false });
    expect(sandbox.requests()).toEqual([]);
  });
});

describe('a connection', { timeout: 60_000 }, () => {
  it.each([
    // A reset may be heard of before or after the connection is.
    ['reset', expect.stringMatching(/^PROVIDER_(TLS|UNREACHABLE)$/)],
    ['close', 'PROVIDER_TLS'],
    ['no-tls', 'PROVIDER_TLS'],
  ] as const)('that is met with %s instead of TLS is tried twice more', async (connection, code) => {
    const { answer, connections, requests, waits } = await playCall({
      tls: true,
      replies: [{ connection }, { connection }, { connection }],
    });
    expect(answer).toMatchObject({ ok: false, code, attempts: 3, neverConnected: false });
    expect([connections, requests.length, waits]).toEqual([3, 0, [5000, 5000]]);
  });

  it('that fails once before the request succeeds at the next try', async () => {
    const { answer, connections, requests } = await playCall({ tls: true, replies: [{ connection: 'reset' }, {}] });
    expect(answer).toMatchObject({ ok: true, attempts: 2 });
    expect([connections, requests.length]).toEqual([2, 1]);
  });

  it('that nobody accepts was never made: the run may fall back', async () => {
    const provider = providerOf(sandbox, { resolve: { [sandbox.name]: `127.0.0.1:${await closedPort()}` } });
    const answer = await transportOf(patient).send(requestOf(provider));
    expect(answer).toMatchObject({ ok: false, code: 'PROVIDER_UNREACHABLE', neverConnected: true, attempts: 3 });
    expect(answer.ok ? '' : answer.message).toMatch(/ECONNREFUSED/);
  });

  it('to a name that does not exist was never made', async () => {
    const provider = providerOf(sandbox, { resolve: {} });
    const endpoint = { ...provider.endpoint, baseUrl: 'https://nobody.invalid/v1', host: 'nobody.invalid' };
    const answer = await transportOf(patient).send(requestOf({ ...provider, endpoint }));
    expect(answer).toMatchObject({ ok: false, code: 'PROVIDER_UNREACHABLE', neverConnected: true, attempts: 3 });
  });

  it('to localhost needs no lookup and finds 127.0.0.1', async () => {
    const here = await startSandbox({ tls: false });
    try {
      const provider = providerOf(here);
      const endpoint = { ...provider.endpoint, baseUrl: `http://LOCALHOST:${here.port}/v1/`, host: 'localhost' };
      expect(await transportOf(patient).send(requestOf({ ...provider, endpoint }))).toMatchObject({ ok: true });
      expect(here.requests()[0]).toMatchObject({
        path: '/v1/chat/completions',
        headers: { host: `localhost:${here.port}` },
      });
    } finally {
      await here.close();
    }
  });

  it('is fresh for every call', async () => {
    const transport = transportOf(patient);
    await transport.send(requestOf(providerOf(sandbox)));
    await transport.send(requestOf(providerOf(sandbox)));
    expect([sandbox.connections(), sandbox.requests().length]).toEqual([2, 2]);
  });

  it('is not made when the second reading of the machine file says no', async () => {
    const refusal = new Error('changed');
    const sent = transportOf(patient).send(
      requestOf(providerOf(sandbox), {
        beforeConnect: async () => {
          throw refusal;
        },
      }),
    );
    await expect(sent).rejects.toBe(refusal);
    expect(sandbox.connections()).toBe(0);
  });
});

describe('a proxy', { timeout: 60_000 }, () => {
  const proxied = (port: number, noProxy: string | null = null, credential = '') => ({
    ...patient,
    proxy: { httpsProxy: `http://${credential}127.0.0.1:${port}`, noProxy },
  });

  it('gets CONNECT with the provider’s name and nothing else, and is named', async () => {
    const proxy = await startConnectProxy({ target: sandbox.address });
    try {
      const answer = await transportOf(proxied(proxy.port)).send(requestOf(providerOf(sandbox, { resolve: {} })));
      expect(answer).toMatchObject({ ok: true, proxy: `http://127.0.0.1:${proxy.port}` });
      expect(proxy.heads).toEqual([`CONNECT ${sandbox.name}:443 HTTP/1.1\r\nHost: ${sandbox.name}:443\r\n\r\n`]);
    } finally {
      await proxy.close();
    }
  });

  it('gets its credential, which appears nowhere else', async () => {
    const proxy = await startConnectProxy({ target: sandbox.address, answer: 'HTTP/1.1 407 no\r\n\r\n' });
    const password = madeCredential();
    try {
      const answer = await transportOf(proxied(proxy.port, null, `me:${password}@`)).send(
        requestOf(providerOf(sandbox)),
      );
      expect(answer).toMatchObject({ ok: false, code: 'PROVIDER_UNREACHABLE', attempts: 1, neverConnected: true });
      expect(answer.ok ? {} : answer.facts).toEqual({ proxy_status: 407 });
      expect(proxy.heads[0]).toContain(`Basic ${Buffer.from(`me:${password}`).toString('base64')}`);
      expect(JSON.stringify(answer)).not.toContain(password);
    } finally {
      await proxy.close();
    }
  });

  it.each([
    ['that refuses', 'HTTP/1.1 403 Forbidden\r\n\r\n', 1, 'status 403'],
    ['that has no way there', 'HTTP/1.1 502 Bad Gateway\r\n\r\n', 3, 'status 502'],
    ['that is no proxy', 'SSH-2.0-OpenSSH\r\n\r\n', 3, 'not HTTP'],
    ['that closes at once', '', 3, 'closed the connection'],
    ['that talks on after its answer', 'HTTP/1.1 200 OK\r\n\r\nhello', 1, 'status 200'],
  ])('%s ends the call with nothing sent', async (_what, answer, attempts, said) => {
    const proxy = await startConnectProxy({ target: sandbox.address, answer });
    try {
      const got = await transportOf(proxied(proxy.port)).send(requestOf(providerOf(sandbox)));
      expect(got).toMatchObject({ ok: false, code: 'PROVIDER_UNREACHABLE', attempts, neverConnected: true });
      expect(got.ok ? '' : got.message).toContain(said);
      expect([proxy.heads.length, sandbox.connections()]).toEqual([attempts, 0]);
    } finally {
      await proxy.close();
    }
  });

  it('sees no more than a provider’s certificate would allow: a wrong one ends the call', async () => {
    const proxy = await startConnectProxy({ target: sandbox.address });
    try {
      const got = await transportOf(proxied(proxy.port)).send(requestOf(providerOf(sandbox, { caFile: null })));
      expect(got).toMatchObject({
        ok: false,
        code: 'PROVIDER_TLS',
        attempts: 1,
        proxy: `http://127.0.0.1:${proxy.port}`,
      });
      expect(sandbox.requests()).toEqual([]);
    } finally {
      await proxy.close();
    }
  });

  it('is passed by where NO_PROXY names the host, and never used to this machine', async () => {
    const here = await startSandbox({ tls: false });
    try {
      const transport = transportOf(proxied(await closedPort(), '.coldseal.example'));
      expect(await transport.send(requestOf(providerOf(sandbox)))).toMatchObject({ ok: true, proxy: null });
      expect(await transport.send(requestOf(providerOf(here)))).toMatchObject({ ok: true, proxy: null });
    } finally {
      await here.close();
    }
  });

  it('of a kind that cannot be used ends the call before any connection', async () => {
    const transport = transportOf({ ...patient, proxy: { httpsProxy: 'socks5://127.0.0.1:1', noProxy: null } });
    const answer = await transport.send(requestOf(providerOf(sandbox)));
    expect(answer).toMatchObject({ ok: false, code: 'PROVIDER_UNREACHABLE', attempts: 0, neverConnected: true });
    expect(sandbox.connections()).toBe(0);
  });
});

describe('an abort', { timeout: 60_000 }, () => {
  const turns = async (until: () => boolean): Promise<void> => {
    while (!until()) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  type Stage = (sandbox: Sandbox) => boolean;
  const connected: Stage = (here) => here.connections() === 1;
  const reading: Stage = (here) => here.bodyBytes() > 0;
  const asked: Stage = (here) => here.requests().length === 1;
  const places: readonly (readonly [string, ScriptInput['replies'][number], Stage])[] = [
    ['in the handshake', { connection: 'stall' }, connected],
    ['inside the request', { read: { bytesPerSecond: 4_000_000 }, silent: true, end: 'hang' }, reading],
    ['before the answer', { silent: true, end: 'hang' }, asked],
    ['inside the answer', { events: [{ text: 'half' }], end: 'hang' }, asked],
    ['inside an error', { status: 500, text: 'half', headers: { 'content-length': '99' }, end: 'hang' }, asked],
  ];

  it.each(places)('%s closes the socket and rejects with its reason', async (_place, reply, stage) => {
    sandbox.play(readScript({ replies: [reply], after: 'repeat' }));
    const abort = new AbortController();
    const reason = new Error('enough');
    const brief = { kind: 'sealed' as const, bundle: madeBundle('m'.repeat(8_000_000)) };
    const sent = transportOf(patient).send(requestOf(providerOf(sandbox), { brief, signal: abort.signal }));
    await turns(() => stage(sandbox));
    expect(sandbox.open()).toBe(1);
    abort.abort(reason);
    await expect(sent).rejects.toBe(reason);
    await turns(() => sandbox.open() === 0);
    expect(sandbox.connections()).toBe(1);
  });

  it('drops what is queued in the kernel instead of sending it', async () => {
    let received = 0;
    let isClosed = false;
    const server = createServer((socket) => {
      socket.on('data', (bytes) => {
        received += bytes.length;
      });
      socket.once('data', () => socket.pause());
      socket
        .on('error', () => undefined)
        .once('close', () => {
          isClosed = true;
        });
      server.once('abandoned', () => socket.resume());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const endpoint = { baseUrl: `http://127.0.0.1:${port}/v1`, host: '127.0.0.1', port, remote: false };
    const abort = new AbortController();
    const brief = { kind: 'local' as const, system: Buffer.from(''), message: Buffer.alloc(32_000_000, 'a') };
    const provider = { ...providerOf(sandbox), endpoint };
    const sent = transportOf(patient).send(requestOf(provider, { brief, signal: abort.signal }));
    await turns(() => received > 0);
    // Let both kernels' buffers fill while nobody reads.
    await new Promise((resolve) => setTimeout(resolve, 200));
    abort.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    server.emit('abandoned');
    await turns(() => isClosed);
    server.close();
    // An ordinary close delivers all that was queued, 3.9 MB where this was written.
    expect(received).toBeLessThan(1024 * 1024);
  });

  it('between two tries ends the wait', async () => {
    const abort = new AbortController();
    sandbox.play(readScript({ replies: [{ status: 503 }] }));
    const transport = transportOf({
      sleep: async (_ms, signal) => {
        if (signal === abort.signal) {
          abort.abort(new Error('enough'));
        } else {
          await forever(signal);
        }
      },
    });
    const sent = transport.send(requestOf(providerOf(sandbox), { signal: abort.signal }));
    await expect(sent).rejects.toThrow('enough');
    expect(sandbox.connections()).toBe(1);
  });
});

describe('a call that must not be made', () => {
  it('is refused where a remote provider would get an unsealed brief', async () => {
    const brief = { kind: 'local' as const, system: Buffer.from(''), message: Buffer.from('raw') };
    await expect(transportOf(patient).send(requestOf(providerOf(sandbox), { brief }))).rejects.toMatchObject({
      code: 'INTERNAL',
    });
    expect(sandbox.connections()).toBe(0);
  });

  it('is refused where a remote provider would be called without TLS', async () => {
    const provider = providerOf(sandbox);
    const endpoint = { ...provider.endpoint, baseUrl: `http://${sandbox.name}/v1` };
    await expect(transportOf(patient).send(requestOf({ ...provider, endpoint }))).rejects.toMatchObject({
      code: 'INTERNAL',
    });
  });

  it.each([[''], ['two words'], ['line\nend'], ['naïve']])(
    'is refused with a credential that no header carries',
    async (value) => {
      const sent = transportOf(patient).send(requestOf(providerOf(sandbox), { credential: { name: 'key', value } }));
      await expect(sent).rejects.toMatchObject({
        code: 'CREDENTIAL_MISSING',
        message: expect.not.stringContaining('words'),
      });
      expect(sandbox.connections()).toBe(0);
    },
  );

  it.each([['stream'], ['messages'], ['model'], ['n'], ['tools'], ['toString']])(
    'is refused with the setting %s',
    async (name) => {
      const sent = transportOf(patient).send(requestOf(providerOf(sandbox), { settings: { [name]: 1 } }));
      await expect(sent).rejects.toMatchObject({ code: 'SETTING_REFUSED' });
      expect(sandbox.connections()).toBe(0);
    },
  );
});

describe('a large bundle', { timeout: 120_000 }, () => {
  it('is taken no faster than the provider reads it, and arrives whole', async () => {
    const bundle = madeBundle(Buffer.alloc(32 * 1024 * 1024, 'line of text\n'));
    sandbox.play(readScript({ replies: [{ read: { bytesPerSecond: 24_000_000 } }] }));
    const request = requestOf(providerOf(sandbox), { brief: { kind: 'sealed', bundle } });
    const body = await requestBody({ ...request, usageChunk: true }, request.signal);
    const roots = await trustedRoots([sandbox.caFile ?? '']);
    const line = await openLine({ provider: request.provider, proxy: null, roots }, request.signal, () => undefined);
    let taken = 0;
    let mostAhead = 0;
    const exchange = startExchange(chatTarget(request, body.contentLength), body, line, {
      onSlice: () => {
        mostAhead = Math.max(mostAhead, taken - sandbox.bodyBytes());
        taken += SLICE_BYTES;
      },
      onSent: () => undefined,
    });
    try {
      expect((await exchange.head).status).toBe(200);
    } finally {
      await exchange.close(true);
    }
    expect(sandbox.requests()[0]?.summary.bodyBytes).toBe(body.contentLength);
    // What two kernels' buffers and two TLS layers hold on loopback, well under the whole.
    expect(mostAhead).toBeLessThan(16 * 1024 * 1024);
  });

  it('is called off with most of it unsent', async () => {
    const bundle = madeBundle(Buffer.alloc(64 * 1024 * 1024, 'line of text\n'));
    sandbox.play(readScript({ replies: [{ read: { bytesPerSecond: 8_000_000 } }] }));
    const abort = new AbortController();
    const brief = { kind: 'sealed' as const, bundle };
    const sent = transportOf(patient).send(requestOf(providerOf(sandbox), { brief, signal: abort.signal }));
    while (sandbox.bodyBytes() === 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    abort.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    while (sandbox.open() > 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(sandbox.bodyBytes()).toBeLessThan(32 * 1024 * 1024);
  });
});
