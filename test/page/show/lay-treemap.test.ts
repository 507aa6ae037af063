import { describe, expect, it } from 'vitest';
import { layTreemap, nextTile } from '../../../src/page/show/lay-treemap.js';

const itemsOf = (...sizes: readonly number[]) =>
  sizes.map((bytes, at) => ({
    id: `itm-${String(at + 1).padStart(4, '0')}`,
    input: at === 0 ? 'diff' : 'changed_files',
    raw_bytes: bytes,
    bytes,
  }));

describe('a treemap', () => {
  it('gives each item a tile within the size, none over another, the largest the most', () => {
    const tiles = layTreemap(itemsOf(400, 900, 30, 0, 120), 600, 300);
    expect(tiles).toHaveLength(5);
    for (const { x, y, width, height } of tiles) {
      expect(Math.min(x, y, width, height)).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(600);
      expect(y + height).toBeLessThanOrEqual(300);
    }
    for (const a of tiles)
      for (const b of tiles)
        if (a !== b) {
          const isApart =
            a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
          expect([a.id, b.id, isApart]).toEqual([a.id, b.id, true]);
        }
    const areas = new Map(tiles.map(({ id, width, height }) => [id, width * height]));
    expect(Math.max(...areas.values())).toBe(areas.get('itm-0002'));
  });

  it('gathers what is beyond the largest in one tile, and still sums up to the bundle', () => {
    const items = itemsOf(...Array.from({ length: 5000 }, (_, at) => at + 1));
    const tiles = layTreemap(items, 600, 300);
    const rest = tiles.find(({ id }) => id === 'rest');
    expect(rest?.count).toBe(5000 - 160);
    expect(tiles.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(items.reduce((sum, { bytes }) => sum + bytes, 0));
  });

  it('is empty without items or room', () => {
    expect(layTreemap([], 600, 300)).toEqual([]);
    expect(layTreemap(itemsOf(4), 0, 300)).toEqual([]);
  });

  it('can be walked to every tile from any other with arrow keys', () => {
    const tiles = layTreemap(itemsOf(...Array.from({ length: 60 }, (_, at) => 10 + at * at)), 640, 300);
    const reached = new Set(tiles.slice(0, 1));
    for (const from of reached)
      for (const direction of ['left', 'right', 'up', 'down'] as const) {
        const to = nextTile(tiles, from, direction);
        if (to !== null) reached.add(to);
      }
    expect(reached.size).toBe(tiles.length);
  });
});
