/**
 * Items as a treemap, largest first, grouped by input. A bundle may hold 100,000 items: the largest get a tile each and
 * the rest share one that says how many they are, so that a page stays quick and its sum is still the bundle.
 */
import { hierarchy, treemap, treemapSquarify } from 'd3-hierarchy';
import type { BundleItem } from '../api/shapes.js';

const MOST_TILES = 160;

export interface Tile {
  /** The item's id, or `rest`. */
  readonly id: string;
  readonly item: BundleItem | null;
  /** Of the rest: how many items stand in this tile. */
  readonly count: number;
  readonly bytes: number;
  /** Pixels within the given size. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Node {
  readonly children?: readonly Node[];
  readonly tile?: Pick<Tile, 'id' | 'item' | 'count' | 'bytes'>;
}

/** Tiles from the largest to the smallest within each input, inputs in the bundle's order. Size in pixels. */
export const layTreemap = (items: readonly BundleItem[], width: number, height: number): readonly Tile[] => {
  if (items.length === 0 || width <= 0 || height <= 0) return [];
  const root = hierarchy<Node>(groupItems(items), ({ children }) => (children === undefined ? null : [...children]))
    // An item without bytes is still there: it gets the smallest tile, not none.
    .sum(({ tile }) => (tile === undefined ? 0 : Math.max(1, tile.bytes)))
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  const laid = treemap<Node>().tile(treemapSquarify).size([width, height]).paddingInner(2).round(true)(root);
  return laid
    .leaves()
    .flatMap(({ data: { tile }, x0, x1, y0, y1 }) =>
      tile === undefined ? [] : [{ ...tile, x: x0, y: y0, width: Math.max(0, x1 - x0), height: Math.max(0, y1 - y0) }],
    );
};

const groupItems = (items: readonly BundleItem[]): Node => {
  const sorted = [...items].sort((a, b) => b.bytes - a.bytes);
  const rest = sorted.slice(MOST_TILES);
  const inputs = new Map<string, Node[]>();
  for (const item of sorted.slice(0, MOST_TILES)) {
    const group = inputs.get(item.input) ?? [];
    group.push({ tile: { id: item.id, item, count: 1, bytes: item.bytes } });
    inputs.set(item.input, group);
  }
  const groups: Node[] = [...inputs.values()].map((children) => ({ children }));
  if (rest.length > 0) {
    const bytes = rest.reduce((sum, item) => sum + item.bytes, 0);
    groups.push({ tile: { id: 'rest', item: null, count: rest.length, bytes } });
  }
  return { children: groups };
};

export type Direction = 'left' | 'right' | 'up' | 'down';

/** The tile that lies next in a direction: nearest by its edge, then by its middle. `null` at the border. */
export const nextTile = (tiles: readonly Tile[], from: Tile, direction: Direction): Tile | null => {
  const score = (to: Tile): number | null => {
    const isAcross = direction === 'left' || direction === 'right';
    const gap =
      direction === 'left'
        ? from.x - (to.x + to.width)
        : direction === 'right'
          ? to.x - (from.x + from.width)
          : direction === 'up'
            ? from.y - (to.y + to.height)
            : to.y - (from.y + from.height);
    if (gap < 0) return null;
    const aside = isAcross
      ? distance(from.y, from.height, to.y, to.height)
      : distance(from.x, from.width, to.x, to.width);
    return gap + 3 * aside;
  };
  let best: Tile | null = null;
  let bestScore = Number.POSITIVE_INFINITY;
  for (const to of tiles) {
    const found = to.id === from.id ? null : score(to);
    if (found === null || found >= bestScore) continue;
    best = to;
    bestScore = found;
  }
  return best;
};

/** 0 where two stretches overlap, else the way between them. */
const distance = (a: number, aLength: number, b: number, bLength: number): number =>
  Math.max(0, b - (a + aLength), a - (b + bLength));
