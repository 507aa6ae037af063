/** `coldseal scan` from outside: what it reads, how it answers, and that no value is ever printed. */

import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandExample } from '../../src/rules/expand-example.js';
import { lyingLoose } from '../support/hostile-shapes.js';
import { type MadeRepository, makeRepository, makeTestFolder } from '../support/make-repository.js';
import { makeProgramHome, type ProgramHome } from '../support/program-home.js';
import { readSarif } from '../support/read-sarif.js';

const token = (seed: string): string => expandExample('{github:ghp}', seed);
const OLD = token('scan-old');
const NEW = token('scan-new');
const KIND = 'token:github_pat';

let home: ProgramHome;
let repository: MadeRepository;
let first: string;
let leak: string;
const folders: string[] = [];
const newFolder = (): string => {
  const folder = makeTestFolder();
  folders.push(folder);
  return folder;
};

beforeAll(() => {
  home = makeProgramHome({});
  repository = makeRepository();
  first = repository.commit('first', {
    'src/a.txt': `one\nkey = ${OLD}\n`,
    'b.txt': 'nothing\n',
    '.gitignore': 'ignored*\n',
    'picture.bin': Buffer.from([0, 1, 2, 3, 0xff]),
  });
  leak = repository.commit('leak', { 'b.txt': `nothing\n${NEW}\n`, 'src/a.txt': `one\nkey = ${OLD}\nmore\n` });
  repository.commit('take it back', { 'b.txt': 'nothing\n' });
});
afterAll(() => {
  home.remove();
  repository.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface ScanDocument {
  readonly outcome: string;
  readonly code?: string;
  readonly findings: readonly Readonly<Record<string, unknown>>[];
  readonly counts: Readonly<Record<string, number>>;
  readonly unscanned: readonly { readonly file: string; readonly reason: string }[];
}

const scanJson = async (words: readonly string[], folder = repository.folder): Promise<ScanDocument> => {
  const ran = await home.run(folder, ['scan', ...words, '--json']);
  expect(ran.stdout).not.toContain(OLD);
  expect(ran.stdout).not.toContain(NEW);
  return JSON.parse(ran.stdout) as ScanDocument;
};

const places = ({ findings }: ScanDocument): readonly string[] =>
  findings.map(({ file, line, column }) => `${file}:${line}:${column}`);

describe('scan of a text that is nothing but findings', () => {
  it('reports every one of them, however many there are', { timeout: 120_000 }, async () => {
    const text = Buffer.alloc(3 * 1024 * 1024, 'AKIA');
    const ran = await home.run(repository.folder, ['scan', '-', '--json'], { input: text });
    expect(ran.exit).toBe(0);
    const { counts } = JSON.parse(ran.stdout) as ScanDocument;
    expect(counts['findings']).toBeGreaterThan(130_000);
  });
});

describe('a scan of a work tree', () => {
  it('writes one line a finding, counts and names what it did not scan, and ends with 0', async () => {
    const ran = await home.run(repository.folder, ['scan']);
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toMatch(/^src\/a\.txt:2:7: github-\S+ token:github_pat\n$/);
    expect(ran.stderr).toContain('coldseal: not scanned: picture.bin (binary: 5 bytes');
    expect(ran.stderr).toContain('coldseal: 1 finding in 1 file; scanned 3 files');
    expect(ran.stdout + ran.stderr).not.toContain(OLD);
  });

  it.each([
    [[], 0],
    [['--fail-on-findings'], 4],
    [['--exit-code', '9'], 9],
    [['--exit-code', '0'], 0],
    [['--fail-on-findings', 'b.txt'], 0],
  ])('ends with %j as %i', async (words, exit) => {
    expect((await home.run(repository.folder, ['scan', '-q', ...words])).exit).toBe(exit);
  });

  it('reads untracked files and leaves ignored ones, unless they are named', async () => {
    repository.write('untracked.txt', NEW);
    repository.write('ignored/x.txt', NEW);
    try {
      expect(places(await scanJson([]))).toEqual(['src/a.txt:2:7', 'untracked.txt:1:1']);
      expect(places(await scanJson(['ignored/x.txt']))).toEqual(['ignored/x.txt:1:1']);
      expect(places(await scanJson(['ignored']))).toEqual(['ignored/x.txt:1:1']);
      expect(places(await scanJson(['a.txt', '.'], join(repository.folder, 'src')))).toEqual(['src/a.txt:2:7']);
    } finally {
      repository.remove('untracked.txt');
      repository.remove('ignored');
    }
  });

  it('finds on any number of threads the same, in path order', async () => {
    const folder = newFolder();
    for (let index = 0; index < 300; index += 1) {
      const name = `f${(index * 7919) % 1000}.txt`;
      writeFileSync(join(folder, name), `${'words of a text\n'.repeat(200)}${index % 10 === 0 ? token(name) : ''}\n`);
    }
    const texts: string[] = [];
    for (const threads of [1, 3]) {
      home.writeMachine({ coldseal: { threads } });
      texts.push((await home.run(folder, ['scan', '-q'])).stdout);
    }
    home.writeMachine({});
    expect(texts[0]?.split('\n')).toHaveLength(31);
    expect(texts[1]).toBe(texts[0]);
    const files = texts[0]?.split('\n').map((line) => line.split(':')[0] ?? '') ?? [];
    expect(files.slice(0, -1)).toEqual([...files.slice(0, -1)].sort());
  });

  it('follows no link, opens no socket, and says so of both', async () => {
    const folder = newFolder();
    const outside = newFolder();
    writeFileSync(join(outside, 'secret.txt'), NEW);
    mkdirSync(join(folder, 'sub'));
    symlinkSync(outside, join(folder, 'sub/link'));
    symlinkSync(NEW, join(folder, 'named'));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve));
    try {
      const document = await scanJson([], folder);
      expect(places(document)).toEqual(['named:1:1']);
      expect(document.unscanned).toEqual([{ file: 'socket', reason: 'special', detail: 'no regular file' }]);
    } finally {
      server.close();
    }
  });

  it('is refused when a file was too large to scan, after reporting the others', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'a.txt'), NEW);
    writeFileSync(join(folder, 'z.log'), '');
    truncateSync(join(folder, 'z.log'), 256 * 1024 * 1024 + 1);
    const ran = await home.run(folder, ['scan']);
    expect(ran.exit).toBe(2);
    expect(ran.stdout).toMatch(/^a\.txt:1:1: /);
    expect(ran.stderr).toMatch(/^refused \(ITEM_TOO_LARGE\): .*z\.log/m);
    expect(await scanJson([], folder)).toMatchObject({ outcome: 'refused', code: 'ITEM_TOO_LARGE', findings: [{}] });
    expect((await home.run(folder, ['scan', '--fail-on-findings'])).exit).toBe(4);
  });

  it('blanks a name that holds a value', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, `x-${NEW}.txt`), 'nothing\n');
    const document = await scanJson([], folder);
    expect(document.findings).toMatchObject([{ file: `x-[blanked ${KIND} #1].txt`, in_name: true, kind: KIND }]);
  });

  it('reads UTF-16 and Latin-1 as the text it is', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'le.txt'), Buffer.from(`\ufeffПривет\r\nkey ${NEW}\r\n`, 'utf16le'));
    writeFileSync(join(folder, 'latin.txt'), Buffer.from(`p\xe4ss\xe9\xe8\xf6 ${NEW} \xfc\n`, 'latin1'));
    expect(places(await scanJson([], folder))).toEqual(['latin.txt:1:9', 'le.txt:2:5']);
  });

  it('takes what the owner allowed and finds what the owner’s own patterns say', async () => {
    const { findings } = await scanJson([]);
    const prints = findings.flatMap(({ fingerprint, other_fingerprints: others = [] }) => [
      fingerprint,
      ...(others as string[]),
    ]);
    home.writeMachine({
      coldseal: {
        allow: prints.map((fingerprint) => ({ fingerprint, reason: 'made up' })),
        private: [{ id: 'student', pattern: 'noth[i]ng' }],
      },
    });
    try {
      expect((await scanJson([])).findings).toMatchObject([{ file: 'b.txt', kind: 'private:student' }]);
    } finally {
      home.writeMachine({});
    }
  });
});

describe('a scan of git objects', () => {
  it('finds in a range what a commit brought and a later one took away, under that commit', async () => {
    const document = await scanJson(['--range', `${first}..HEAD`]);
    expect(document.findings).toMatchObject([
      { file: 'b.txt', line: 2, commit: leak, author: 'Ada Example', date: '2024-01-02T03:04:05Z' },
    ]);
  });

  it.each([
    ['the first commit, which has no parent', () => ['--commit', first], ['src/a.txt:2:7']],
    ['a commit, and only its new lines', () => ['--commit', leak], ['b.txt:2:1']],
    ['a commit, below a path', () => ['--commit', leak, 'src'], []],
    ['the commit that only removed', () => ['--commit', 'HEAD'], []],
  ])('finds in %s', async (_name, words, expected) => {
    expect(places(await scanJson(words()))).toEqual(expected);
  });

  it('counts every line as new where the file before it is too large to compare with', async () => {
    const made = lyingLoose(2 ** 40, 10);
    try {
      const blob = made.git(['hash-object', '-w', '--stdin'], `key = ${NEW}\n`);
      const tree = made.git(['mktree'], `100644 blob ${blob}\tbomb.txt\n`);
      made.git(['update-ref', 'HEAD', made.git(['commit-tree', '-m', 'small', '-p', 'HEAD', tree])]);
      const document = await scanJson(['--commit', 'HEAD'], made.folder);
      expect(document).toMatchObject({ outcome: 'scanned', findings: [{ file: 'bomb.txt', line: 1 }], unscanned: [] });
    } finally {
      made.close();
    }
  });

  it('finds what is staged on new lines, and not what is in the work tree alone', async () => {
    repository.write('src/a.txt', `one\nkey = ${OLD}\nstaged ${NEW}\n`);
    repository.git(['add', 'src/a.txt']);
    repository.write('b.txt', `${NEW}\n`);
    try {
      const ran = await home.run(repository.folder, ['scan', '--staged', '--fail-on-findings', '-q']);
      expect(ran.exit).toBe(4);
      expect(ran.stdout).toMatch(/^src\/a\.txt:3:8: /);
      expect(ran.stdout.trimEnd().split('\n')).toHaveLength(1);
    } finally {
      repository.git(['reset', '--quiet', '--hard']);
    }
  });

  it.each([
    [['--commit', 'nosuch'], 'NO_RANGE'],
    [['--range', 'HEAD..HEAD'], 'NO_RANGE'],
    [['--range', 'HEAD'], 'USAGE'],
    [['--staged', '--commit', 'HEAD'], 'USAGE'],
    [['nosuch'], 'INPUT_MISSING'],
    [['--format', 'xml'], 'USAGE'],
    [['--exit-code', '256'], 'USAGE'],
    [['--ndjson', 'b.txt'], 'USAGE'],
    [['--blank', '--staged'], 'USAGE'],
    [['--stdin-name', 'x'], 'USAGE'],
    [['-', 'b.txt'], 'USAGE'],
  ])('refuses %j as %s', async (words, code) => {
    const ran = await home.run(repository.folder, ['scan', ...words]);
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain(`refused (${code}): `);
  });

  it('names a repository that is not there', async () => {
    const ran = await home.run(newFolder(), ['scan', '--staged']);
    expect(ran.stderr).toContain('refused (NOT_A_REPOSITORY): ');
  });
});

describe('a report', () => {
  it('of JSON has the members that readers of gitleaks reports look for, and no value', async () => {
    const ran = await home.run(repository.folder, ['scan', '--format', 'json', '--commit', leak]);
    const rows = JSON.parse(ran.stdout) as readonly Record<string, unknown>[];
    expect(rows).toMatchObject([
      {
        Description: expect.stringMatching(/./),
        StartLine: 2,
        EndLine: 2,
        StartColumn: 1,
        EndColumn: NEW.length,
        Match: 'REDACTED',
        Secret: 'REDACTED',
        File: 'b.txt',
        SymlinkFile: '',
        Commit: leak,
        Author: 'Ada Example',
        Email: 'ada@example.org',
        Date: '2024-01-02T03:04:05Z',
        RuleID: expect.stringMatching(/^github-/),
        Fingerprint: expect.stringMatching(/^fp-[0-9a-f]{40}$/),
      },
    ]);
    expect(ran.stdout).not.toContain(NEW);
  });

  it('of JSON is an empty array when nothing was found', async () => {
    const ran = await home.run(repository.folder, ['scan', '--format', 'json', 'b.txt']);
    expect(JSON.parse(ran.stdout)).toEqual([]);
  });

  it('of SARIF holds to the standard, also for names that are no URI', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'a b:c'));
    writeFileSync(join(folder, 'a b:c/é#?.txt'), `😀 ${NEW}\n`);
    writeFileSync(join(folder, 'x.bin'), Buffer.from([0, 0, 0, 1]));
    const ran = await home.run(folder, ['scan', '--format', 'sarif']);
    const { results, tool, invocations } = readSarif(ran.stdout);
    expect(results).toHaveLength(1);
    expect(results[0]?.locations[0]?.physicalLocation).toEqual({
      artifactLocation: { uri: 'a%20b%3Ac/%C3%A9%23%3F.txt', uriBaseId: '%SRCROOT%' },
      region: { startLine: 1, startColumn: 4, endLine: 1, endColumn: 4 + NEW.length },
    });
    expect(tool.driver.rules[results[0]?.ruleIndex ?? -1]?.id).toBe(results[0]?.ruleId);
    expect(invocations[0]?.toolExecutionNotifications).toHaveLength(1);
    expect(ran.stdout).not.toContain(NEW);
    expect(readSarif((await home.run(newFolder(), ['scan', '--format', 'sarif'])).stdout).results).toEqual([]);
  });

  it('of HTML lets nothing run but its own style and script, and escapes every name', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, '<img src=x onerror=alert(1)>.txt'), `${NEW}\n`);
    const { stdout } = await home.run(folder, ['scan', '--format', 'html']);
    const hashOf = (part: string): string => `'sha256-${createHash('sha256').update(part).digest('base64')}'`;
    const style = /<style>([\s\S]*?)<\/style>/.exec(stdout)?.[1] ?? '';
    const script = /<script>([\s\S]*?)<\/script>/.exec(stdout)?.[1] ?? '';
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(stdout)?.[1] ?? '';
    expect(policy).toBe(
      `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`,
    );
    expect(stdout.match(/<script/g)).toHaveLength(1);
    expect(stdout).toContain('&lt;img src=x onerror=alert(1)&gt;.txt');
    expect(stdout).not.toMatch(/<img|https?:|url\(|@import| on\w+="/);
    expect(stdout).not.toContain(NEW);
  });
});

describe('standard input', () => {
  it('is blanked to the byte: marks, line ends and bytes that are no text stay', async () => {
    const wrap = (middle: string): Buffer =>
      Buffer.concat([Buffer.from('\ufeffa\r\n'), Buffer.from([0xff, 0xc3, 0x00]), Buffer.from(` ${middle}\r\nend`)]);
    const ran = await home.run(repository.folder, ['scan', '--blank'], { input: wrap(NEW) });
    expect(ran.exit).toBe(0);
    expect(ran.stdoutBytes).toEqual(wrap(`[blanked ${KIND} #1]`));
    const none = wrap('nothing');
    expect((await home.run(repository.folder, ['scan', '--blank', '-'], { input: none })).stdoutBytes).toEqual(none);
    expect((await home.run(repository.folder, ['scan', '--blank'], { input: '' })).stdoutBytes).toHaveLength(0);
  });

  it('numbers equal values alike and blanks a value’s echoes', async () => {
    const input = `${NEW} ${OLD} ${NEW}\n${Buffer.from(`x ${OLD} y`).toString('base64')}\n`;
    const { stdout } = await home.run(repository.folder, ['scan', '--blank'], { input });
    expect(stdout).toMatch(
      /^\[blanked token:github_pat #1\] \[blanked token:github_pat #2\] \[blanked token:github_pat #1\]\n/,
    );
    expect(stdout).not.toContain(Buffer.from(OLD).toString('base64').slice(4, 20));
  });

  it('is reported under its name', async () => {
    const ran = await home.run(repository.folder, ['scan', '-', '--stdin-name', 'app.log'], { input: `a\n ${NEW}` });
    expect(ran.stdout).toMatch(/^app\.log:2:2: /);
  });
});

describe('scan --ndjson', () => {
  const ask = async (lines: readonly string[]): Promise<readonly Record<string, unknown>[]> => {
    const ran = await home.run(repository.folder, ['scan', '--ndjson'], { input: lines.join('\n') });
    expect(ran.exit).toBe(0);
    return ran.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('answers each line in order, bad ones too, with offsets in UTF-8 bytes', async () => {
    const text = `é\ud800😀\0 key ${NEW}`;
    const answers = await ask([
      JSON.stringify({ id: 'a', text, path: 'x.txt' }),
      'not json',
      '',
      '[1]',
      JSON.stringify({ id: 2, text: 'nothing' }),
      JSON.stringify({ id: 3 }),
      JSON.stringify({ text: 'no id' }),
      JSON.stringify({ id: 4, text: `${OLD} ${NEW}` }),
    ]);
    const start = Buffer.byteLength(`é\ud800😀\0 key `);
    expect(answers).toMatchObject([
      {
        id: 'a',
        text: `é\ud800😀\0 key [blanked ${KIND} #1]`,
        findings: [
          { rule: expect.any(String), kind: KIND, severity: 'block', line: 1, start, end: start + NEW.length },
        ],
      },
      { id: null, error: expect.any(String) },
      { id: null, error: expect.any(String) },
      { id: 2, text: 'nothing', findings: [] },
      { id: null, error: expect.any(String) },
      { id: null, error: expect.any(String) },
      { id: 4, text: `[blanked ${KIND} #1] [blanked ${KIND} #2]` },
    ]);
  });

  it('answers a line before the next one is asked', async () => {
    const answers: string[] = [];
    const ran = await home.run(repository.folder, ['scan', '--ndjson'], {
      holdsInput: true,
      onStart: (child) => {
        child.stdin?.write(`${JSON.stringify({ id: 0, text: NEW })}\n`);
        child.stdout?.on('data', (chunk: Buffer) => {
          answers.push(chunk.toString('utf8'));
          if (answers.length < 3) child.stdin?.write(`${JSON.stringify({ id: answers.length, text: 'next' })}\n`);
          else child.stdin?.end();
        });
      },
    });
    expect(ran.exit).toBe(0);
    expect(answers.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([0, 1, 2]);
  });

  it('keeps the order over many batches', async () => {
    const lines = Array.from({ length: 2000 }, (_, id) =>
      JSON.stringify({ id, text: `${'some words '.repeat((id * 31) % 200)}${id % 50 === 0 ? token(`n${id}`) : ''}` }),
    );
    const answers = await ask(lines);
    expect(answers.map(({ id }) => id)).toEqual(lines.map((_, id) => id));
    const found = answers.filter(({ findings }) => (findings as readonly object[]).length > 0);
    expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 40 }, (_, index) => index * 50));
  });

  it.each([
    ['scan', '--ndjson'],
    ['scan', '-'],
    ['scan', '--blank'],
  ])('ends at once when it is interrupted while it waits: %s %s', async (...words) => {
    const ran = await home.run(repository.folder, words, {
      holdsInput: true,
      onStart: (child) => {
        child.stdin?.write(`${JSON.stringify({ id: 1, text: 'first' })}\n`);
        // The notice about HOME says that the program runs and listens for signals.
        child.stderr?.once('data', () => child.kill('SIGINT'));
      },
    });
    expect(ran).toMatchObject({ exit: 130, signal: null });
  });

  it('ends quietly when its reader goes away', async () => {
    const line = `${JSON.stringify({ id: 1, text: 'words '.repeat(5000) })}\n`;
    const ran = await home.run(repository.folder, ['scan', '--ndjson'], {
      input: line.repeat(400),
      onStart: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
    });
    expect(ran).toMatchObject({ exit: 0, signal: null });
  });
});
