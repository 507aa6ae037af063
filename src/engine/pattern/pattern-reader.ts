/** The place in a pattern's text that is read, with the capturing groups that were opened so far. */

import type { Flags, PartText } from './pattern-node.js';

export interface Reader {
  readonly text: string;
  at: number;
  /** Parentheses of any kind that are open. */
  depth: number;
  /** Parts that stand in no parentheses. */
  parts: PartText[];
  groups: { index: number; at: number; length: number; end: number; depth: number; flags: Flags }[];
}

export const peek = (reader: Reader): string => reader.text.charAt(reader.at);

/** Reads over `token` if it stands here. */
export const take = (reader: Reader, token: string): boolean => {
  if (!reader.text.startsWith(token, reader.at)) return false;
  reader.at += token.length;
  return true;
};
