import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addEvent, NO_PROGRESS, type ProgressState } from '../../src/app/run-progress.js';
import { formatGauge, formatProgress, mayShowProgress, ProgressLine } from '../../src/cli/progress.js';
import { createStyle } from '../../src/cli/style.js';
import { textWidth } from '../../src/cli/text-width.js';
import type { RunEvent } from '../../src/contract/observer.js';

const MIB = 1024 * 1024;
const plain = createStyle(false);

const SCANNING: ProgressState = {
  stage: 'scan',
  items: 812,
  itemsDue: 1204,
  bytes: 12 * MIB,
  bytesDue: 31 * MIB,
  blankedBytes: 2 * MIB,
  capBytes: 4 * MIB,
  isCounted: false,
  blanked: 17,
  stageMs: 500,
};

describe('the progress line', () => {
  it.each<[number, string]>([
    [120, 'scanning  812/1,204 items  12.0 MiB of 31.0 MiB  25.2 MB/s  17 blanked  cap [#####-----] 50 %'],
    [90, 'scanning  812/1,204 items  12.0 MiB of 31.0 MiB  17 blanked  cap [#####-----] 50 %'],
    [75, 'scanning  812/1,204 items  12.0 MiB of 31.0 MiB  cap [#####-----] 50 %'],
    [60, 'scanning  812/1,204 items  cap [#####-----] 50 %'],
    [30, 'scanning  812/1,204 items'],
    [12, 'scanning'],
    [5, ''],
  ])('leaves out the least important parts at %i columns', (columns, line) => {
    expect(formatProgress(SCANNING, columns, plain)).toBe(line);
  });

  it.each<[Partial<ProgressState>, string]>([
    [{ stage: 'answer', stageMs: 12_300 }, 'waiting for the answer  12.3 s'],
    [{ stage: 'send', stageMs: 80 }, 'sending  80 ms'],
    [{ itemsDue: null, bytesDue: null, capBytes: null }, 'scanning  812 items  12.0 MiB  25.2 MB/s  17 blanked'],
    [{ bytes: 40 * MIB, stage: 'seal' }, 'sealing  812/1,204 items  40.0 MiB  17 blanked  cap [#####-----] 50 %'],
  ])('says what is known: %o', (change, line) => {
    expect(formatProgress({ ...SCANNING, ...change }, 120, plain)).toBe(line);
  });

  it('never fills the last column, styled or not', () => {
    const states = fc.record({
      stage: fc.constantFrom('plan', 'scan', 'seal', 'send', 'answer'),
      items: fc.nat(),
      itemsDue: fc.option(fc.nat()),
      bytes: fc.nat(),
      bytesDue: fc.option(fc.nat()),
      blankedBytes: fc.nat(),
      capBytes: fc.option(fc.integer({ min: 1, max: 256 * MIB })),
      blanked: fc.nat(),
      isCounted: fc.boolean(),
      stageMs: fc.nat(),
    });
    fc.assert(
      fc.property(states, fc.integer({ min: 1, max: 140 }), fc.boolean(), (state, columns, colour) => {
        expect(textWidth(formatProgress(state, columns, createStyle(colour)))).toBeLessThan(columns);
      }),
    );
  });

  it.each<[number, string]>([
    [0, 'cap [----------] 0 %'],
    [1, 'cap [----------] <1 %'],
    [9999, 'cap [#########-] 99 %'],
    [10_000, 'cap [##########] 100 %'],
    [25_000, 'cap [##########] 250 %'],
  ])('shows %i of 10,000 bytes as the share it is', (bytes, gauge) => {
    expect(formatGauge(bytes, 10_000, plain)).toBe(gauge);
  });

  it('paints a gauge by how full it is', () => {
    const style = { ...plain, good: () => 'good', warn: () => 'warn', bad: () => 'bad' };
    expect([10, 95, 100, 101].map((bytes) => formatGauge(bytes, 100, style))).toEqual([
      'cap good',
      'cap warn',
      'cap warn',
      'cap bad',
    ]);
  });
});

describe('the state behind it', () => {
  it('adds up batches and takes the sealed bundle’s figures in the end', () => {
    const batch: RunEvent = { kind: 'scanned', items: 2, bytes: 100, blankedBytes: 90, findings: 1 };
    const events: RunEvent[] = [
      { kind: 'stage', stage: 'scan' },
      { kind: 'planned', items: 4, rawBytes: 200, capBytes: 1000 },
      batch,
      batch,
      { kind: 'stage', stage: 'seal' },
      { kind: 'sealed', bundleKind: 'change_review', items: 4, bytes: 260, scanMs: 3 },
    ];
    expect(events.reduce(addEvent, NO_PROGRESS)).toEqual({
      stage: 'seal',
      items: 4,
      itemsDue: 4,
      bytes: 200,
      bytesDue: 200,
      blankedBytes: 260,
      capBytes: 1000,
      blanked: 2,
      isCounted: false,
      stageMs: 0,
    });
    // Two rules may find one value: what was blanked is counted anew at the seal.
    const counted = [1, 2].map((count) => ({ kind: 'blanked', family: 'secret', count }) as const);
    expect([...events, ...counted].reduce(addEvent, NO_PROGRESS)).toMatchObject({ blanked: 3, isCounted: true });
  });
});

describe('whether it is drawn', () => {
  it.each<[boolean, boolean, string | undefined, boolean]>([
    [true, true, 'xterm', true],
    [true, true, undefined, true],
    [false, true, 'xterm', false],
    [true, false, 'xterm', false],
    [true, true, 'dumb', false],
  ])('asked %s, terminal %s, TERM %s: %s', (asked, isTty, TERM, shown) => {
    expect(mayShowProgress(asked, isTty, TERM === undefined ? {} : { TERM })).toBe(shown);
  });
});

describe('the drawer', () => {
  /** A clock and a timer that the test moves. */
  function drawn() {
    const output: string[] = [];
    let now = 5000;
    let tick: (() => void) | null = null;
    const line = new ProgressLine({
      columns: () => 80,
      write: (text) => output.push(text),
      style: plain,
      nowMs: () => now,
      every: (_ms, next) => {
        tick = next;
        return () => {
          tick = null;
        };
      },
    });
    const wait = (ms: number): void => {
      now += ms;
      tick?.();
    };
    return { line, output, wait, isTicking: () => tick !== null };
  }

  it('writes nothing for work of under a second', () => {
    const { line, output, wait } = drawn();
    wait(999);
    line.close();
    expect(output).toEqual([]);
  });

  it('writes over the same line and erases it at the end', () => {
    const { line, output, wait, isTicking } = drawn();
    line.observe({ kind: 'stage', stage: 'answer' });
    wait(1000);
    wait(500);
    line.close();
    line.close();
    expect(output).toEqual([
      '\r\x1b[2Kwaiting for the answer  1.0 s',
      '\r\x1b[2Kwaiting for the answer  1.5 s',
      '\r\x1b[2K',
    ]);
    expect(isTicking()).toBe(false);
  });

  it('makes way for another line and comes back', () => {
    const { line, output, wait } = drawn();
    wait(1000);
    line.clear();
    line.clear();
    wait(100);
    expect(output.map((text) => text.slice(0, 13))).toEqual(['\r\x1b[2Kplanning', '\r\x1b[2K', '\r\x1b[2Kplanning']);
  });

  it('counts a stage’s time from its beginning', () => {
    const { line, output, wait } = drawn();
    wait(4000);
    line.observe({ kind: 'stage', stage: 'send' });
    wait(300);
    expect(output.at(-1)).toBe('\r\x1b[2Ksending  300 ms');
  });
});
