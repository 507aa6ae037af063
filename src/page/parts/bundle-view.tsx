/** A bundle, of a record or of a plan: gauge, treemap with its table, and what was blanked. */
import { useMemo, useState } from 'preact/hooks';
import { printable } from '../../contract/printable.js';
import { showBytes, showCount, showNumber } from '../../contract/show-amount.js';
import type { BundleFacts } from '../api/shapes.js';
import { BlankedTable } from './blanked-table.js';
import { CapGauge } from './cap-gauge.js';
import { ItemTable } from './item-table.js';
import { Treemap } from './treemap.js';

interface BundleViewWords {
  readonly bundle: BundleFacts;
  /** Told when an item is selected, for whoever shows more about it. */
  readonly onSelect?: ((id: string | null) => void) | undefined;
}

export const BundleView = ({ bundle, onSelect }: BundleViewWords) => {
  const [selected, setSelected] = useState<string | null>(null);
  const blanked = useMemo(() => {
    const counts = new Map<string, number>();
    for (const { item } of bundle.blanked) counts.set(item, (counts.get(item) ?? 0) + 1);
    return counts;
  }, [bundle]);
  const select = (id: string | null) => {
    setSelected(id);
    onSelect?.(id);
  };
  const omitted = bundle.items.filter((item) => item.omitted !== undefined).length;
  return (
    <>
      <section class="panel" aria-labelledby="items-title">
        <header class="panel-head">
          <h2 id="items-title">Items</h2>
          <p class="quiet">
            {showNumber(bundle.items.length, 'item')}, {showBytes(bundle.raw_bytes)} raw
            {omitted > 0 && `, ${showCount(omitted)} without text`}
            {bundle.deleted !== undefined && `, ${showNumber(bundle.deleted.length, 'deleted path')}`}
          </p>
        </header>
        <CapGauge bytes={bundle.bytes} cap={bundle.cap} origin={bundle.cap_origin} />
        <div class="bundle-items">
          <div>
            <Treemap items={bundle.items} blanked={blanked} selected={selected} select={select} />
            <ul class="legend" aria-hidden="true">
              <li class="legend-plain">as read</li>
              <li class="legend-blanked">with blanked spans</li>
              <li class="legend-omitted">text left out</li>
            </ul>
          </div>
          <ItemTable items={bundle.items} blanked={blanked} selected={selected} select={select} />
        </div>
        {bundle.deleted !== undefined && (
          <details class="more-facts">
            <summary>Deleted paths, in the diff alone</summary>
            <ul class="plain-list">
              {bundle.deleted.map((path) => (
                <li key={path}>
                  <code>{printable(path)}</code>
                </li>
              ))}
            </ul>
          </details>
        )}
      </section>
      <section class="panel" aria-labelledby="blanked-title">
        <header class="panel-head">
          <h2 id="blanked-title">Blanked</h2>
          <p class="quiet">{showNumber(bundle.blanked.length, 'span')}</p>
        </header>
        <BlankedTable spans={bundle.blanked} item={selected} clear={() => select(null)} />
      </section>
    </>
  );
};
