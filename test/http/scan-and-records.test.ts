/** Scans over HTTP as they come, and the record as the API shows it. */
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomText } from '../support/scan-fixtures.js';
import { openServiceWorld, type ServiceWorld } from '../support/service-world.js';

let open: ServiceWorld;
beforeAll(async () => {
  open = await openServiceWorld();
});
afterAll(() => open.close());

const NDJSON = { 'content-type': 'application/x-ndjson' };

describe('a scan', () => {
  it('answers line for line what the command line answers', async () => {
    const secret = ['ghp', randomText(1, 36)].join('_');
    const lines = `${[
      JSON.stringify({ id: 1, text: 'nothing here' }),
      JSON.stringify({ id: 'b', text: `token = "${secret}"\n` }),
      'no json',
      '',
      JSON.stringify({ id: 3, text: `é ${secret} ${secret}` }),
    ].join('\n')}\n`;
    const answer = await open.ask({ path: '/v1/scan', body: lines, headers: NDJSON });
    const told = await open.world.run(open.world.home, ['scan', '--ndjson'], { input: lines });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
    expect(answer.text).toBe(told.stdout);
    expect(answer.text.split('\n')).toHaveLength(5);
    expect(answer.text).not.toContain(secret);
    expect(open.log.join('')).not.toContain(secret);
  });

  it('answers a line while the next one is not there yet', async () => {
    const { hostname, port } = new URL(open.url);
    const headers = { ...NDJSON, authorization: `Bearer ${open.token}` };
    const request = httpRequest({ host: hostname, port, path: '/v1/scan', method: 'POST', headers });
    const answer = new Promise<AsyncIterator<Buffer>>((resolve, reject) => {
      request.on('error', reject);
      request.on('response', (response) => resolve(response[Symbol.asyncIterator]()));
    });
    request.write(`${JSON.stringify({ id: 1, text: 'one' })}\n`);
    const chunks = await answer;
    expect(String((await chunks.next()).value)).toBe('{"id":1,"text":"one","findings":[]}\n');
    request.write(`${JSON.stringify({ id: 2, text: 'two' })}\n`);
    expect(String((await chunks.next()).value)).toBe('{"id":2,"text":"two","findings":[]}\n');
    request.end();
    expect((await chunks.next()).done).toBe(true);
  });

  it('stops reading while its answers are not read', async () => {
    const { hostname, port } = new URL(open.url);
    const headers = { ...NDJSON, authorization: `Bearer ${open.token}` };
    const request = httpRequest({ host: hostname, port, path: '/v1/scan', method: 'POST', headers });
    request.on('error', () => undefined);
    // Taken and never read; without a listener it would be read and thrown away.
    request.on('response', (response) => response.on('error', () => undefined));
    const line = `${JSON.stringify({ id: 1, text: 'x '.repeat(50_000) })}\n`;
    let written = 0;
    // Until the service takes no more: the kernel's buffers and a few batches, never all of it.
    const limit = 256 * 1024 * 1024;
    let isStuck = false;
    while (!isStuck && written < limit) {
      written += line.length;
      if (request.write(line)) continue;
      isStuck = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(true), 2000);
        request.once('drain', () => {
          clearTimeout(timer);
          resolve(false);
        });
      });
    }
    expect(isStuck).toBe(true);
    request.destroy();
  });

  it.each([
    ['another type', { 'content-type': 'application/json' }],
    ['no type', { 'content-type': '' }],
  ])('of a body with %s is refused', async (_what, headers) => {
    expect((await open.ask({ path: '/v1/scan', body: '{}\n', headers })).status).toBe(415);
  });

  it('names no repository outside the owner’s folders', async () => {
    const answer = await open.ask({ path: '/v1/scan?repository=/', body: '\n', headers: NDJSON });
    expect(answer.json()['code']).toBe('NOT_A_REPOSITORY');
  });
});

describe('the record', () => {
  const review = () => ({ repository: open.repository.folder, kind: 'change_review' });

  it('is listed with the newest first, in pages, and searched', async () => {
    const ids: string[] = [];
    for (let run = 0; run < 3; run += 1) {
      ids.push(String((await open.ask({ path: '/v1/dispatches', body: review() })).json()['id']));
    }
    await open.ask({ path: '/v1/dispatches', body: { ...review(), expect: 'sha256:0' } });
    const list = async (query: string) => {
      const page = (await open.ask({ path: `/v1/records?${query}` })).json();
      const records = page['records'] as { id: string; outcome: string }[];
      return { ids: records.map(({ id }) => id), next: page['next'], found: page['found'] };
    };
    const newest = [...ids].reverse();
    expect(await list('outcome=sent')).toEqual({ ids: newest, next: null, found: 3 });
    expect(await list('outcome=sent&limit=2')).toEqual({ ids: newest.slice(0, 2), next: newest[1], found: 3 });
    expect(await list(`outcome=sent&limit=2&after=${newest[1]}`)).toEqual({ ids: [newest[2]], next: null, found: 3 });
    expect((await list('code=DIGEST_MISMATCH')).found).toBe(1);
    expect((await list(`q=${ids[0]?.slice(4, 20)}`)).ids).toEqual([ids[0]]);
    expect((await list('q=no-such-word')).found).toBe(0);
    const refused = await open.ask({ path: '/v1/records?limit=0' });
    expect([refused.status, refused.json()['message']]).toEqual([
      400,
      '`limit` of the query takes at least 1; `/openapi.json` describes the route',
    ]);
  });

  it('shows one run with its rows as the command line does', async () => {
    const { id } = (await open.ask({ path: '/v1/dispatches', body: review() })).json() as { id: string };
    const shown = (await open.ask({ path: `/v1/records/${id}` })).json();
    const told = await open.world.run(open.world.home, ['records', 'show', id, '--json']);
    expect(shown).toEqual(JSON.parse(told.stdout));
    expect((await open.ask({ path: `/v1/records/rec-${'a'.repeat(26)}` })).status).toBe(404);
  });

  it('makes a run’s bundle again and compares it as the command line does', async () => {
    const { id } = (await open.ask({ path: '/v1/dispatches', body: review() })).json() as { id: string };
    const ask = { path: `/v1/records/${id}/verify`, body: { repository: open.repository.folder } };
    const answer = await open.ask(ask);
    const told = await open.world.run(open.repository.folder, ['records', 'verify', id, '--json']);
    expect([answer.status, answer.json()]).toEqual([200, JSON.parse(told.stdout)]);
    expect(answer.json()).toMatchObject({ whole: true, id, bundle: { answer: 'same' } });
    expect((await open.ask({ ...ask, body: { repository: '/' } })).json()['code']).toBe('NOT_A_REPOSITORY');
    expect((await open.ask({ ...ask, path: `/v1/records/rec-${'a'.repeat(26)}/verify` })).status).toBe(404);
  });

  it('is verified as the command line does', async () => {
    const shown = (await open.ask({ path: '/v1/records/verify' })).json();
    const told = await open.world.run(open.world.home, ['records', 'verify', '--json']);
    expect(shown).toEqual(JSON.parse(told.stdout));
    expect(shown).toMatchObject({ whole: true });
  });
});

describe('readiness', () => {
  it('is there while everything is, and names what is not', async () => {
    const ready = async () => (await open.ask({ path: '/readyz', isAnonymous: true })).json();
    expect(await ready()).toEqual({ ready: true, unready: [] });
    const machine = open.world.fragment();
    machine.coldseal['records_dir'] = 'config.json/below-a-file';
    open.world.writeMachine(machine);
    expect(await ready()).toEqual({ ready: false, unready: ['records'] });
    machine.coldseal = { private: [{ id: 'broken', pattern: '(' }] };
    open.world.writeMachine(machine);
    expect((await ready())['ready']).toBe(false);
    open.world.writeMachine({ oracle: 7 });
    expect(await ready()).toEqual({ ready: false, unready: ['settings'] });
  });
});
