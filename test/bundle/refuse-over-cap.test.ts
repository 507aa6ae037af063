import { describe, expect, it } from 'vitest';
import { type OverCap, refuseOverCap, type WeighedItem } from '../../src/bundle/refuse-over-cap.js';

const SHA = 'a'.repeat(40);
const itemOf = (index: number, path: string | Uint8Array | null, bytes: number): WeighedItem => ({
  id: `itm-000${index}`,
  input: path === null ? 'diff' : 'changed_files',
  name: path === null ? 'a..b' : Buffer.from(path).toString(),
  path: path === null ? null : Buffer.from(path),
  rawBytes: bytes,
});
const over = (more: Partial<OverCap>): OverCap => ({
  cap: { bytes: 4194304, origin: 'default', key: `oracle.bundles.projects.${SHA}.cap` },
  rawBytes: 6000000,
  rawIsWhole: true,
  bytes: 5242881,
  isStopped: false,
  items: [],
  ...more,
});

describe('refuseOverCap', () => {
  it('names sizes, cap, origin, the full key and the command that raises it', () => {
    const { code, message, facts } = refuseOverCap(over({}));
    expect(code).toBe('OVER_CAP');
    expect(message).toContain('5242881 bytes as sent, 6000000 bytes raw; the cap is 4194304 bytes (the default,');
    expect(message).toContain(`key oracle.bundles.projects.${SHA}.cap`);
    expect(message).toContain('coldseal cap 8MiB --project');
    expect(facts).toEqual({
      raw_bytes: 6000000,
      bytes: 5242881,
      at_least: false,
      cap: 4194304,
      cap_origin: 'default',
      cap_key: `oracle.bundles.projects.${SHA}.cap`,
      command: 'coldseal cap 8MiB --project',
    });
  });

  it('says “at least” when scanning was stopped, and names a cap that holds what was planned', () => {
    const { message } = refuseOverCap(over({ isStopped: true, bytes: 4194305, rawBytes: 40_000_000 }));
    expect(message).toContain('at least 4194305 bytes as sent, 40000000 bytes raw');
    expect(message).toContain('coldseal cap 64MiB --project');
  });

  it('leaves --project out where no project has a name, and offers no cap over the largest one', () => {
    const cap = { bytes: 4194304, origin: 'machine', key: 'oracle.bundles.cap' } as const;
    expect(refuseOverCap(over({ cap })).message).toMatch(/coldseal cap 8MiB(?! --project)/);
    const { message } = refuseOverCap(over({ bytes: 300 * 1024 * 1024 }));
    expect(message).not.toContain('coldseal cap ');
    expect(message).toContain('No cap can be over 268435456 bytes');
  });

  it('lists the five largest items, each file with the command that leaves it out', () => {
    const items = [1, 2, 3, 4, 5, 6].map((index) => itemOf(index, `src/f${index}.ts`, index * 10));
    const lines = refuseOverCap(over({ items: [...items, itemOf(7, null, 1000)] }))
      .message.split('\n')
      .slice(1);
    expect(lines).toEqual([
      '  itm-0007 diff a..b (1000 bytes raw)',
      '  itm-0006 changed_files src/f6.ts (60 bytes raw): coldseal withhold add src/f6.ts',
      '  itm-0005 changed_files src/f5.ts (50 bytes raw): coldseal withhold add src/f5.ts',
      '  itm-0004 changed_files src/f4.ts (40 bytes raw): coldseal withhold add src/f4.ts',
      '  itm-0003 changed_files src/f3.ts (30 bytes raw): coldseal withhold add src/f3.ts',
    ]);
  });

  it.each([
    ['a b/$(x).ts', "coldseal withhold add 'a b/$(x).ts'"],
    ["it's", "coldseal withhold add 'it'\\''s'"],
    ['a\nb', "coldseal withhold add 'a*b'"],
    [Buffer.from([0x61, 0xff, 0x62]), "coldseal withhold add 'a*b'"],
  ])('writes a glob that a shell takes as it is for %j', (path, command) => {
    expect(refuseOverCap(over({ items: [itemOf(1, path, 1)] })).message.endsWith(`: ${command}`)).toBe(true);
  });
});
