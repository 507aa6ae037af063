/** The page's own files over HTTP: open to anybody, empty of data, and under a policy that lets nothing else in. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectFolder } from '../support/run-coldseal.js';
import { openServiceWorld, type ServiceWorld } from '../support/service-world.js';

let open: ServiceWorld;
beforeAll(async () => {
  open = await openServiceWorld();
});
afterAll(() => open.close());

const get = (path: string) => open.ask({ path, isAnonymous: true });

describe('the page’s files', () => {
  it('need no token, name each other by hashed names, and hold nothing of the machine', async () => {
    const document = await get('/');
    expect([document.status, document.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const named = [...document.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(named).toHaveLength(3);
    for (const name of named) {
      expect(name).toMatch(/^assets\/(page|mark)-[A-Z0-9]{8}\.(js|css|svg)$/);
      const file = await get(`/${name}`);
      expect([name, file.status]).toEqual([name, 200]);
      expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(file.text).not.toContain(open.repository.folder);
    }
    expect(document.headers['cache-control']).toBe('no-cache');
    expect(document.text).not.toMatch(/<script(?! type="module" src=)|<style|\son\w+=|style=/);
  });

  it('are all of what was built', async () => {
    for (const name of readdirSync(join(projectFolder, 'dist', 'page', 'assets'))) {
      expect([name, (await get(`/assets/${name}`)).status]).toEqual([name, 200]);
    }
  });

  it('carry a policy without inline code, other origins, frames or text that becomes markup', async () => {
    const { headers } = await get('/');
    const policy = new Map(
      String(headers['content-security-policy'])
        .split('; ')
        .map((rule) => {
          const [name = '', ...words] = rule.split(' ');
          return [name, words.join(' ')] as const;
        }),
    );
    expect(Object.fromEntries(policy)).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self'",
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': "'none'",
    });
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  });

  it.each([
    '/assets/',
    '/assets/page.js',
    '/assets/../index.html',
    '/assets/..%2f..%2fcli.js',
    '/index.html',
    '/cli.js',
  ])('are the only ones: %s is not answered', async (path) => {
    expect((await get(path)).status).toBe(401);
  });

  it('are kept from a page of another origin like everything else', async () => {
    const answer = await open.ask({ path: '/', isAnonymous: true, headers: { origin: 'https://evil.example' } });
    expect(answer.status).toBe(403);
  });
});

describe('what the page asks for', () => {
  it('lists the repositories that a request may name', async () => {
    const answer = await open.ask({ path: '/v1/repositories' });
    expect(answer.json()).toEqual({ repositories: [open.repository.folder] });
  });

  it('lists the runs of this start, the newest first, without bundles and answers', async () => {
    const body = { repository: open.repository.folder, kind: 'change_review' };
    const first = (await open.ask({ path: '/v1/dispatches', body })).json();
    const second = (await open.ask({ path: '/v1/dispatches', body: { ...body, expect: 'sha256:0' } })).json();
    expect(first['bundle']).toBeDefined();
    const { dispatches } = (await open.ask({ path: '/v1/dispatches' })).json() as {
      dispatches: readonly Record<string, unknown>[];
    };
    expect(dispatches.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['refused', 'DIGEST_MISMATCH'],
      ['sent', undefined],
    ]);
    expect(second['code']).toBe('DIGEST_MISMATCH');
    for (const run of dispatches) expect(Object.keys(run)).not.toEqual(expect.arrayContaining(['bundle']));
  });

  it('narrows the records by time, both ends included', async () => {
    const all = (await open.ask({ path: '/v1/records' })).json() as {
      records: readonly { id: string; time: string }[];
    };
    const newest = all.records[0];
    const found = async (query: string) => (await open.ask({ path: `/v1/records?${query}` })).json()['found'];
    expect(await found(`since=${newest?.time}&until=${newest?.time}`)).toBe(1);
    expect(await found('since=2099-01-01T00:00:00.000Z')).toBe(0);
    expect(await found('until=2099-01-01T00:00:00.000Z')).toBe(all.records.length);
    expect((await open.ask({ path: '/v1/records?since=yesterday' })).status).toBe(400);
  });
});
