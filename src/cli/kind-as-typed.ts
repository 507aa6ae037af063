/** A kind as a person types it. */
import { ColdsealError } from '../contract/error.js';
import { KINDS, type KindName } from '../contract/item.js';
import { nearestName, orNearest } from '../contract/nearest-name.js';
import { printable } from '../contract/printable.js';

/** `USAGE` with the nearest kind for one that is none. */
export const kindAsTyped = (typed: string): KindName => {
  const kind = KINDS.find((one) => one === typed);
  if (kind !== undefined) return kind;
  const near = nearestName(typed, KINDS);
  throw new ColdsealError(
    'USAGE',
    `there is no kind ${printable(typed)}${orNearest(near, '`coldseal kinds` lists all of them')}`,
  );
};
