/** Where something was blanked, by item, line, kind and rule; never what it was: nobody kept that. */
import { useMemo, useState } from 'preact/hooks';
import type { BlankedSpan } from '../../contract/bundle.js';
import { showCount, showNumber } from '../../contract/show-amount.js';
import { ScrollBox } from './scroll-box.js';

interface BlankedTableWords {
  readonly spans: readonly BlankedSpan[];
  /** Only this item's, when one is selected. */
  readonly item: string | null;
  readonly clear: () => void;
}

const STEP = 100;

export const BlankedTable = ({ spans, item, clear }: BlankedTableWords) => {
  const [kind, setKind] = useState<string | null>(null);
  const [shown, setShown] = useState(STEP);
  const kinds = useMemo(() => countKinds(spans), [spans]);
  // Two spans can be alike in every member: their place tells them apart.
  const found = spans
    .map((span, at) => ({ span, at }))
    .filter(({ span }) => (item === null || span.item === item) && (kind === null || span.kind === kind));
  if (spans.length === 0) return <p class="quiet">Nothing was blanked: the scanner found nothing to withhold.</p>;
  return (
    <div class="table-box">
      <div class="chips">
        {kinds.map(([name, count]) => (
          <button
            type="button"
            class="chip"
            key={name}
            aria-pressed={kind === name}
            onClick={() => setKind(kind === name ? null : name)}
          >
            {name} <span class="chip-count">{showCount(count)}</span>
          </button>
        ))}
        {item !== null && (
          <button type="button" class="chip" aria-pressed="true" onClick={clear}>
            only {item} <span aria-hidden="true">×</span>
            <span class="hidden">, show all</span>
          </button>
        )}
      </div>
      {found.length === 0 ? (
        <p class="quiet">Nothing of that was blanked here.</p>
      ) : (
        <ScrollBox class="table-scroll" label="Blanked spans">
          <table class="table">
            <caption class="hidden">{showNumber(found.length, 'blanked span')}</caption>
            <thead>
              <tr>
                <th scope="col">Item</th>
                <th scope="col" class="number">
                  Line
                </th>
                <th scope="col">Kind</th>
                <th scope="col">Rule</th>
              </tr>
            </thead>
            <tbody>
              {found.slice(0, shown).map(({ span, at }) => (
                <tr key={at}>
                  <td>{span.item}</td>
                  <td class="number">{span.line === 0 ? 'name' : showCount(span.line)}</td>
                  <td>
                    <code>{span.kind}</code>
                  </td>
                  <td>
                    <code>{span.rule}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
      {found.length > shown && (
        <button type="button" class="button more" onClick={() => setShown(shown + STEP)}>
          Show {showCount(Math.min(STEP, found.length - shown))} more of {showCount(found.length)}
        </button>
      )}
    </div>
  );
};

const countKinds = (spans: readonly BlankedSpan[]): readonly (readonly [string, number])[] => {
  const counts = new Map<string, number>();
  for (const { kind } of spans) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
};
