import { describe, expect, it } from 'vitest';
import { ASSEMBLER_VERSION, itemKind, recordIdOf, scanMark } from '../../src/kinds/reading-item-kind.js';

describe('what a path says of a reading’s item', () => {
  it.each([
    ['.abcd/development/brief/01-what.md', 'brief-section', 'parsed', null],
    ['.abcd/development/brief/parts/test-plan.md', 'brief-section', 'parsed', null],
    ['.abcd/development/intents/shipped/itd-7-send.md', 'intent-projection', 'parsed', 'itd-7'],
    ['.abcd/development/specs/closed/spc-12-first.md', 'spec', 'parsed', 'spc-12'],
    ['.abcd/work/issues/resolved/iss-4-crash.md', 'doc', 'parsed', 'iss-4'],
    ['itd-7-not-a-record.md', 'doc', 'parsed', null],
    ['src/send_test.go', 'test', 'unscanned', null],
    ['src/send.go', 'source', 'unscanned', null],
    ['src/send.test.ts', 'test', 'parsed', null],
    ['test/fixture.json', 'config', 'unscanned', null],
    ['latest.json', 'test', 'unscanned', null],
    ['config/app.yaml', 'config', 'unscanned', null],
    ['Cargo.toml', 'config', 'unscanned', null],
    ['go.mod', 'config', 'unscanned', null],
    ['README.md', 'doc', 'parsed', null],
    ['src/lib.rs', 'source', 'parsed', null],
    ['Makefile', 'source', 'parsed', null],
    ['logo.svg', 'source', 'parsed', null],
  ])('%s is %s, %s', (path, kind, mark, record) => {
    const bytes = Buffer.from(path);
    expect([itemKind(bytes), scanMark(bytes), recordIdOf(bytes)]).toEqual([kind, mark, record]);
  });

  it('has a version with the digest of these rules', () => {
    expect(ASSEMBLER_VERSION).toMatch(/^\d+\.\d+\.\d+\+sha256:[0-9a-f]{64}$/);
  });
});
