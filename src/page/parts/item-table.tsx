/** The items of a bundle in list order or by size, a part at a time. Selecting one is the same as selecting its tile. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { printable } from '../../contract/printable.js';
import { showCount } from '../../contract/show-amount.js';
import type { BundleItem } from '../api/shapes.js';
import { shortRange } from '../show/show-time.js';
import { ScrollBox } from './scroll-box.js';
import { walkRows } from './walk-rows.js';

interface ItemTableWords {
  readonly items: readonly BundleItem[];
  readonly blanked: ReadonlyMap<string, number>;
  readonly selected: string | null;
  readonly select: (id: string | null) => void;
}

const STEP = 100;

export const ItemTable = ({ items, blanked, selected, select }: ItemTableWords) => {
  const [order, setOrder] = useState<'list' | 'size'>('list');
  const [shown, setShown] = useState(STEP);
  const sorted = useMemo(
    () => (order === 'list' ? items : [...items].sort((a, b) => b.bytes - a.bytes)),
    [items, order],
  );
  const at = sorted.findIndex(({ id }) => id === selected);
  useEffect(() => {
    if (at >= shown) setShown(at + STEP);
  }, [at, shown]);
  return (
    <div class="table-box">
      <ScrollBox class="table-scroll" label="Items of the bundle">
        <table class="table table-items">
          <caption class="hidden">Items of the bundle</caption>
          <thead>
            <tr>
              <th scope="col">Item</th>
              <th scope="col">Name</th>
              <th scope="col" class="number" aria-sort={order === 'size' ? 'descending' : 'none'}>
                <button type="button" class="sort" onClick={() => setOrder(order === 'size' ? 'list' : 'size')}>
                  Bytes <span aria-hidden="true">{order === 'size' ? '▾' : '▴▾'}</span>
                </button>
              </th>
              <th scope="col" class="number">
                Blanked
              </th>
            </tr>
          </thead>
          <tbody onKeyDown={walkRows}>
            {sorted.slice(0, shown).map((item) => (
              <ItemRow
                key={item.id}
                item={item}
                blanked={blanked.get(item.id) ?? 0}
                isSelected={item.id === selected}
                select={select}
              />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {sorted.length > shown && (
        <button type="button" class="button more" onClick={() => setShown(shown + STEP)}>
          Show {showCount(Math.min(STEP, sorted.length - shown))} more of {showCount(sorted.length)}
        </button>
      )}
    </div>
  );
};

interface ItemRowWords {
  readonly item: BundleItem;
  readonly blanked: number;
  readonly isSelected: boolean;
  readonly select: (id: string | null) => void;
}

const ItemRow = ({ item, blanked, isSelected, select }: ItemRowWords) => (
  <tr class={isSelected ? 'is-selected' : ''}>
    <td>
      <button
        type="button"
        class="row-button"
        data-row=""
        aria-pressed={isSelected}
        onClick={() => select(isSelected ? null : item.id)}
      >
        {item.id}
      </button>
    </td>
    <td class="name">
      <span class="name-input">{item.input.replaceAll('_', ' ')}</span>
      <span class="name-path" title={item.path ?? item.label}>
        {printable(item.path ?? shortRange(item.label ?? ''))}
      </span>
      {notesOf(item).map((note) => (
        <span class="tag" key={note}>
          {note}
        </span>
      ))}
    </td>
    <td class="number" title={`${showCount(item.raw_bytes)} bytes raw`}>
      {showCount(item.bytes)}
    </td>
    <td class="number">{blanked === 0 ? <span class="faint">–</span> : showCount(blanked)}</td>
  </tr>
);

const notesOf = ({ omitted, lossy, encoding }: BundleItem): readonly string[] => [
  ...(omitted === undefined ? [] : [omitted]),
  ...(lossy === undefined ? [] : [`lossy ${lossy}`]),
  ...(encoding === undefined ? [] : [encoding]),
];
