/** Name, places, colours, and the way out. */
import { useState } from 'preact/hooks';
import { formatRoute, type Place } from '../route.js';
import { applyTheme, keptTheme, THEMES, type Theme } from '../theme.js';

const LINKS: readonly (readonly [Place, string])[] = [
  ['records', 'Records'],
  ['live', 'Live'],
  ['plan', 'Plan'],
  ['charts', 'Charts'],
];

export const TopBar = ({ place, leave }: { readonly place: Place; readonly leave: () => void }) => (
  <header class="bar">
    <a class="brand" href={formatRoute('records')}>
      <Mark />
      Coldseal
    </a>
    <nav class="places" aria-label="Views">
      {LINKS.map(([to, name]) => (
        <a key={to} href={formatRoute(to)} aria-current={to === place ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
    <div class="bar-end">
      <ThemeChoice />
      <button type="button" class="button button-quiet" onClick={leave}>
        Sign out
      </button>
    </div>
  </header>
);

/** The product's sign, in the accent colour in force. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" focusable="false">
    <path class="mark-body" d="M12 1.5 21 6.75v10.5L12 22.5 3 17.25V6.75z" />
    <path class="mark-line" d="M12 6v12M6.8 9l10.4 6M17.2 9 6.8 15" />
  </svg>
);

const THEME_WORDS = { system: 'System', light: 'Light', dark: 'Dark' } as const;

const ThemeChoice = () => {
  const [theme, setTheme] = useState<Theme>(keptTheme());
  return (
    <label class="theme">
      <span class="hidden">Colours</span>
      <select
        value={theme}
        onChange={(event) => {
          const chosen = THEMES.find((name) => name === event.currentTarget.value) ?? 'system';
          applyTheme(chosen);
          setTheme(chosen);
        }}
      >
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {THEME_WORDS[name]}
          </option>
        ))}
      </select>
    </label>
  );
};
