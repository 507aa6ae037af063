/**
 * Whether the words alone say that this run scans, told before anything is loaded. Only verbs that always do: a send may
 * go to the host, where nothing is scanned. A wrong guess costs a thread that is dropped, never an answer.
 */

const SCANNING: ReadonlySet<string> = new Set(['scan', 'pack']);
/** The one flag before a verb that has a value. */
const FOLDER = '-C';

export const scansForSure = (words: readonly string[]): boolean => {
  if (words.includes('--help') || words.includes('-h')) return false;
  const verb = words.find((word, at) => !word.startsWith('-') && words[at - 1] !== FOLDER);
  return verb !== undefined && SCANNING.has(verb);
};
