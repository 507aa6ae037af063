/**
 * Arrow keys in a table: up and down go to the row's own control (`data-row`), Home and End to the first and last. Tab
 * still reaches every control, so nobody who does not know the arrow keys is kept out.
 */
export const walkRows = (event: KeyboardEvent): void => {
  const { currentTarget, target, key } = event;
  if (!(currentTarget instanceof HTMLElement) || !(target instanceof HTMLElement)) return;
  if (!['ArrowDown', 'ArrowUp', 'Home', 'End'].includes(key) || !target.hasAttribute('data-row')) return;
  const rows = [...currentTarget.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.indexOf(target);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[key] ?? at;
  event.preventDefault();
  rows[to]?.focus();
};
