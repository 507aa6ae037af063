import { describe, expect, it } from 'vitest';
import { barChart } from '../../src/cli/bench-chart.js';

const widths = (svg: string): readonly number[] =>
  [...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map((found) => Number(found[1]));

describe('barChart', () => {
  it('draws bars in proportion, parts one behind the other', () => {
    const svg = barChart('Time', [
      { label: 'a', parts: [{ value: 30, series: 0 }], text: '30' },
      {
        label: 'b',
        parts: [
          { value: 10, series: 0 },
          { value: 5, series: 1 },
        ],
        text: '15',
      },
    ]);
    const [whole = 0, first = 0, second = 0] = widths(svg);
    expect(first / whole).toBeCloseTo(1 / 3, 2);
    expect(second / whole).toBeCloseTo(1 / 6, 2);
    expect(svg).toContain('aria-label="Time. a: 30; b: 15"');
  });

  it('escapes every text, and draws figures of zero without a width', () => {
    const svg = barChart('"<b>', [{ label: '<i>&', parts: [{ value: 0, series: 0 }], text: "'0'" }]);
    expect(svg).not.toMatch(/<b>|<i>/);
    expect(svg).toContain('&lt;i&gt;&amp;');
    expect(widths(svg)).toEqual([0]);
  });
});
