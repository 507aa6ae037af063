/** Words with a count each, as bars: a list that is read like one. */
import { showCount } from '../../contract/show-amount.js';

interface BarListWords {
  readonly rows: readonly {
    readonly word: string;
    readonly count: number;
    readonly hint?: string;
    readonly href?: string;
  }[];
}

export const BarList = ({ rows }: BarListWords) => {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  return (
    <ul class="bars">
      {rows.map(({ word, count, hint, href }) => (
        <li key={word} title={hint}>
          <span class="bars-word">
            {href === undefined ? (
              <code>{word}</code>
            ) : (
              <a href={href}>
                <code>{word}</code>
              </a>
            )}
          </span>
          <span class="bars-track" aria-hidden="true">
            <span class="bars-fill" style={{ width: `${Math.max(1, (count / most) * 100)}%` }} />
          </span>
          <span class="number">{showCount(count)}</span>
        </li>
      ))}
    </ul>
  );
};
