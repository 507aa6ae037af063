/** Colour or none, as the flags, the environment and the stream say (no-color.org, force-color.org). */
import { readEnvironment } from '../app/read-environment.js';

export interface ColourWords {
  readonly words: readonly string[];
  readonly isTty: boolean;
}

export const chooseColour = ({ words, isTty }: ColourWords, environment = readEnvironment()): boolean => {
  if (words.includes('--no-color')) return false;
  if ((environment['NO_COLOR'] ?? '') !== '') return false;
  const forced = environment['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTty && environment['TERM'] !== 'dumb';
};
