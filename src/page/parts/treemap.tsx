/**
 * Items by size. One tile of the map is in the tab order; arrow keys walk to the tile that lies next, Home and End to the
 * largest and the smallest. The table beside it says the same in words.
 */
import { useMemo, useRef, useState } from 'preact/hooks';
import { printable } from '../../contract/printable.js';
import { showBytes, showCount } from '../../contract/show-amount.js';
import type { BundleItem } from '../api/shapes.js';
import { type Direction, layTreemap, nextTile, type Tile } from '../show/lay-treemap.js';
import { baseName } from '../show/show-time.js';
import { useWidth } from './use-width.js';

interface TreemapWords {
  readonly items: readonly BundleItem[];
  /** Blanked spans by item id. */
  readonly blanked: ReadonlyMap<string, number>;
  readonly selected: string | null;
  readonly select: (id: string | null) => void;
}

const HEIGHT_PIXELS = 300;
const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

export const Treemap = ({ items, blanked, selected, select }: TreemapWords) => {
  const { ref, width } = useWidth<HTMLFieldSetElement>();
  const tiles = useMemo(() => layTreemap(items, width, HEIGHT_PIXELS), [items, width]);
  const buttons = useRef(new Map<string, HTMLButtonElement>());
  const [entry, setEntry] = useState<string | null>(null);
  const tabStop = tiles.some(({ id }) => id === entry) ? entry : (tiles[0]?.id ?? null);
  const walk = (event: KeyboardEvent, from: Tile) => {
    const direction = DIRECTIONS[event.key];
    const to =
      direction !== undefined
        ? nextTile(tiles, from, direction)
        : event.key === 'Home'
          ? tiles[0]
          : event.key === 'End'
            ? tiles.at(-1)
            : undefined;
    if (to === undefined) return;
    event.preventDefault();
    if (to === null) return;
    setEntry(to.id);
    buttons.current.get(to.id)?.focus();
  };
  return (
    <fieldset class="treemap" ref={ref} style={{ height: `${HEIGHT_PIXELS}px` }}>
      <legend class="hidden">Items by size. Arrow keys walk between tiles, Enter selects.</legend>
      {tiles.map((tile) => (
        <button
          type="button"
          key={tile.id}
          ref={(button) => {
            if (button === null) buttons.current.delete(tile.id);
            else buttons.current.set(tile.id, button);
          }}
          class={`tile ${toneOf(tile, blanked)}`}
          style={{ left: `${tile.x}px`, top: `${tile.y}px`, width: `${tile.width}px`, height: `${tile.height}px` }}
          tabIndex={tile.id === tabStop ? 0 : -1}
          aria-pressed={tile.id === selected}
          aria-label={wordsOf(tile, blanked)}
          title={wordsOf(tile, blanked)}
          onFocus={() => setEntry(tile.id)}
          onKeyDown={(event) => walk(event, tile)}
          onClick={() => select(tile.id === selected || tile.item === null ? null : tile.id)}
        >
          {tile.width > 54 && tile.height > 22 && <span class="tile-name">{printable(nameOf(tile))}</span>}{' '}
          {tile.width > 54 && tile.height > 40 && <span class="tile-size">{showBytes(tile.bytes)}</span>}
        </button>
      ))}
    </fieldset>
  );
};

const nameOf = ({ item, count }: Tile): string => {
  if (item === null) return `${showCount(count)} smaller items`;
  return item.path === undefined ? item.input : baseName(item.path);
};

const toneOf = ({ id, item }: Tile, blanked: ReadonlyMap<string, number>): string => {
  if (item?.omitted !== undefined) return 'tile-omitted';
  return (blanked.get(id) ?? 0) > 0 ? 'tile-blanked' : '';
};

const wordsOf = (tile: Tile, blanked: ReadonlyMap<string, number>): string => {
  const { item, bytes } = tile;
  // What stands on the tile comes first, so that somebody who says what they see is understood.
  const shown = `${printable(nameOf(tile))} ${showBytes(bytes)}`;
  if (item === null) return `${shown} together`;
  const spans = blanked.get(item.id) ?? 0;
  const name = printable(item.path ?? item.label ?? item.input);
  return [
    shown,
    `${item.id}, ${item.input.replaceAll('_', ' ')}`,
    name,
    ...(item.omitted === undefined ? [] : [item.omitted]),
    ...(spans === 0 ? [] : [`${showCount(spans)} blanked`]),
  ].join(', ');
};
