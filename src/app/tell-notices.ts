/**
 * Notices of the settings, to the person. A worker runs many jobs with one machine file: what it said once it does not say
 * again with each job, or the lines that matter are lost among it.
 */
import type { Surroundings } from './surroundings.js';

export const tellNotices = ({ say, toldNotices }: Surroundings, notices: readonly string[]): void => {
  for (const notice of notices) {
    if (toldNotices?.has(notice) === true) continue;
    toldNotices?.add(notice);
    say(`coldseal: ${notice}`);
  }
};
