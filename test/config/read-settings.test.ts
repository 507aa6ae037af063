import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/read-settings.js';
import { LARGEST_SETTINGS_BYTES } from '../../src/config/read-settings-file.js';
import { callerUid, type MadeHome, makeHome, refusalOf } from './made-home.js';

const REMOTE = { base_url: 'https://api.example.com/v1', models: ['vendor/large', 'vendor/small'], key: 'example' };
const LOCAL = { base_url: 'http://localhost:11434/v1', models: ['tiny'] };
const SHA = 'a'.repeat(40);

let made: MadeHome;
beforeEach(() => {
  made = makeHome();
});
afterEach(() => made.remove());

/** The problems of a machine file: `line:column message` each. */
async function problemsOf(content: unknown): Promise<readonly string[]> {
  made.write(made.machineFile, content);
  const refusal = await refusalOf(readSettings(made.facts()));
  expect(refusal.code).toBe('CONFIG_INVALID');
  const lines = refusal.message.split('\n').filter((line) => line.startsWith(made.machineFile));
  expect(refusal.facts['problems']).toBe(lines.length);
  return lines.map((line) => line.slice(made.machineFile.length + 1));
}

const read = async (content: unknown): ReturnType<typeof readSettings> => {
  made.write(made.machineFile, content);
  return await readSettings(made.facts());
};

describe('settings that nobody wrote', () => {
  it('are the defaults, frozen, with nothing said', async () => {
    const settings = await readSettings(made.facts());
    expect(settings).toMatchObject({
      machineFile: made.machineFile,
      machineFolder: made.machineFolder,
      machineDigest: null,
      repositoryFile: null,
      bundles: { capBytes: null, withhold: [] },
      own: {
        threads: 4,
        inFlightBytes: 67_108_864,
        recordsFolder: join(made.machineFolder, 'coldseal', 'records'),
        rulesFolder: null,
      },
      notices: [],
    });
    expect(settings.providers.size).toBe(0);
    expect(Object.isFrozen(settings) && Object.isFrozen(settings.own.families)).toBe(true);
  });

  it('are the defaults in a bare repository too', async () => {
    expect((await readSettings(made.facts({ workTree: null }))).repositoryFile).toBeNull();
  });
});

describe('the machine file', () => {
  it('gives providers, routes, lists and bundles as usable values', async () => {
    const settings = await read({
      other: { anything: [1] },
      oracle: {
        api: { acme: REMOTE, here: LOCAL },
        roles: { 'change-reviewer': 'acme/vendor/large' },
        denylist: ['bad/*', 'vendor/small'],
        bundled_context_providers: ['acme'],
        unknown_to_us: true,
        bundles: {
          cap: '8 MiB',
          withhold: ['*.lock'],
          projects: {
            [SHA]: { cap: 1, withhold: ['gen/**'], kinds: { change_review: ['diff', 'path:docs/**'] } },
          },
        },
      },
      coldseal: {
        threads: 2,
        in_flight_bytes: '1 MB',
        families: { network: true },
        allow: [{ fingerprint: 'fp:0123', reason: 'a public sample' }],
        rules_dir: 'rules',
        private: [{ id: 'codename', pattern: 'Blue.?Moon' }],
        records_dir: '/var/records',
        credentials: { example: { env: 'ACME_KEY' }, other: { file: 'keys/other' } },
        providers: {
          acme: {
            resolve: { 'API.example.com': '127.0.0.1:8443' },
            ca_file: 'ca.pem',
            timeout: 900,
            settings: { temperature: 0.2, provider: { order: ['a'] } },
            max_prompt_tokens: 100_000,
            usage_chunk: false,
          },
        },
        service: { listen: '[::1]:8080', repositories: ['/srv/git'], tls: { cert_file: 'c.pem', key_file: 'k.pem' } },
        queue: {
          url: 'redis://localhost:6379',
          password: 'other',
          concurrency: 4,
          rate: 60,
          providers: { acme: { rate: 30 } },
          clones: ['https://git.example.org/a.git', 'ssh://git@example.org/b.git'],
          clones_cap: '1 GiB',
        },
        augmenter: { path: '/opt/augment' },
        gate: { providers: ['acme'], cap: '1 MiB' },
      },
    });
    expect(settings.providers.get('acme')).toEqual({
      name: 'acme',
      endpoint: { baseUrl: REMOTE.base_url, host: 'api.example.com', port: 443, remote: true },
      credential: 'example',
      models: ['vendor/large', 'vendor/small'],
      resolve: { 'api.example.com': '127.0.0.1:8443' },
      caFile: join(made.machineFolder, 'ca.pem'),
      totalTimeoutMs: 900_000,
      settings: { temperature: 0.2, provider: { order: ['a'] } },
      maxPromptTokens: 100_000,
      usageChunk: false,
      spawn: null,
    });
    expect(settings.providers.get('here')).toMatchObject({
      credential: null,
      endpoint: { remote: false, port: 11434 },
      totalTimeoutMs: 1_800_000,
      usageChunk: true,
      spawn: null,
      resolve: {},
    });
    expect(settings.roles.get('change-reviewer')).toEqual({
      agent: 'change-reviewer',
      provider: 'acme',
      model: 'vendor/large',
    });
    expect(settings.denylist).toEqual([
      { entry: 'bad/*', file: made.machineFile },
      { entry: 'vendor/small', file: made.machineFile },
    ]);
    expect([...settings.bundledContextProviders]).toEqual(['acme']);
    expect(settings.bundles).toMatchObject({ capBytes: 8 * 1024 * 1024, withhold: ['*.lock'] });
    const project = settings.bundles.projects.get(SHA);
    expect(project).toMatchObject({ capBytes: 1, withhold: ['gen/**'] });
    expect(project?.kinds.get('change_review')).toEqual([
      { kind: 'input', input: 'diff' },
      { kind: 'path', glob: 'docs/**' },
    ]);
    expect(settings.own).toMatchObject({
      threads: 2,
      inFlightBytes: 1_000_000,
      families: { identity: null, network: true, harness: null },
      rulesFolder: join(made.machineFolder, 'rules'),
      private: [{ id: 'codename', pattern: 'Blue.?Moon', severity: 'block' }],
      recordsFolder: '/var/records',
      service: {
        listen: { kind: 'tcp', host: '::1', port: 8080 },
        tls: { certFile: join(made.machineFolder, 'c.pem'), keyFile: join(made.machineFolder, 'k.pem') },
      },
      queue: {
        url: 'redis://localhost:6379',
        password: 'other',
        key: null,
        leaseMs: 30_000,
        concurrency: 4,
        rate: 60,
        repositories: ['/srv/git'],
        clones: ['https://git.example.org/a.git', 'ssh://git@example.org/b.git'],
        clonesFolder: join(made.machineFolder, 'coldseal', 'clones'),
        clonesCapBytes: 1024 ** 3,
      },
      augmenter: '/opt/augment',
    });
    expect([...settings.own.credentials]).toEqual([
      ['example', { kind: 'environment', variable: 'ACME_KEY' }],
      ['other', { kind: 'file', path: join(made.machineFolder, 'keys', 'other') }],
    ]);
    expect(settings.machineDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(settings.notices).toEqual([]);
  });

  it('names every problem in one message, each with line and column', async () => {
    const text = `{
  "oracle": {
    "api": {
      "acme": { "base_url": "http://api.example.com", "modles": ["a"], "models": [] },
      "acme": { "base_url": 5, "models": ["a b"] }
    },
    "bundels": {},
    "bundles": { "cap": "4 mib", "witthold": [] }
  },
  "coldseal": { "thread": 4 },
}
x`;
    expect(await problemsOf(text)).toEqual([
      '4:29: oracle.api.acme.base_url is plain http to api.example.com, which is not this machine; use https',
      '4:55: oracle.api.acme.modles is no known member; did you mean "models"?',
      '4:82: oracle.api.acme.models has 0 entries; it takes 1 to 64',
      '5:7: names oracle.api.acme a second time',
      '5:29: oracle.api.acme.base_url must be a URL, not a number',
      '5:43: oracle.api.acme.models[0] must be a model id: segments of letters, digits and . _ : @ + ~ - with "/" between them',
      '8:25: oracle.bundles.cap must be a whole number of bytes, or a text of digits and a unit (B KB KiB MB MiB GB GiB) such as "4 MiB"',
      '8:34: oracle.bundles.witthold is no known member; did you mean "withhold"?',
      '10:17: coldseal.thread is no known member; did you mean "threads"?',
      '10:30: has a "," before "}"',
      '12:1: has content after the JSON value',
    ]);
  });

  const api = (blocks: unknown): unknown => ({ oracle: { api: blocks } });
  const bundles = (members: unknown): unknown => ({ oracle: { bundles: members } });
  const list = (kind: string, entries: unknown): unknown =>
    bundles({ projects: { [SHA]: { kinds: { [kind]: entries } } } });
  const own = (members: unknown): unknown => ({ coldseal: members });
  const forAcme = (members: unknown): unknown => ({
    oracle: { api: { acme: REMOTE, here: LOCAL } },
    coldseal: { providers: members },
  });

  it.each<[what: string, content: unknown, problem: RegExp]>([
    ['no object', '[]', /the file must hold one JSON object/],
    ['an empty file', '', /is empty/],
    ['a byte order mark', '\ufeff{}', /byte order mark/],
    ['oracle as a list', { oracle: [] }, /oracle must be an object, not a list/],
    ['a provider called harness', api({ harness: LOCAL }), /oracle\.api\.harness: the name is reserved/],
    ['a provider name in capitals', api({ Acme: LOCAL }), /oracle\.api\.Acme: the name is not a provider name/],
    ['a provider name that starts with a line', api({ '-a': LOCAL }), /oracle\.api\.-a: the name/],
    ['a provider name of 33 letters', api({ ['a'.repeat(33)]: LOCAL }), /the name is not a provider name/],
    ['an empty provider name', api({ '': LOCAL }), /oracle\.api\."": the name is not a provider name/],
    [
      '17 providers',
      api(Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`p${at}`, LOCAL]))),
      /has 17 members; the limit is 16/,
    ],
    [
      '__proto__ as a provider',
      '{"oracle":{"api":{"__proto__":{"base_url":"http://localhost","models":["a"]}}}}',
      /oracle\.api\.__proto__: the name is not a provider name/,
    ],
    [
      '__proto__ under a provider',
      '{"oracle":{"api":{"a":{"__proto__":1,"base_url":"http://localhost","models":["a"]}}}}',
      /oracle\.api\.a\.__proto__ is no known member/,
    ],
    ['no base_url', api({ a: { models: ['m'] } }), /oracle\.api\.a\.base_url is missing/],
    ['no models', api({ a: { base_url: 'http://localhost' } }), /oracle\.api\.a\.models is missing/],
    [
      '65 models',
      api({ a: { ...LOCAL, models: Array.from({ length: 65 }, (_, at) => `m${at}`) } }),
      /has 65 entries; it takes 1 to 64/,
    ],
    [
      'a model of 129 bytes',
      api({ a: { ...LOCAL, models: ['m'.repeat(129)] } }),
      /is 129 bytes long; the limit is 128 bytes/,
    ],
    ['a model with an empty segment', api({ a: { ...LOCAL, models: ['v//m'] } }), /models\[0\] must be a model id/],
    ['a model that ends in a slash', api({ a: { ...LOCAL, models: ['v/'] } }), /models\[0\] must be a model id/],
    ['a credential name in capitals', api({ a: { ...LOCAL, key: 'Acme' } }), /key must be a credential name/],
    ['a base_url with a user', api({ a: { ...LOCAL, base_url: 'https://u@h/' } }), /base_url must start with/],
    [
      'a role without a slash',
      { oracle: { roles: { 'source-reader': 'acme' } } },
      /oracle\.roles\.source-reader must be "<provider>\/<model>"/,
    ],
    ['a role without a model', { oracle: { roles: { 'source-reader': 'acme/' } } }, /must be "<provider>\/<model>"/],
    ['a role of another type', { oracle: { roles: { 'source-reader': null } } }, /must be a route, not null/],
    [
      'an agent name in capitals',
      { oracle: { roles: { Reader: 'a/b' } } },
      /oracle\.roles\.Reader: the name is not an agent name/,
    ],
    ['65 denials', { oracle: { denylist: Array.from({ length: 65 }, (_, at) => `m${at}`) } }, /has 65 entries/],
    ['a denial of everything', { oracle: { denylist: ['*'] } }, /denylist\[0\] must be a model id/],
    ['a star inside a denial', { oracle: { denylist: ['v/a*'] } }, /denylist\[0\] must be a model id/],
    [
      '17 listed providers',
      { oracle: { bundled_context_providers: Array.from({ length: 17 }, (_, at) => `p${at}`) } },
      /has 17 entries/,
    ],
    ['a listed provider called harness', { oracle: { bundled_context_providers: ['harness'] } }, /is reserved/],
    ['a cap of nothing', bundles({ cap: 0 }), /cap is 0 bytes; it must be from 1 to 268435456 bytes/],
    ['a cap of "0 B"', bundles({ cap: '0 B' }), /cap is 0 bytes/],
    ['a cap one byte too large', bundles({ cap: 268_435_457 }), /cap is 268435457 bytes/],
    ['a cap of 1 GiB', bundles({ cap: '1 GiB' }), /cap is 1073741824 bytes/],
    ['a cap without a unit', bundles({ cap: '4096' }), /cap must be a whole number of bytes/],
    ['a cap with a part of a byte', bundles({ cap: 1.5 }), /cap must be a whole number of bytes/],
    ['a cap in parts', bundles({ cap: '1.5 MiB' }), /cap must be a whole number of bytes/],
    ['a cap with two blanks', bundles({ cap: '4  MiB' }), /cap must be/],
    ['a cap with a small unit', bundles({ cap: '4 mb' }), /cap must be/],
    ['a cap with a sign', bundles({ cap: '+4 MB' }), /cap must be/],
    ['a cap below nothing', bundles({ cap: -1 }), /cap is -1 bytes/],
    [
      'an abbreviated project',
      bundles({ projects: { a1b2c3d: {} } }),
      /oracle\.bundles\.projects\.a1b2c3d: the name is not the full name of a root commit/,
    ],
    ['a project in capitals', bundles({ projects: { ['A'.repeat(40)]: {} } }), /the name is not the full name/],
    ['a project of 63 digits', bundles({ projects: { ['a'.repeat(63)]: {} } }), /the name is not the full name/],
    [
      'an unknown member of a project',
      bundles({ projects: { [SHA]: { caps: 1 } } }),
      /caps is no known member; did you mean "cap"\?/,
    ],
    [
      'an unknown kind',
      list('change_reveiw', ['diff']),
      /change_reveiw is no known member; did you mean "change_review"\?/,
    ],
    ['an empty list', list('change_review', []), /change_review has 0 entries; it takes 1 to 256/],
    [
      'an entry twice',
      list('change_review', ['diff', 'diff']),
      /change_review\[1\] is "diff", which stands in the list a second time/,
    ],
    [
      'another kind’s input',
      list('change_review', ['corpus']),
      /change_review\[0\] is "corpus"; change_review takes "diff", "changed_files" and "path:<glob>"/,
    ],
    ['an input that is nearly one', list('change_review', ['dif']), /did you mean "diff"\?/],
    ['an empty glob', list('change_review', ['path:']), /is "path:", whose glob is empty/],
    ['an absolute glob', list('change_review', ['path:/etc/x']), /is "path:\/etc\/x", whose glob is absolute/],
    ['a glob that climbs', list('change_review', ['path:a/../b']), /whose glob holds "\.\."/],
    ['a glob with a backslash', list('change_review', ['path:a\\b']), /whose glob holds a backslash/],
    ['a reading of files', list('reading', ['path:a']), /the list of reading is always \["items"\]/],
    [
      'a reading of more',
      list('reading', ['items', 'diff']),
      /reading\[1\] is "diff"; the list of reading is always \["items"\]/,
    ],
    ['an empty withhold', bundles({ withhold: [''] }), /withhold\[0\] must be a path glob/],
    ['an absolute withhold', bundles({ withhold: ['/dist'] }), /withhold\[0\] is absolute/],
    ['a folder to withhold', bundles({ withhold: ['dist/'] }), /withhold\[0\] ends in "\/"/],
    ['no threads', own({ threads: 0 }), /threads must be a whole number of threads from 1 to 256/],
    ['a family that is no family', own({ families: { secret: false } }), /families\.secret is no known member/],
    ['an allowance without a reason', own({ allow: [{ fingerprint: 'a' }] }), /allow\[0\]\.reason is missing/],
    [
      'a severity that is none',
      own({ private: [{ id: 'a', pattern: 'b', severity: 'blok' }] }),
      /severity must be one of "block", "warn"; did you mean "block"\?/,
    ],
    [
      'two patterns with one id',
      own({
        private: [
          { id: 'a', pattern: 'b' },
          { id: 'a', pattern: 'c' },
        ],
      }),
      /two patterns with the id "a"/,
    ],
    ['a path with a tilde', own({ rules_dir: '~/rules' }), /rules_dir starts with "~"/],
    [
      'two sources of a credential',
      own({ credentials: { a: { env: 'A', file: 'b' } } }),
      /coldseal\.credentials\.a names 2 sources/,
    ],
    ['no source of a credential', own({ credentials: { a: {} } }), /coldseal\.credentials\.a names 0 sources/],
    [
      'a credential file elsewhere',
      own({ credentials: { a: { file: '/etc/key' } } }),
      /must be relative to the machine folder/,
    ],
    [
      'a credential file that climbs',
      own({ credentials: { a: { file: '../key' } } }),
      /would leave the machine folder/,
    ],
    [
      'a keychain entry that is an option',
      own({ credentials: { a: { keychain: { service: '-x', account: 'a' } } } }),
      /keychain\.service must be a text/,
    ],
    [
      'a provider that is not configured',
      forAcme({ acmee: {} }),
      /coldseal\.providers\.acmee names a provider that oracle\.api does not configure; did you mean "acme"\?/,
    ],
    [
      'resolve on this machine',
      forAcme({ here: { resolve: { localhost: '127.0.0.1' } } }),
      /here\.resolve has no place here/,
    ],
    ['ca_file on this machine', forAcme({ here: { ca_file: 'ca.pem' } }), /here\.ca_file has no place here/],
    ['a timeout of 899 s', forAcme({ acme: { timeout: 899 } }), /timeout must be a whole number of seconds from 900/],
    [
      'a setting outside the list',
      forAcme({ acme: { settings: { temprature: 1 } } }),
      /settings\.temprature is no model setting.*did you mean "temperature"\?/,
    ],
    [
      'messages as a setting',
      forAcme({ acme: { settings: { messages: [] } } }),
      /settings\.messages is no model setting/,
    ],
    [
      'a setting of the wrong type',
      forAcme({ acme: { settings: { temperature: 'hot' } } }),
      /settings\.temperature must be a number/,
    ],
    [
      'an address that is a name',
      forAcme({ acme: { resolve: { 'api.example.com': 'example.org' } } }),
      /must be an address such as/,
    ],
    [
      'a port out of range',
      forAcme({ acme: { resolve: { 'api.example.com': '127.0.0.1:65536' } } }),
      /must be an address such as/,
    ],
    ['an address to listen on without a port', own({ service: { listen: 'localhost' } }), /listen must be "host:port"/],
  ])('refuses %s', async (_what, content, problem) => {
    const problems = await problemsOf(content);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^\d+:\d+: /);
    expect(problems[0]).toMatch(problem);
  });

  it.each<[what: string, content: unknown]>([
    ['a cap of one byte', bundles({ cap: 1 })],
    ['a cap of "1B"', bundles({ cap: '1B' })],
    ['the largest cap', bundles({ cap: '256 MiB' })],
    ['a project of SHA-256', bundles({ projects: { ['0'.repeat(64)]: {} } })],
    ['the one list of a reading', list('reading', ['items'])],
    [
      'a model of 128 bytes with every sign',
      api({ a: { ...LOCAL, models: ['A9._:@+~-/'.repeat(12) + 'a'.repeat(8)] } }),
    ],
    ['a denied vendor', { oracle: { denylist: ['vendor/*', 'a/b/*', 'model:free'] } }],
    [
      'addresses in every form',
      forAcme({ acme: { resolve: { a: '127.0.0.1', b: '127.0.0.1:1', c: '::1', d: '[::1]', e: '[::1]:65535' } } }),
    ],
    ['a socket to listen on', own({ service: { listen: 'unix:/run/coldseal.sock' } })],
    [
      'a setting called __proto__ in a free object',
      '{"oracle":{"api":{"a":{"base_url":"https://h/","models":["m"]}}},"coldseal":{"providers":{"a":{"settings":{"response_format":{"__proto__":{"x":1}}}}}}}',
    ],
    ['members of others', { anything: 1, oracle: { theirs: { deep: true } } }],
  ])('takes %s', async (_what, content) => {
    await expect(read(content)).resolves.toBeDefined();
  });

  it('says of names that nothing answers to, one line each, and goes on', async () => {
    const settings = await read({
      oracle: {
        api: { acme: REMOTE },
        roles: { 'spec-writer': 'acme/vendor/large' },
        bundled_context_providers: ['gone'],
      },
      coldseal: {
        providers: { acme: { resolve: { 'other.example.com': '127.0.0.1' } } },
        gate: { providers: ['gone'] },
      },
    });
    expect(settings.notices).toEqual([
      `${made.machineFile}: oracle.roles.spec-writer is ignored; Coldseal has no agent of that name`,
      `${made.machineFile}: oracle.bundled_context_providers names gone, which oracle.api does not configure`,
      `${made.machineFile}: coldseal.gate.providers names gone, which oracle.api does not configure`,
      `${made.machineFile}: coldseal.providers.acme.resolve names other.example.com, which is not its host`,
    ]);
  });

  it('is read up to 1 MiB and refused one byte over', async () => {
    const filled = (bytes: number): string => `{"x":"${'a'.repeat(bytes - 8)}"}`;
    await expect(read(filled(LARGEST_SETTINGS_BYTES))).resolves.toBeDefined();
    made.write(made.machineFile, filled(LARGEST_SETTINGS_BYTES + 1));
    const refusal = await refusalOf(readSettings(made.facts()));
    expect(refusal.code).toBe('CONFIG_INVALID');
    expect(refusal.message).toContain('larger than 1048576 bytes (1 MiB)');
  });
});

describe('the owner’s machine', () => {
  const unsafe = async (changes: Parameters<MadeHome['facts']>[0] = {}): Promise<string> => {
    const refusal = await refusalOf(readSettings(made.facts(changes)));
    expect(refusal.code).toBe('CONFIG_UNSAFE');
    return refusal.message;
  };

  it('must say where home is', async () => {
    expect(await unsafe({ homeFolder: undefined })).toContain('HOME is not set');
    expect(await unsafe({ homeFolder: '' })).toContain('HOME is not set');
    expect(await unsafe({ homeFolder: `${made.home}\ufffd` })).toContain('bytes outside UTF-8');
    expect(await unsafe({ homeFolder: 'relative' })).toContain('absolute');
  });

  it('must check certificates', async () => {
    expect(await unsafe({ environment: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } })).toContain(
      'NODE_TLS_REJECT_UNAUTHORIZED',
    );
    await expect(
      readSettings(made.facts({ environment: { NODE_TLS_REJECT_UNAUTHORIZED: '1' } })),
    ).resolves.toBeDefined();
  });

  it('says so when HOME is not the account’s own', async () => {
    const settings = await readSettings(made.facts({ accountHome: '/somewhere/else' }));
    expect(settings.notices).toEqual([
      `HOME is ${made.home}, not this account’s own /somewhere/else; the machine file is ${made.machineFile}`,
    ]);
  });

  it('takes no symbolic link for the machine folder or the machine file', async () => {
    made.write(join(made.home, 'real', 'config.json'), '{}');
    symlinkSync(join(made.home, 'real'), made.machineFolder);
    expect(await unsafe()).toContain('is a symbolic link');
    made.remove();
    made = makeHome();
    made.write(join(made.home, 'real.json'), '{}');
    mkdirSync(made.machineFolder, { mode: 0o700 });
    symlinkSync(join(made.home, 'real.json'), made.machineFile);
    expect(await unsafe()).toContain('is a symbolic link');
  });

  it('takes no file for the folder and no folder for the file', async () => {
    writeFileSync(made.machineFolder, '');
    expect(await unsafe()).toContain('is no folder');
    made.remove();
    made = makeHome();
    mkdirSync(made.machineFile, { recursive: true, mode: 0o700 });
    expect(await unsafe()).toContain('is no regular file');
  });

  it.each([0o620, 0o602, 0o666, 0o777])('takes no machine file of mode %o', async (mode) => {
    made.write(made.machineFile, '{}', mode);
    expect(await unsafe()).toContain(`may be written by others (mode 0${mode.toString(8)})`);
  });

  it.each([0o600, 0o644, 0o400])('takes a machine file of mode %o', async (mode) => {
    made.write(made.machineFile, '{}', mode);
    await expect(readSettings(made.facts())).resolves.toBeDefined();
  });

  it('takes no machine folder that others may write', async () => {
    made.write(made.machineFile, '{}');
    chmodSync(made.machineFolder, 0o770);
    expect(await unsafe()).toContain('may be written by others (mode 0770)');
  });

  it('takes no folder or file of somebody else', async () => {
    made.write(made.machineFile, '{}');
    expect(await unsafe({ uid: callerUid + 1 })).toContain(
      `belongs to user ${callerUid}, not to you (user ${callerUid + 1})`,
    );
  });

  it('keeps its folder out of the work tree, whether it is there or not and by whatever name', async () => {
    expect(await unsafe({ checkout: made.home })).toContain('stands inside the work tree');
    made.write(made.machineFile, '{}');
    expect(await unsafe({ checkout: made.home })).toContain('stands inside the work tree');
    const alias = join(made.checkout, 'alias');
    symlinkSync(made.home, alias);
    expect(await unsafe({ checkout: alias })).toContain('stands inside the work tree');
    expect(await unsafe({ homeFolder: alias, checkout: made.home })).toContain('stands inside the work tree');
    await expect(readSettings(made.facts({ checkout: `${made.home}-other` }))).resolves.toBeDefined();
  });

  it('keeps its folder out of every index', async () => {
    made.write(made.machineFile, '{}');
    const asked: string[] = [];
    const isTracked = (path: string): Promise<boolean> => {
      asked.push(path);
      return Promise.resolve(true);
    };
    expect(await unsafe({ isTracked })).toContain('is tracked by a git repository');
    expect(asked).toEqual([made.machineFolder]);
  });
});

describe('the repository file', () => {
  it('adds denials and keeps its routes as text', async () => {
    made.write(made.machineFile, { oracle: { denylist: ['a'] } });
    made.write(made.repositoryFile, {
      oracle: { denylist: ['b/*'], roles: { 'change-reviewer': 'here/tiny', 'source-reader': { x: 'a/b' } } },
    });
    const settings = await readSettings(made.facts());
    expect(settings.repositoryFile).toBe(made.repositoryFile);
    expect(settings.denylist).toEqual([
      { entry: 'a', file: made.machineFile },
      { entry: 'b/*', file: made.repositoryFile },
    ]);
    expect(settings.repositoryRoles).toEqual([
      { agent: 'change-reviewer', text: 'here/tiny' },
      { agent: 'source-reader', text: '{"x":"a/b"}' },
    ]);
    expect(settings.notices).toEqual([]);
  });

  it.each([
    ['oracle.api', { oracle: { api: {} } }],
    ['oracle.api', { oracle: { api: null } }],
    ['oracle.bundled_context_providers', { oracle: { bundled_context_providers: [] } }],
  ])('may not hold %s', async (key, content) => {
    made.write(made.repositoryFile, content);
    const refusal = await refusalOf(readSettings(made.facts()));
    expect(refusal.code).toBe('REPO_DECLARES_PROVIDER');
    expect(refusal.message).toMatch(/config\.json:1:\d+: declares /);
    expect(refusal.message).toContain(key);
    expect(refusal.message).toContain(made.machineFile);
  });

  it('has oracle.bundles and coldseal ignored, with one line each, whatever they hold', async () => {
    made.write(made.repositoryFile, { oracle: { bundles: { cap: 'huge', nonsense: 1 } }, coldseal: 5 });
    const settings = await readSettings(made.facts());
    expect(settings.bundles.capBytes).toBeNull();
    expect(settings.notices).toEqual([
      `${made.repositoryFile}: "oracle.bundles" is ignored in a repository; it is set in ${made.machineFile}`,
      `${made.repositoryFile}: "coldseal" is ignored in a repository; it is set in ${made.machineFile}`,
    ]);
  });

  it('has a role outside the roster ignored with one line', async () => {
    made.write(made.repositoryFile, { oracle: { roles: { 'evil\u001b[2J': 'here/tiny' } } });
    const settings = await readSettings(made.facts());
    expect(settings.repositoryRoles).toEqual([]);
    expect(settings.notices).toHaveLength(1);
    expect(settings.notices[0]).toContain('evil\\x1b[2J');
    expect(settings.notices[0]).not.toContain('\u001b');
  });

  it('says how many more agents a checkout names once it has named sixteen, so that no line is pushed out of sight', async () => {
    const names = Array.from({ length: 5000 }, (_, at) => [`agent-${at}`, 'a/b']);
    made.write(made.repositoryFile, { oracle: { roles: Object.fromEntries(names) } });
    const { notices } = await readSettings(made.facts());
    expect(notices).toHaveLength(17);
    expect(notices[15]).toContain('names the agent agent-15,');
    expect(notices[16]).toContain('names 4984 more agents');
  });

  it('is refused like the machine file when it cannot be read, together with the machine file’s problems', async () => {
    made.write(made.machineFile, '{"oracle": {"api": 1}}');
    made.write(made.repositoryFile, '{"oracle": {"denylist": ["*"]},\n "a": 1, "a": 2}');
    made.write(made.routingFile, '{"schema_version": 2}');
    const refusal = await refusalOf(readSettings(made.facts()));
    expect(refusal.code).toBe('CONFIG_INVALID');
    expect(refusal.message.split('\n')).toEqual([
      '4 problems in the settings files:',
      `${made.machineFile}:1:20: oracle.api must be an object, not a number`,
      expect.stringContaining(`${made.repositoryFile}:1:26: oracle.denylist[0] must be a model id`),
      `${made.repositoryFile}:2:10: names a a second time`,
      `${made.routingFile}:1:20: schema_version must be 1, the only version known here`,
    ]);
  });

  it('is not read through a link in any component', async () => {
    made.write(join(made.checkout, 'elsewhere', 'config.json'), '{}');
    symlinkSync(join(made.checkout, 'elsewhere'), join(made.checkout, '.abcd'));
    expect((await refusalOf(readSettings(made.facts()))).code).toBe('CONFIG_UNSAFE');
    made.remove();
    made = makeHome();
    made.write(made.repositoryFile, '{}');
    renameSync(made.repositoryFile, join(made.checkout, 'real.json'));
    symlinkSync(join(made.checkout, 'real.json'), made.repositoryFile);
    expect((await refusalOf(readSettings(made.facts()))).message).toContain('is a symbolic link');
  });

  it('may be writable by the group, as checkouts often are', async () => {
    made.write(made.repositoryFile, '{}', 0o664);
    await expect(readSettings(made.facts())).resolves.toBeDefined();
  });

  it('keeps the settings of agents for admission', async () => {
    made.write(made.routingFile, {
      schema_version: 1,
      theirs: true,
      agents: {
        'change-reviewer': { settings: { temperature: 1 } },
        'source-reader': { model: 'x' },
        a: { settings: {} },
      },
    });
    expect((await readSettings(made.facts())).repositoryAgentSettings).toEqual([
      { agent: 'change-reviewer', settings: { temperature: 1 } },
    ]);
  });
});
