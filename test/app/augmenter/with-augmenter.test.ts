/** The external scanner: a real program with gitleaks' interface, sound and hostile. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { joinTexts, placeRows } from '../../../src/app/augmenter/place-rows.js';
import { readAugmenterReport } from '../../../src/app/augmenter/read-report.js';
import { augmenterArguments, runAugmenter } from '../../../src/app/augmenter/run-augmenter.js';
import { withAugmenter } from '../../../src/app/augmenter/with-augmenter.js';
import type { ScanBatch, Scanner } from '../../../src/contract/scan.js';
import { FINDS, makeAugmenter } from '../../support/made-augmenter.js';
import { makeTestFolder } from '../../support/make-repository.js';
import { randomText } from '../../support/scan-fixtures.js';

const WORD = randomText(21, 30);
/** A program that starts on a machine under load takes seconds. */
const LIMITS = { timeoutMs: 60_000, mostOutputBytes: 100_000 };
const SHORT_MS = 1500;

let folder: string;
beforeEach(() => {
  folder = makeTestFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (body: string, text = `x\n${WORD}\n`, signal = new AbortController().signal, limits = LIMITS) =>
  runAugmenter(makeAugmenter(folder, body), Buffer.from(text), signal, limits);

/** False also for one that has ended and that nobody has asked after. */
const isRunning = (pid: string): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

describe('a run of the external scanner', () => {
  it('gets its verb and options, our configuration, an empty folder and a made environment', async () => {
    process.env['AUGMENTER_TEST'] = 'of the caller';
    const body =
      "const at = process.argv.indexOf('--config') + 1; say(JSON.stringify({ args: process.argv.slice(2), config: readFileSync(process.argv[at], 'utf8'), files: readdirSync('.'), env: Object.keys(process.env).sort() }));";
    const seen = JSON.parse((await run(body)).toString()) as Record<string, unknown>;
    delete process.env['AUGMENTER_TEST'];
    const config = (seen['args'] as readonly string[]).at(-1) ?? '';
    expect(seen['args']).toEqual(augmenterArguments(config));
    expect(seen['args']).toEqual(expect.arrayContaining(['stdin', '--redact=0', '--ignore-gitleaks-allow']));
    expect(seen).toMatchObject({
      config: 'title = "coldseal"\n[extend]\nuseDefault = true\n',
      files: [],
      env: ['HOME', 'LC_ALL', 'PATH', 'TMPDIR'],
    });
    expect(existsSync(config)).toBe(false);
  });

  it.each<[what: string, body: string, why: RegExp]>([
    [
      'that writes without end',
      "const more = () => process.stdout.write('x'.repeat(65536), more); more();",
      /wrote more than/,
    ],
    ['that fails', 'process.exit(3);', /ended with 3/],
    ['that finds and says so by its exit code', `${FINDS(WORD)} process.exitCode = 1;`, /ended with 1/],
    ['that dies of a signal', "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);", /ended by SIGTERM/],
  ])('is SCANNER_DEGRADED for one %s, and names no text', async (_what, body, why) => {
    const failure = await run(body).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'SCANNER_DEGRADED' });
    expect(String((failure as Error).message)).toMatch(why);
    expect(String((failure as Error).message)).not.toContain(WORD);
  });

  it('is SCANNER_DEGRADED for one that is slow', async () => {
    const slow = run('setInterval(() => {}, 1000);', 'x', undefined, { ...LIMITS, timeoutMs: SHORT_MS });
    await expect(slow).rejects.toMatchObject({
      code: 'SCANNER_DEGRADED',
      message: expect.stringMatching(/took longer than 1\.5 s/),
    });
  });

  it('ends what it started too, and leaves no folder', async () => {
    const mark = join(folder, 'mark');
    const child = 'setInterval(() => {}, 1000)';
    const body = `const { pid } = require('node:child_process').spawn(process.execPath, ['-e', '${child}'], { stdio: 'ignore' });
require('node:fs').writeFileSync(${JSON.stringify(mark)}, String(pid)); say([]); process.exit(0);`;
    expect(readAugmenterReport(await run(body))).toEqual([]);
    const pid = readFileSync(mark, 'utf8');
    expect(Number(pid)).toBeGreaterThan(1);
    await expect.poll(() => isRunning(pid), { timeout: 50_000 }).toBe(false);
  });

  it('stops with the signal’s reason', async () => {
    const ending = new AbortController();
    const running = run('setInterval(() => {}, 1000);', 'x', ending.signal);
    ending.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });
});

describe('a report', () => {
  const read = (report: unknown): unknown =>
    readAugmenterReport(Buffer.from(typeof report === 'string' ? report : JSON.stringify(report)));
  const row = { RuleID: 'r', Secret: 's', Match: 'm', StartLine: 1, EndLine: 1 };

  it.each<[what: string, report: unknown]>([
    ['no JSON', '<html>'],
    ['nothing', ''],
    ['an object', {}],
    ['null, which is no list', 'null'],
    ['a row without a secret', [{ ...row, Secret: undefined }]],
    ['a line that is a text', [{ ...row, StartLine: '1' }]],
    ['an end before its start', [{ ...row, StartLine: 2 }]],
    ['a finding without a text', [{ ...row, Secret: '', Match: '' }]],
    ['more rows than secrets can be', Array.from({ length: 10_001 }, () => row)],
  ])('is refused as %s', (_what, report) => {
    expect(() => read(report)).toThrow(expect.objectContaining({ code: 'SCANNER_DEGRADED' }));
  });

  it('keeps a plain rule name and none that holds the value', () => {
    expect(read([{ ...row, RuleID: 'github-pat' }])).toMatchObject([{ ruleId: 'augmenter.github-pat' }]);
    expect(read([{ ...row, RuleID: `x-${WORD.toLowerCase()}`, Secret: WORD }])).toMatchObject([
      { ruleId: 'augmenter.other' },
    ]);
    expect(read([{ ...row, RuleID: 'Of The Owner' }])).toMatchObject([{ ruleId: 'augmenter.other' }]);
  });
});

describe('a reported value', () => {
  const texts = ['first\nkey: value-1234\n', 'and value-1234 again', 'last\nab\ncd\nef\n'].map((text, ref) => ({
    ref,
    bytes: Buffer.from(text),
  }));
  const { text, placed } = joinTexts(texts);
  const placesOf = (secret: string, startLine: number, endLine = startLine) =>
    placeRows([{ ruleId: 'r', secret, match: secret, startLine, endLine }], placed).map(({ ref, start, end }) => [
      ref,
      placed[ref]?.bytes.subarray(start, end).toString(),
    ]);

  it('is taken wherever it stands', () => {
    expect(text.toString().split('\n')).toHaveLength(8);
    expect(placesOf('value-1234', 2)).toEqual([
      [0, 'value-1234'],
      [1, 'value-1234'],
    ]);
  });

  it('is taken in its own lines alone when it is short', () => {
    expect(placesOf('d', 6)).toEqual([[2, 'd']]);
  });

  it('takes its lines with a neighbour on each side when it was decoded, and refuses a line that is not there', () => {
    expect(placesOf('decoded-value', 6)).toEqual([[2, 'ab\ncd\nef']]);
    expect(() => placesOf('decoded-value', 99)).toThrow(expect.objectContaining({ code: 'SCANNER_DEGRADED' }));
  });
});

describe('a scanner with an augmenter', () => {
  const plain: Scanner = {
    scan: ({ inputs }) =>
      Promise.resolve({
        outcomes: inputs.map(({ ref, length }) => ({ ref, ok: true, findings: [], values: [], scannedBytes: length })),
        busyMs: 0,
      }),
    echo: () => Promise.resolve({ outcomes: [], busyMs: 0 }),
    rulesDigest: 'sha256:x',
    threads: 1,
    close: () => Promise.resolve(),
  };
  const batchOf = (...texts: readonly string[]): ScanBatch => {
    const buffer = new SharedArrayBuffer(1024);
    let offset = 0;
    const inputs = texts.map((text, ref) => {
      const length = Buffer.from(buffer, offset).write(text);
      const input = { ref, offset, length };
      offset += length + 1;
      return input;
    });
    return {
      task: 'scan',
      buffer,
      inputs,
      profile: {
        digest: '',
        families: [],
        identity: { homePaths: [], userNames: [], personNames: [], emails: [] },
        ownerRules: [],
      },
    };
  };

  it('adds findings with line, value and kind, and tells its builds apart', async () => {
    const program = makeAugmenter(folder, FINDS(WORD));
    const signal = new AbortController().signal;
    const wide = withAugmenter(plain, { run: (text) => runAugmenter(program, text, signal), identity: 'one' });
    const { outcomes } = await wide.scan(batchOf('nothing', `a\nb = "${WORD}"\n`));
    expect(outcomes).toMatchObject([
      { ref: 0, findings: [] },
      {
        ref: 1,
        findings: [
          {
            ruleId: 'augmenter.made-up',
            kind: 'token:augmenter',
            family: 'secret',
            severity: 'block',
            line: 2,
            start: 7,
            end: 37,
          },
        ],
        values: [{ bytes: Uint8Array.from(Buffer.from(WORD)), echo: true }],
      },
    ]);
    const other = withAugmenter(plain, { run: () => Promise.resolve(Buffer.from('[]')), identity: 'two' });
    expect(new Set([plain.rulesDigest, wide.rulesDigest, other.rulesDigest]).size).toBe(3);
  });

  it('hands the signal of whoever waits to the threads', async () => {
    const heard: (AbortSignal | undefined)[] = [];
    const hears: Scanner = {
      ...plain,
      scan: (batch, signal) => {
        heard.push(signal);
        return plain.scan(batch, signal);
      },
    };
    const { signal } = new AbortController();
    const wide = withAugmenter(hears, { run: () => Promise.resolve(Buffer.from('[]')), identity: 'one' });
    await wide.scan(batchOf('a'), signal);
    expect(heard).toEqual([signal]);
  });

  it('never runs more programs than there are threads, also when one comes as another ends', async () => {
    let running = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const run = async (): Promise<Buffer> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((end) => ends.push(end));
      running -= 1;
      return Buffer.from('[]');
    };
    const wide = withAugmenter(plain, { run, identity: 'one' });
    const scans = [wide.scan(batchOf('a')), wide.scan(batchOf('b'))];
    // Each new one comes in another turn of the microtasks that end the one before.
    for (let turns = 0; turns < 12; turns += 1) {
      ends.shift()?.();
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      scans.push(wide.scan(batchOf('c')));
      await sleep(0);
    }
    while (running > 0) {
      ends.shift()?.();
      await sleep(0);
    }
    await Promise.all(scans);
    expect(most).toBe(1);
  });
});
