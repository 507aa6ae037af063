/** Light, dark, or as the system says. The choice is the one thing the page keeps beyond the tab. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'coldseal-theme';

export const keptTheme = (): Theme => {
  const kept = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === kept) ?? 'system';
};

export const applyTheme = (theme: Theme): void => {
  localStorage.setItem(KEY, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  // Drawings on a canvas take their colours when they are drawn.
  dispatchEvent(new Event('coldseal-theme'));
};

/** Calls back when the colours in force change; returns what stops it. */
export const onColoursChange = (changed: () => void): (() => void) => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', changed);
  addEventListener('coldseal-theme', changed);
  return () => {
    system.removeEventListener('change', changed);
    removeEventListener('coldseal-theme', changed);
  };
};
