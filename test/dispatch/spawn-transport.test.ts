/** A provider that is a program: real programs in a folder of the test's, one rule each. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderSettings, SpawnSettings } from '../../src/contract/route.js';
import type { SendRequest } from '../../src/contract/transport.js';
import { judgeWritten } from '../../src/dispatch/spawn-answer.js';
import { createSpawnTransport, type SpawnTransportOptions } from '../../src/dispatch/spawn-transport.js';
import { madeBundle } from '../support/made-bundle.js';
import { madeCredential, realSleep } from '../support/made-call.js';

const uid = process.getuid?.() ?? 0;
let folder: string;
let programs = 0;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'coldseal-programs-')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program of the test's: a body of JavaScript that may use `input`, `say` and `note` (a file it may write). */
const programOf = (body: string): { readonly program: string; readonly note: string } => {
  programs += 1;
  const program = join(folder, `program-${programs}`);
  const note = join(folder, `note-${programs}`);
  const lines = [
    `#!${process.execPath}`,
    "const fs = require('node:fs');",
    `const note = (text) => fs.writeFileSync(${JSON.stringify(note)}, text);`,
    "const input = () => fs.readFileSync(0, 'utf8');",
    'const say = (text) => fs.writeSync(1, text);',
    body,
  ];
  writeFileSync(program, lines.join('\n'), { mode: 0o755 });
  return { program, note };
};

interface Words {
  readonly spawn?: Partial<SpawnSettings>;
  readonly provider?: Partial<ProviderSettings>;
  readonly request?: Partial<SendRequest>;
  readonly options?: Partial<SpawnTransportOptions>;
  readonly message?: string;
}

const send = async (body: string, { spawn, provider, request, options, message }: Words = {}) => {
  const { program, note } = programOf(body);
  const settings: SpawnSettings = {
    program,
    args: [],
    environment: {},
    output: 'stdout',
    emptyOutput: 'fail',
    ...spawn,
  };
  const transport = createSpawnTransport({
    uid,
    workTree: null,
    homeFolder: folder,
    accountName: 'somebody',
    clock: () => performance.now(),
    sleep: realSleep,
    graceMs: 200,
    ...options,
  });
  const attempts: number[] = [];
  const sent = transport.send({
    provider: {
      name: 'tool',
      endpoint: { baseUrl: `spawn:${program}`, host: program, port: 0, remote: true },
      credential: null,
      models: ['large'],
      resolve: {},
      caFile: null,
      totalTimeoutMs: 60_000,
      settings: {},
      maxPromptTokens: null,
      usageChunk: false,
      spawn: settings,
      ...provider,
    },
    model: 'large',
    brief: { kind: 'sealed', bundle: madeBundle(message ?? 'the bundle\n', 'the system message') },
    settings: {},
    credential: null,
    denylist: [],
    beforeConnect: async (attempt) => {
      attempts.push(attempt);
    },
    signal: new AbortController().signal,
    ...request,
  });
  return { answer: await sent, attempts, noted: () => (existsSync(note) ? readFileSync(note, 'utf8') : null) };
};

describe('a bundle to a program', () => {
  it('is written whole to its input, system message first, and the answer is what it prints', async () => {
    const { answer, attempts } = await send("say('read: ' + JSON.stringify(input()))");
    expect(answer).toMatchObject({
      ok: true,
      text: 'read: "the system message\\n\\nthe bundle\\n"',
      attempts: 1,
      usage: null,
      notes: ['The provider did not report a model.'],
    });
    expect(attempts).toEqual([1]);
  });

  it('of 40 MB arrives whole at a program that reads slowly', async () => {
    const body = `let total = 0; const buffer = Buffer.alloc(1 << 20);
      for (let n; (n = fs.readSync(0, buffer)) > 0; ) { total += n; Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); }
      say('counted ' + total);`;
    const message = 'x'.repeat(40_000_000);
    const { answer } = await send(body, { message });
    const expected = message.length + 'the system message\n\n'.length;
    expect(answer).toMatchObject({ ok: true, text: `counted ${expected}` });
  });

  it('names model and file among the arguments, and reads the answer from the file', async () => {
    const body = "input(); say('progress'); fs.writeFileSync(process.argv[3], 'asked ' + process.argv[2]);";
    const { answer } = await send(body, { spawn: { output: 'file', args: ['{{model}}', '{{output}}'] } });
    expect(answer).toMatchObject({ ok: true, text: 'asked large' });
  });

  it('meets the fixed baseline, the owner’s variables and nothing of ours', async () => {
    process.env['COLDSEAL_TEST_LEAK'] = 'leaked';
    const { answer } = await send('input(); say(JSON.stringify({ env: process.env, cwd: fs.readdirSync(".") }))', {
      spawn: { environment: { ACME_REGION: 'north' } },
    });
    delete process.env['COLDSEAL_TEST_LEAK'];
    const { env, cwd } = JSON.parse(answer.ok ? answer.text : '{}') as { env: Record<string, string>; cwd: string[] };
    const { TMPDIR: temporary, ...rest } = env;
    expect(rest).toEqual({
      HOME: folder,
      USER: 'somebody',
      LOGNAME: 'somebody',
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      NO_COLOR: '1',
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ACME_REGION: 'north',
    });
    expect(cwd).toEqual([]);
    expect(existsSync(temporary ?? '')).toBe(false);
  });

  it('does not start when it is not sealed and the program is remote, nor with model settings', async () => {
    const bytes = Buffer.from('raw');
    const local = { kind: 'local' as const, system: bytes, message: bytes };
    await expect(send('note("started")', { request: { brief: local } })).rejects.toMatchObject({ code: 'INTERNAL' });
    const settings = { temperature: 0 };
    await expect(send('note("started")', { request: { settings } })).rejects.toMatchObject({ code: 'SETTING_REFUSED' });
  });

  it('goes as it is to a program that its owner says runs here', async () => {
    const brief = { kind: 'local' as const, system: Buffer.from('s'), message: Buffer.from('m') };
    const endpoint = { baseUrl: 'spawn:here', host: 'here', port: 0, remote: false };
    const { answer } = await send('say("got " + input())', { request: { brief }, provider: { endpoint } });
    expect(answer).toMatchObject({ ok: true, text: 'got s\n\nm' });
  });

  it('does not start when what is asked right before says no', async () => {
    const beforeConnect = () => Promise.reject(new Error('no row, no call'));
    await expect(send('note("started")', { request: { beforeConnect } })).rejects.toThrow('no row, no call');
  });
});

type Failure = readonly [what: string, body: string, words: Words, expected: Record<string, unknown>];

const FAILURES: readonly Failure[] = [
  [
    'ends with another code',
    'input(); console.error("quota\\nno credit"); process.exit(3)',
    {},
    { code: 'PROVIDER_STATUS', facts: { exit_code: 3 } },
  ],
  [
    'is ended by a signal',
    'input(); process.kill(process.pid, "SIGSEGV")',
    {},
    { code: 'PROVIDER_CUT_OFF', facts: { signal: 'SIGSEGV' } },
  ],
  ['prints nothing', 'input()', {}, { code: 'PROVIDER_EMPTY' }],
  ['prints blanks', 'input(); say(" \\n\\t\\n")', {}, { code: 'PROVIDER_EMPTY' }],
  ['prints a placeholder', 'input(); say("TODO\\n")', {}, { code: 'PROVIDER_EMPTY' }],
  ['prints a spinner', 'input(); say("\\u001b[2K\\u001b[1G⠋ Thinking…\\n")', {}, { code: 'PROVIDER_EMPTY' }],
  [
    'leaves a placeholder in its file although empty output is accepted',
    'input(); fs.writeFileSync(process.argv[2], "(no output)")',
    { spawn: { output: 'file', args: ['{{output}}'], emptyOutput: 'accept' } },
    { code: 'PROVIDER_EMPTY' },
  ],
  [
    'writes no file',
    'input(); say("the answer, in the wrong place")',
    { spawn: { output: 'file', args: ['{{output}}'] } },
    { code: 'PROVIDER_EMPTY' },
  ],
  [
    'leaves a link where its file is due',
    'input(); fs.symlinkSync("/etc/hostname", process.argv[2])',
    { spawn: { output: 'file', args: ['{{output}}'] } },
    { code: 'PROVIDER_ANSWER_INVALID' },
  ],
  [
    'prints what is no UTF-8',
    'input(); fs.writeSync(1, Buffer.from([0x61, 0xff, 0x62]))',
    {},
    { code: 'PROVIDER_ANSWER_INVALID' },
  ],
  [
    'prints too much',
    'input(); say("x".repeat(5000)); setTimeout(() => {}, 60000)',
    { options: { answerBytes: 4096 } },
    { code: 'PROVIDER_TOO_LARGE', facts: { most_bytes: 4096 } },
  ],
  [
    'writes too large a file',
    'input(); fs.writeFileSync(process.argv[2], "x".repeat(5000))',
    { spawn: { output: 'file', args: ['{{output}}'] }, options: { answerBytes: 4096 } },
    { code: 'PROVIDER_TOO_LARGE' },
  ],
  [
    'does not read its input',
    'say("an answer to nothing")',
    { message: 'x'.repeat(5_000_000) },
    { code: 'PROVIDER_READ_LESS' },
  ],
  [
    'does not end in its time',
    'input(); setTimeout(() => {}, 60000)',
    { provider: { totalTimeoutMs: 400 } },
    { code: 'PROVIDER_TIMEOUT', facts: { limit: 'total', limit_ms: 400 } },
  ],
];

describe('a program that', () => {
  it.each(FAILURES)(
    '%s is a failure with its own code and is not started again',
    async (_what, body, words, expected) => {
      const { answer, attempts } = await send(body, words);
      expect(answer).toMatchObject({ ok: false, neverConnected: false, attempts: 1, ...expected });
      expect(attempts).toEqual([1]);
    },
  );

  it('prints nothing gives an empty answer with a note where its owner accepts that', async () => {
    const { answer } = await send('input()', { spawn: { emptyOutput: 'accept' } });
    expect(answer).toMatchObject({ ok: true, text: '' });
    expect(answer.ok && answer.notes.join()).toContain('`empty_output` accepts');
  });

  it('is not there was never connected to, and may fall back', async () => {
    const { answer } = await send('', { spawn: { program: join(folder, 'not-there') } });
    expect(answer).toMatchObject({ ok: false, code: 'PROVIDER_UNREACHABLE', neverConnected: true });
  });

  it('names an interpreter that is not there was never connected to', async () => {
    const program = join(folder, 'no-interpreter');
    writeFileSync(program, `#!${folder}/missing\n`, { mode: 0o755 });
    const { answer } = await send('', { spawn: { program } });
    expect(answer).toMatchObject({ ok: false, code: 'PROVIDER_UNREACHABLE', neverConnected: true });
  });

  it('repeats a secret variable in its answer and its complaint shows it nowhere', async () => {
    const value = madeCredential();
    const environment = { ACME_API_KEY: value };
    const good = await send('input(); say("key " + Buffer.from(process.env.ACME_API_KEY).toString("base64"))', {
      spawn: { environment },
    });
    const bad = await send('input(); console.error("bad key " + process.env.ACME_API_KEY); process.exit(1)', {
      spawn: { environment },
    });
    expect(good.answer).toMatchObject({ ok: true, text: 'key [credential]' });
    expect(bad.answer.ok ? '' : bad.answer.message).toContain('bad key [credential]');
  });

  it('echoes its input as its complaint is not quoted', async () => {
    const { answer } = await send('console.error("x\\n" + input().trim()); process.exit(1)', {
      message: 'a line that only the bundle holds',
    });
    expect(JSON.stringify(answer)).not.toContain('a line that only the bundle holds');
  });
});

describe('what others could have written', () => {
  const refused = async (prepare: (program: string) => string | null) => {
    const { program, note } = programOf('note("started")');
    const workTree = prepare(program);
    const sent = send('', { spawn: { program }, options: { workTree } });
    await expect(sent).rejects.toMatchObject({ code: 'CONFIG_UNSAFE' });
    expect(existsSync(note)).toBe(false);
  };

  it('is not started: a program that others may write', () =>
    refused((program) => {
      chmodSync(program, 0o777);
      return null;
    }));

  it('is not started: a program in the checkout that the bundle is about', () => refused(() => folder));
});

describe('the end of a program', () => {
  const alive = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };
  /** As long as it takes; what never comes about fails by the test's own limit. */
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await realSleep(20, new AbortController().signal);
  };
  const gone = async (pid: number): Promise<boolean> => {
    expect(pid).toBeGreaterThan(1);
    await until(() => !alive(pid));
    return true;
  };
  const FAMILY = `const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], { stdio: 'inherit' });
    note(String(child.pid));`;

  it('takes everything it started with it, a child that ignores SIGTERM and holds its pipes included', async () => {
    const caller = new AbortController();
    const started = send(`${FAMILY} setInterval(() => {}, 1000);`, { request: { signal: caller.signal } });
    const note = join(folder, `note-${programs}`);
    await until(() => existsSync(note) && readFileSync(note, 'utf8') !== '');
    caller.abort(new Error('called off'));
    await expect(started).rejects.toThrow('called off');
    expect(await gone(Number(readFileSync(note, 'utf8')))).toBe(true);
  });

  it('is its own, not that of a child it left behind', async () => {
    const { answer, noted } = await send(`input(); ${FAMILY} say('done with it all'); process.exit(0);`);
    expect(answer).toMatchObject({ ok: true, text: 'done with it all' });
    expect(await gone(Number(noted()))).toBe(true);
  });

  it('leaves no folder of ours behind', async () => {
    const { answer } = await send('fs.writeFileSync("left", "over"); input(); say(process.cwd())');
    expect(answer.ok && existsSync(answer.text)).toBe(false);
  });
});

describe('what a program wrote', () => {
  it.each([
    ['', 'empty'],
    ['\n \n', 'empty'],
    ['...', 'noise'],
    ['⠙', 'noise'],
    ['null', 'noise'],
    ['[object Object]', 'noise'],
    ['Loading...', 'noise'],
    ['<your answer here>', 'noise'],
    ['{{output}}', 'noise'],
    ['No findings.', 'text'],
    ['[]', 'text'],
    ['```json\n{}\n```', 'text'],
    ['None.', 'text'],
    ['The TODO on line 3 is stale.', 'text'],
    ['42', 'text'],
    ['あ', 'text'],
  ])('%j is %s', (text, kind) => {
    expect(judgeWritten(text).kind).toBe(kind);
  });
});
