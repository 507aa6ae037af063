/**
 * The service's token in this tab. It comes from the form or from `#token=...`, which is taken out of the address bar
 * before anything else happens; it stays in sessionStorage, so closing the tab forgets it, and goes out in a header only.
 */
const KEY = 'coldseal-token';

/** The token of a fragment `#token=...`, or `null`. Fragments are not sent to servers, but they stand in the history. */
const tokenOfFragment = (fragment: string): string | null => {
  const found = /^#token=([^&]+)/.exec(fragment);
  if (found?.[1] === undefined) return null;
  try {
    return decodeURIComponent(found[1]);
  } catch {
    return null;
  }
};

/** Takes a token from the address, forgets it there, and keeps it for the tab. */
export const takeTokenFromAddress = (): void => {
  if (!location.hash.startsWith('#token=')) return;
  const token = tokenOfFragment(location.hash);
  history.replaceState(null, '', `${location.pathname}#/records`);
  if (token !== null) keepToken(token);
};

export const keptToken = (): string | null => sessionStorage.getItem(KEY);
export const keepToken = (token: string): void => sessionStorage.setItem(KEY, token);
export const forgetToken = (): void => sessionStorage.removeItem(KEY);
