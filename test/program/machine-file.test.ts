/** The machine file as the program reads it: one message with every problem, each with its line and column. */
import { execFileSync } from 'node:child_process';
import { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce } from '../support/at-once.js';
import { type MadeRepository, makeRepository } from '../support/make-repository.js';
import { makeProgramHome, type ProgramHome } from '../support/program-home.js';

let repository: MadeRepository;

beforeAll(() => {
  repository = makeRepository();
  repository.commit('first', { 'a.txt': 'a\n' });
});
afterAll(() => repository.close());

/** What a verb says of a machine file with these bytes; the file's own path is left out. */
const saidOf = async (content: string | Uint8Array, plant?: (home: ProgramHome) => void) => {
  const home = makeProgramHome({});
  try {
    writeFileSync(home.machineFile, content, { mode: 0o600 });
    plant?.(home);
    const ran = await home.run(repository.folder, ['review', '--plan']);
    const notice = 'coldseal: HOME is ';
    const lines = ran.stderr.split('\n').filter((line) => line !== '' && !line.startsWith(notice));
    return {
      exit: ran.exit,
      stdout: ran.stdout,
      lines: lines.map((line) => line.replaceAll(home.machineFile, 'FILE').replaceAll(home.machineFolder, 'FOLDER')),
    };
  } finally {
    home.remove();
  }
};

const REMOTE = '"base_url": "https://a.example/v1", "models": ["m"]';

describe('a machine file with one fault', () => {
  /** `▸` stands before the place that is named and is no part of the file. */
  type Row = readonly [name: string, marked: string, problem: string];
  const FAULTS: readonly Row[] = [
    ['a name twice at the top', '{"oracle": {},\n ▸"oracle": {}}', 'names oracle a second time'],
    [
      'a name twice deep down',
      `{"oracle": {"api": {"a": {${REMOTE},\n  ▸"models": ["n"]}}}}`,
      'names oracle.api.a.models a second time',
    ],
    [
      'a name twice in a part that is not ours',
      '{"abcd": {"x": [{"y": 1, ▸"y": 2}]}}',
      'names abcd.x[0].y a second time',
    ],
    ['a name twice, once with an escape', '{"oracle": {}, ▸"or\\u0061cle": {}}', 'names oracle a second time'],
    ['content after the object', '{}\n▸{}', 'has content after the JSON value'],
    ['a byte order mark', '▸\ufeff{}', 'starts with a byte order mark; save it as plain UTF-8'],
    ['bytes that are no UTF-8', '{"▸\xff": 1}', 'holds bytes that are no UTF-8'],
    ['a list', '▸[]', 'the file must hold one JSON object'],
    ['nothing', '▸', 'is empty; one JSON object is due'],
    ['a comma too many', '{"oracle": {}▸,}', 'has a "," before "}"'],
    [
      '__proto__ as a provider',
      `{"oracle": {"api": {▸"__proto__": {${REMOTE}}}}}`,
      'oracle.api.__proto__: the name is not a provider name: 1 to 32 of a-z 0-9 _ -, first a letter or digit',
    ],
    ['__proto__ under ours', '{"coldseal": {▸"__proto__": {"threads": 1}}}', 'coldseal.__proto__ is no known member'],
    ['__proto__ twice', '{"__proto__": 1,\n ▸"__proto__": 2}', 'names __proto__ a second time'],
    [
      'an unknown member of ours',
      '{"coldseal": {▸"thread": 1}}',
      'coldseal.thread is no known member; did you mean "threads"?',
    ],
    [
      'an unknown member of a provider',
      `{"oracle": {"api": {"a": {${REMOTE}, ▸"kee": "k"}}}}`,
      'oracle.api.a.kee is no known member; did you mean "key"?',
    ],
    [
      'an unknown member of bundles',
      '{"oracle": {"bundles": {▸"caps": 1}}}',
      'oracle.bundles.caps is no known member; did you mean "cap"?',
    ],
    [
      'a URL with a user',
      '{"oracle": {"api": {"a": {"base_url": ▸"https://u@a.example", "models": ["m"]}}}}',
      'oracle.api.a.base_url ',
    ],
  ];

  it('is refused with its place and nothing else', async () => {
    await atOnce(FAULTS, async ([name, marked, problem]) => {
      const before = marked.slice(0, marked.indexOf('▸')).split('\n');
      const place = `${before.length}:${(before.at(-1) ?? '').length + 1}`;
      const content = marked.replace('▸', '');
      const said = await saidOf(content.includes('\xff') ? Buffer.from(content, 'latin1') : content);
      expect([said.exit, said.stdout, said.lines.length], name).toEqual([2, '', 1]);
      expect(said.lines[0], name).toContain(`refused (CONFIG_INVALID): FILE:${place}: ${problem}`);
    });
  });

  it('passes over what is not ours: members of the file and of oracle that another program reads', async () => {
    const said = await saidOf('{"abcd": {"__proto__": 1}, "oracle": {"harness": {}, "__proto__": {"roles": 1}}}');
    expect([said.exit, said.lines]).toEqual([0, []]);
  });
});

describe('a machine file with many faults', () => {
  it('is refused in one message with all of them, by line and column', async () => {
    const content = [
      '{"oracle": {',
      `  "api": {"Upper": {${REMOTE}}, "harness": {${REMOTE}}},`,
      '  "roles": {"change-reviewer": "no-slash"},',
      '  "bundles": {"cap": "4", "projects": {"abc": {}}, "cap": 7}',
      '}, "coldseal": {"threads": 0, "allwo": []}} trailing',
    ].join('\n');
    const said = await saidOf(content);
    expect([said.exit, said.stdout]).toEqual([2, '']);
    const [head, ...problems] = said.lines;
    expect(head).toBe(`refused (CONFIG_INVALID): ${problems.length} problems in the settings files:`);
    expect(problems.map((line) => /^FILE:(\d+:\d+): (\S+)/.exec(line)?.slice(1).join(' '))).toEqual([
      '2:11 oracle.api.Upper:',
      '2:75 oracle.api.harness:',
      '3:32 oracle.roles.change-reviewer',
      '4:22 oracle.bundles.cap',
      '4:40 oracle.bundles.projects.abc:',
      '4:52 names',
      '5:28 coldseal.threads',
      '5:31 coldseal.allwo',
      '5:45 has',
    ]);
  });
});

describe('a machine file or folder that is not the owner’s alone', () => {
  type Row = readonly [name: string, plant: (home: ProgramHome) => void, code: string, said: RegExp];
  const UNSAFE: readonly Row[] = [
    [
      'a symbolic link',
      ({ machineFile }) => {
        renameSync(machineFile, `${machineFile}.real`);
        symlinkSync(`${machineFile}.real`, machineFile);
      },
      'CONFIG_UNSAFE',
      /FILE is a symbolic link/,
    ],
    [
      'a link to nowhere',
      ({ machineFile }) => {
        rmSync(machineFile);
        symlinkSync('nowhere', machineFile);
      },
      'CONFIG_UNSAFE',
      /FILE is a symbolic link/,
    ],
    [
      'a pipe',
      ({ machineFile }) => {
        rmSync(machineFile);
        execFileSync('/usr/bin/mkfifo', [machineFile]);
      },
      'CONFIG_UNSAFE',
      /FILE is no regular file/,
    ],
    [
      'writable by the group',
      ({ machineFile }) => chmodSync(machineFile, 0o620),
      'CONFIG_UNSAFE',
      /FILE may be written by others \(mode 0620\)/,
    ],
    [
      'writable by everybody',
      ({ machineFile }) => chmodSync(machineFile, 0o602),
      'CONFIG_UNSAFE',
      /FILE may be written by others/,
    ],
    [
      'in a folder writable by others',
      ({ machineFolder }) => chmodSync(machineFolder, 0o770),
      'CONFIG_UNSAFE',
      /The machine folder FOLDER may be written by others/,
    ],
    [
      'in a folder that is a link',
      ({ machineFolder }) => {
        renameSync(machineFolder, `${machineFolder}.real`);
        symlinkSync(`${machineFolder}.real`, machineFolder);
      },
      'CONFIG_UNSAFE',
      /The machine folder FOLDER is a symbolic link/,
    ],
    [
      'over 1 MiB',
      ({ machineFile }) => writeFileSync(machineFile, `{"x": "${'a'.repeat(1024 * 1024)}"}`),
      'CONFIG_INVALID',
      /FILE is larger than 1048576 bytes/,
    ],
  ];

  it('is refused by every verb, naming what to do, and writes nothing', async () => {
    await atOnce(UNSAFE, async ([name, plant, code, pattern]) => {
      const said = await saidOf('{}', plant);
      expect([said.exit, said.stdout], name).toEqual([2, '']);
      expect(said.lines[0], name).toContain(`refused (${code}): `);
      expect(said.lines[0], name).toMatch(pattern);
    });
  });

  it('may be missing, and readable by others; HOME that is not set is an error', async () => {
    const missing = await saidOf('{}', ({ machineFolder }) => rmSync(machineFolder, { recursive: true }));
    const readable = await saidOf('{}', ({ machineFile }) => chmodSync(machineFile, 0o644));
    expect([missing.exit, readable.exit]).toEqual([0, 0]);
    const home = makeProgramHome({});
    try {
      const unset = await home.run(repository.folder, ['config', 'path'], { environment: { HOME: '' } });
      expect(unset.exit).toBe(2);
      expect(unset.stderr).toContain('refused (CONFIG_UNSAFE): HOME is not set');
      const verification = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
      const unverified = await home.run(repository.folder, ['review', '--plan'], { environment: verification });
      expect(unverified.stderr).toContain('refused (CONFIG_UNSAFE): NODE_TLS_REJECT_UNAUTHORIZED is 0');
    } finally {
      home.remove();
    }
  });
});
