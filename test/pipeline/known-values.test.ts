/** How many values of one bundle are looked for elsewhere, and what becomes of a bundle that holds more. */
import { describe, expect, it } from 'vitest';
import type { BundleText } from '../../src/bundle/bundle-text.js';
import { MOST_KNOWN_VALUES } from '../../src/contract/item-bounds.js';
import { fullestItem } from '../../src/pipeline/fullest-item.js';
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
      expect.objectContaining({
        code: 'SCAN_FAILED',
        facts: { item: null, bound: 'known-values', limit: MOST_KNOWN_VALUES },
        message:
          '100001 different secrets were found, more than the 100000 whose other places can be looked for at once (known-values). Split the text into parts with fewer each.',
      }),
    );
  });

  it('beyond the bound in a bundle refuse with the item that holds most of them', () => {
    const fullest = { item: 'itm-0002', shown: 'itm-0002 full.txt', secrets: 99_000 };
    expect(() => tellMany(MOST_KNOWN_VALUES + 1).takeNew(() => fullest)).toThrow(
      expect.objectContaining({
        facts: { item: 'itm-0002', bound: 'known-values', limit: MOST_KNOWN_VALUES },
        message: expect.stringContaining('; 99000 of them stand in itm-0002 full.txt. Withhold it with'),
      }),
    );
  });
});

describe('the item with most different secrets', () => {
  const textOf = (item: string, part: BundleText['part'], bytes: string, valueIds: readonly number[]): BundleText => ({
    item,
    part,
    bytes: Buffer.from(bytes),
    keepsSigns: false,
    exempt: [],
    spans: valueIds.map((valueId, at) => ({ ...VOICE, start: at, end: at + 1, valueId })),
  });
  const few = [textOf('itm-0001', 'name', 'few.txt', []), textOf('itm-0001', 'text', 'aaaa', [1, 1, 1, 2])];
  const many = textOf('itm-0002', 'text', 'aaa', [1, 2, 3]);

  it.each([
    ['is told by its different values, with its name', 'full.txt', [], 'itm-0002 full.txt'],
    ['is told without a name that holds a finding', 'full.txt', [7], 'itm-0002'],
  ])('%s', (_what, name, inName, shown) => {
    const texts = [...few, textOf('itm-0002', 'name', name, inName), many];
    expect(fullestItem(texts)).toEqual({ item: 'itm-0002', shown, secrets: 3 + inName.length });
  });

  it('is none where nothing was found', () => {
    expect(fullestItem([textOf('itm-0001', 'text', 'aaaa', [])])).toBeNull();
  });
});
