/** What a service must not let in: each row is one way in, and each is answered with a refusal or not at all. */
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService } from '../../src/http/start-service.js';
import { type MadeRepository, makeRepository, makeTestFolder, runTestGit } from '../support/make-repository.js';
import { askService, openServiceWorld, type ServiceWorld, surroundingsIn } from '../support/service-world.js';

let open: ServiceWorld;
let outside: MadeRepository;
let allowed: string;

beforeAll(async () => {
  allowed = makeTestFolder();
  outside = makeRepository();
  outside.commit('first', { 'a.txt': 'a\n' });
  open = await openServiceWorld({
    limits: { headMs: 1500, bodyMs: 1500, bodyBytes: 8192 },
    machine: (machine, _world, repository) => {
      const service = { repositories: [repository.folder, allowed], allow_hosts: ['seal.example'] };
      machine.coldseal['service'] = service;
    },
  });
});
afterAll(async () => {
  await open.close();
  outside.close();
  rmSync(allowed, { recursive: true, force: true });
});

/** A repository in an allowed folder, as a stranger's archive would bring it. */
const ownRepository = (name: string): string => {
  const folder = join(allowed, name);
  mkdirSync(folder);
  runTestGit(folder, ['init', '-q', '-b', 'main']);
  runTestGit(folder, ['commit', '-q', '--allow-empty', '-m', 'first']);
  return folder;
};

/** Bytes as they are; what came back until the connection ended. */
const raw = (text: string, end = true): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(open.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? undefined : reject(error)));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
    socket.write(text);
    if (end) socket.end();
  });
const host = () => new URL(open.url).host;
const statusOf = (answer: string): string => answer.split(' ', 2)[1] ?? 'no answer';

describe('the token', () => {
  it('is asked for by every route of the document but health, and by whatever is no route', async () => {
    const { paths } = (await open.ask({ path: '/openapi.json' })).json() as { paths: Record<string, object> };
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: path.replace('{id}', 'x') })),
    );
    expect(routes.length).toBeGreaterThan(10);
    for (const { method, path } of [
      ...routes,
      { method: 'GET', path: '/nowhere' },
      { method: 'GET', path: '/openapi.json' },
    ]) {
      const answer = await open.ask({ method, path, isAnonymous: true });
      const isOpen = path === '/healthz' || path === '/readyz' || path === '/';
      expect([method, path, answer.status]).toEqual([method, path, isOpen ? 200 : 401]);
    }
  });

  it.each([
    ['an empty one', () => 'Bearer '],
    ['another', () => `Bearer ${'x'.repeat(43)}`],
    ['its beginning', () => `Bearer ${open.token.slice(0, -1)}`],
    ['one that is longer', () => `Bearer ${open.token}x`],
    ['another scheme', () => `Basic ${open.token}`],
    ['no scheme', () => open.token],
  ])('is not %s', async (_what, authorization) => {
    const headers = { authorization: authorization() };
    const answer = await open.ask({ path: '/v1/kinds', headers, isAnonymous: true });
    expect([answer.status, answer.json()['code'], answer.headers['www-authenticate']]).toEqual([
      401,
      'UNAUTHORIZED',
      'Bearer',
    ]);
  });

  it('is no query', async () => {
    expect((await open.ask({ path: `/v1/kinds?token=${open.token}`, isAnonymous: true })).status).toBe(401);
  });

  it('stands in a file of the owner’s alone and in no line of the log', () => {
    expect(statSync(open.service.tokenFile).mode & 0o777).toBe(0o600);
    expect(open.log.join('')).not.toContain(open.token);
  });
});

describe('the Host', () => {
  it.each([
    ['another name', 'evil.example'],
    ['another name with our port', () => `evil.example:${new URL(open.url).port}`],
    ['our name with another port', '127.0.0.1:1'],
    ['our name without a port', '127.0.0.1'],
    ['a name that ends like an allowed one', 'not-seal.example'],
    ['a name that begins like an allowed one', 'seal.example.evil.example'],
    ['a user before the name', () => `seal.example@${host()}`],
  ])('is refused when it is %s, for a route that needs no token too', async (_what, name) => {
    for (const path of ['/v1/kinds', '/healthz']) {
      const headers = { host: typeof name === 'string' ? name : name() };
      const answer = await open.ask({ path, headers });
      expect([answer.status, answer.json()['code']]).toEqual([421, 'HOST_REFUSED']);
    }
  });

  it.each([
    ['missing', (line: string) => line],
    ['there twice', (line: string) => `${line}Host: ${host()}\r\nHost: ${host()}\r\n`],
  ])('is refused when it is %s', async (_what, head) => {
    const answer = await raw(`${head('GET /healthz HTTP/1.1\r\n')}Connection: close\r\n\r\n`);
    expect(['400', '421']).toContain(statusOf(answer));
  });

  it('does not count when the request names another place whole', async () => {
    const answer = await raw(
      `GET http://evil.example/healthz HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\n\r\n`,
    );
    expect(statusOf(answer)).toBe('404');
  });

  it('may be one that the owner allows, and this machine’s own names', async () => {
    const { port } = new URL(open.url);
    for (const name of ['seal.example', 'SEAL.example:8443', `localhost:${port}`, `[::1]:${port}`]) {
      expect([name, (await open.ask({ path: '/v1/kinds', headers: { host: name } })).status]).toEqual([name, 200]);
    }
  });
});

describe('the Origin', () => {
  it.each([
    ['another page’s', { origin: 'https://evil.example' }],
    ['none that can be named', { origin: 'null' }],
    ['ours under another scheme', () => ({ origin: `https://${host()}` })],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['said by the browser to be another site', { 'sec-fetch-site': 'cross-site' }],
    ['said by the browser to be another origin of this site', { 'sec-fetch-site': 'same-site' }],
  ])('is refused when it is %s', async (_what, headers) => {
    const answer = await open.ask({ path: '/v1/kinds', headers: typeof headers === 'function' ? headers() : headers });
    expect([answer.status, answer.json()['code']]).toEqual([403, 'ORIGIN_REFUSED']);
  });

  it('may be our own page’s', async () => {
    const headers = { origin: `http://${host()}`, 'sec-fetch-site': 'same-origin' };
    expect((await open.ask({ path: '/v1/kinds', headers })).status).toBe(200);
  });
});

describe('a request', () => {
  const head = (more: string) =>
    `POST /v1/plans HTTP/1.1\r\nHost: ${host()}\r\nAuthorization: Bearer ${open.token}\r\nContent-Type: application/json\r\n${more}\r\n`;

  it('with a body over the limit is refused before it is read', async () => {
    const answer = await raw(head('Content-Length: 1000000000\r\n'), false);
    expect(statusOf(answer)).toBe('413');
    expect(answer).toContain('"code":"BODY_TOO_LARGE"');
  });

  it('with a body that grows over the limit is refused', async () => {
    const answer = await raw(`${head('Transfer-Encoding: chunked\r\n')}4000\r\n${'x'.repeat(16_384)}\r\n`, false);
    expect(statusOf(answer)).toBe('413');
  });

  it('without the right to come in is refused before its body is read', async () => {
    const answer = await raw(
      `POST /v1/plans HTTP/1.1\r\nHost: ${host()}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`,
      false,
    );
    expect(statusOf(answer)).toBe('401');
    expect(answer.toLowerCase()).toContain('connection: close');
  });

  it('whose head comes slowly is ended', async () => {
    expect(statusOf(await raw(`GET /healthz HTTP/1.1\r\nHost: ${host()}\r\n`, false))).toBe('408');
  });

  it('whose body comes slowly is ended', async () => {
    const answer = await raw(`${head('Content-Length: 100\r\n')}{"repository`, false);
    expect(statusOf(answer)).toBe('408');
    expect(answer).toContain('"code":"REQUEST_TIMEOUT"');
  });

  it('with a head over the limit is refused', async () => {
    const answer = await raw(`GET /healthz HTTP/1.1\r\nHost: ${host()}\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(statusOf(answer)).toBe('431');
  });

  it.each([
    ['a body of another type', { 'content-type': 'text/plain' }, 415],
    ['a body that is no JSON', { 'content-type': 'application/json' }, 400],
  ])('with %s is refused', async (_what, headers, status) => {
    expect((await open.ask({ path: '/v1/plans', body: '{"repository', headers })).status).toBe(status);
  });
});

describe('a repository', () => {
  const plan = async (repository: string) => {
    const answer = await open.ask({ path: '/v1/plans', body: { repository, kind: 'change_review' } });
    return [answer.status, answer.json()['code'], answer.text] as const;
  };

  it.each([
    ['relative', () => 'src'],
    ['empty', () => ''],
    ['outside by ..', () => `${open.repository.folder}/../${outside.folder.split('/').at(-1)}`],
    ['holding a NUL', () => `${open.repository.folder}\0/etc`],
    ['a home that nobody expands', () => '~/x'],
    ['too long', () => `${open.repository.folder}/${'x'.repeat(5000)}`],
  ])('is refused as no path when it is %s', async (_what, path) => {
    expect((await plan(path())).slice(0, 2)).toEqual([400, 'USAGE']);
  });

  it.each<readonly [string, () => string]>([
    ['outside the owner’s folders', () => outside.folder],
    ['not there', () => join(allowed, 'nothing')],
    ['a sibling whose name begins like an allowed one', () => `${open.repository.folder}-more`],
    ['the root', () => '/'],
    [
      'a link that leads out',
      () => {
        symlinkSync(outside.folder, join(allowed, 'link'));
        return join(allowed, 'link');
      },
    ],
    [
      'below a link that leads out',
      () => {
        symlinkSync(outside.folder, join(allowed, 'link-2'));
        return join(allowed, 'link-2', '.git');
      },
    ],
    [
      'a folder whose .git file leads out',
      () => {
        mkdirSync(join(allowed, 'linked'));
        writeFileSync(join(allowed, 'linked', '.git'), `gitdir: ${outside.folder}/.git\n`);
        return join(allowed, 'linked');
      },
    ],
    [
      'a folder whose .git is a link that leads out',
      () => {
        mkdirSync(join(allowed, 'linked-2'));
        symlinkSync(join(outside.folder, '.git'), join(allowed, 'linked-2', '.git'));
        return join(allowed, 'linked-2');
      },
    ],
    [
      'a folder whose objects are a link that leads out',
      () => {
        const inner = join(allowed, 'linked-3', '.git');
        mkdirSync(join(inner, 'refs'), { recursive: true });
        writeFileSync(join(inner, 'HEAD'), 'ref: refs/heads/main\n');
        symlinkSync(join(outside.folder, '.git', 'objects'), join(inner, 'objects'));
        return join(allowed, 'linked-3');
      },
    ],
    [
      'one that borrows objects from outside',
      () => {
        const folder = ownRepository('borrows');
        writeFileSync(join(folder, '.git/objects/info/alternates'), `${outside.folder}/.git/objects\n`);
        return folder;
      },
    ],
    [
      'one that borrows from one that borrows from outside',
      () => {
        const [folder, between] = [ownRepository('borrows-2'), ownRepository('between')];
        writeFileSync(join(folder, '.git/objects/info/alternates'), `${between}/.git/objects\n`);
        writeFileSync(join(between, '.git/objects/info/alternates'), `${outside.folder}/.git/objects\n`);
        return folder;
      },
    ],
    [
      'one whose store is a link, from whose end git counts a relative name',
      () => {
        const folder = ownRepository('borrows-3');
        const store = join(allowed, 'some', 'where', 'deep', 'store');
        mkdirSync(join(store, '..'), { recursive: true });
        renameSync(join(folder, '.git/objects'), store);
        symlinkSync(store, join(folder, '.git/objects'));
        writeFileSync(join(store, 'info/alternates'), `${relative(store, outside.folder)}/.git/objects\n`);
        return folder;
      },
    ],
    [
      'one with a loose object that is a link',
      () => {
        const folder = ownRepository('object-link');
        const commit = outside.git(['rev-parse', 'HEAD']);
        const name = join(commit.slice(0, 2), commit.slice(2));
        mkdirSync(join(folder, '.git/objects', commit.slice(0, 2)), { recursive: true });
        symlinkSync(join(outside.folder, '.git/objects', name), join(folder, '.git/objects', name));
        return folder;
      },
    ],
    [
      'one whose folder of packs is a link',
      () => {
        const folder = ownRepository('pack-link');
        rmSync(join(folder, '.git/objects/pack'), { recursive: true });
        symlinkSync(join(outside.folder, '.git/objects/pack'), join(folder, '.git/objects/pack'));
        return folder;
      },
    ],
    ['an allowed folder without one of its own', () => allowed],
  ])('is refused, in one and the same sentence, when it is %s', async (_what, path) => {
    const [status, code, text] = await plan(path());
    expect([status, code]).toEqual([422, 'NOT_A_REPOSITORY']);
    expect(text).toContain('that is no repository inside the folders of `coldseal.service.repositories`');
    expect(text).not.toContain(outside.folder);
  });

  it('that borrows from another of an allowed folder is read', async () => {
    const [folder, lender] = [ownRepository('borrows-inside'), ownRepository('lends')];
    writeFileSync(join(folder, '.git/objects/info/alternates'), `${lender}/.git/objects\n${allowed}/gone\n`);
    writeFileSync(join(folder, 'b.txt'), 'b\n');
    runTestGit(folder, ['add', '.']);
    runTestGit(folder, ['commit', '-q', '-m', 'second']);
    expect((await plan(folder))[0]).toBe(200);
  });

  it('that is allowed no more is refused at the next request, without a restart', async () => {
    const machine = open.world.fragment();
    machine.coldseal['service'] = { repositories: [allowed] };
    open.world.writeMachine(machine);
    expect((await plan(open.repository.folder)).slice(0, 2)).toEqual([422, 'NOT_A_REPOSITORY']);
    machine.coldseal['service'] = { repositories: [allowed, open.repository.folder] };
    open.world.writeMachine(machine);
    expect((await plan(open.repository.folder))[0]).toBe(200);
  });

  it('is in no line of the log', () => {
    expect(open.log.length).toBeGreaterThan(50);
    expect(open.log.join('')).not.toContain(open.repository.folder);
  });
});

describe('a listener', () => {
  const start = (listen: Parameters<typeof startService>[0]['listen']) =>
    startService({ surroundings: surroundingsIn(open.world.home), listen, mostRuns: 1, logLevel: 'silent' });
  const refused = async (listen: Parameters<typeof start>[0]): Promise<unknown> => {
    const service = await start(listen).catch((error: unknown) => error);
    if (service instanceof Error && 'code' in service) return service.code;
    throw new Error('it listens');
  };
  const socket = (path: string) => ({ kind: 'socket', path }) as const;

  it.each<readonly [string, string, () => string]>([
    [
      'a link',
      'CONFIG_UNSAFE',
      () => {
        symlinkSync(join(allowed, 'elsewhere'), join(allowed, 'link.sock'));
        return join(allowed, 'link.sock');
      },
    ],
    [
      'a file',
      'CONFIG_UNSAFE',
      () => {
        writeFileSync(join(allowed, 'file.sock'), '');
        return join(allowed, 'file.sock');
      },
    ],
    [
      'in a linked folder',
      'CONFIG_UNSAFE',
      () => {
        mkdirSync(join(allowed, 'real'));
        symlinkSync(join(allowed, 'real'), join(allowed, 'linked-folder'));
        return join(allowed, 'linked-folder', 's');
      },
    ],
    [
      'in a folder that others may write',
      'CONFIG_UNSAFE',
      () => {
        mkdirSync(join(allowed, 'shared'));
        chmodSync(join(allowed, 'shared'), 0o777);
        return join(allowed, 'shared', 's');
      },
    ],
    ['in no folder', 'CONFIG_UNSAFE', () => join(allowed, 'missing', 's')],
  ])('on a socket that is %s does not start', async (_what, code, path) => {
    expect(await refused(socket(path()))).toBe(code);
  });

  it('on a socket answers there alone, for its owner alone, and a second one is refused', async () => {
    const path = join(allowed, 'own.sock');
    const service = await start(socket(path));
    try {
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect((await askService(service.url, '', { path: '/healthz', isAnonymous: true })).status).toBe(200);
      expect((await askService(service.url, '', { path: '/v1/kinds', isAnonymous: true })).status).toBe(401);
      const evil = { path: '/healthz', headers: { host: 'evil.example' } };
      expect((await askService(service.url, '', evil)).status).toBe(421);
      expect(await refused(socket(path))).toBe('USAGE');
    } finally {
      await service.close(0);
    }
    expect(() => statSync(path)).toThrow('ENOENT');
  });

  it('for others than this machine is not opened by a word on the command line', async () => {
    expect(await refused({ kind: 'tcp', host: '0.0.0.0', port: 0 })).toBe('USAGE');
  });

  it('for others than this machine needs certificate files and the owner’s own token file', async () => {
    const machine = open.world.fragment();
    for (const more of [{}, { tls: { cert_file: 'c', key_file: 'k' } }, { token_file: 't' }]) {
      machine.coldseal['service'] = { listen: '0.0.0.0:0', ...more };
      open.world.writeMachine(machine);
      expect(await refused(null)).toBe('CONFIG_UNSAFE');
    }
  });

  it.each<readonly [string, (file: string) => void]>([
    ['not there', () => undefined],
    ['open to others', (file) => writeFileSync(file, 't'.repeat(40), { mode: 0o644 })],
    ['too short', (file) => writeFileSync(file, 't'.repeat(31), { mode: 0o600 })],
    ['several words', (file) => writeFileSync(file, `${'t'.repeat(40)} u`, { mode: 0o600 })],
    ['a link', (file) => symlinkSync('/dev/null', file)],
  ])('with a token file of the owner’s that is %s does not start', async (what, make) => {
    const file = join(allowed, `token-${what.replaceAll(' ', '-')}`);
    make(file);
    const machine = open.world.fragment();
    machine.coldseal['service'] = { token_file: file };
    open.world.writeMachine(machine);
    expect(await refused(null)).toBe('CONFIG_UNSAFE');
  });
});
