/** A whole number after an option. */
import { describe, expect, it } from 'vitest';
import { numberOption } from '../../src/cli/number-option.js';

const read = (typed: string | undefined, least?: number) =>
  numberOption({ args: [], options: { rounds: typed } }, 'rounds', '--rounds', {
    ...(least === undefined ? {} : { least }),
    most: 64,
  });

describe('a whole number after an option', () => {
  it('is read from its least to its most, and is null when it was not typed', () => {
    expect([read('1'), read('64'), read('0', 0), read(undefined)]).toEqual([1, 64, 0, null]);
  });

  it.each(['0', '65', '-1', '1.5', '1e1', '0x10', '', ' 1', '9999999999', 'many'])('is refused as %j', (typed) => {
    expect(() => read(typed)).toThrow('--rounds takes a whole number from 1 to 64');
  });
});
