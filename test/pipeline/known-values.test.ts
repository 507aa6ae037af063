/** How many values of one bundle are looked for elsewhere, and what becomes of a bundle that holds more. */
import { describe, expect, it } from 'vitest';
import { MOST_KNOWN_VALUES } from '../../src/contract/item-bounds.js';
import { createKnownValues } from '../../src/pipeline/known-values.js';

const VOICE = { kind: 'token:a', family: 'secret', severity: 'block', ruleId: 'a', line: 1 } as const;

const tellMany = (count: number) => {
  const known = createKnownValues([]);
  const spans = Array.from({ length: count }, (_, at) => {
    const valueId = known.idOf({ bytes: Buffer.from(`made value ${at}`), echo: true });
    return { ...VOICE, start: at, end: at + 1, valueId };
  });
  known.tell(spans);
  return known;
};

describe('known values', () => {
  it('are all looked for up to the bound', () => {
    expect(tellMany(MOST_KNOWN_VALUES).takeNew()).toHaveLength(MOST_KNOWN_VALUES);
  });

  it('beyond the bound refuse, naming it', () => {
    expect(() => tellMany(MOST_KNOWN_VALUES + 1).takeNew()).toThrow(
      expect.objectContaining({ code: 'SCAN_FAILED', message: expect.stringContaining('(known-values)') }),
    );
  });
});
