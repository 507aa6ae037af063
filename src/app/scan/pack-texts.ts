/** Small texts one after the other in one piece of shared memory, so that they travel to a thread together. */
import type { TakeShared } from './scan-source.js';

/** Views of one piece, in order. */
export const packTexts = (texts: readonly Uint8Array[], take: TakeShared): readonly Uint8Array[] => {
  const memory = take(texts.reduce((sum, text) => sum + text.length, 0));
  let at = 0;
  return texts.map((text) => {
    const view = memory.subarray(at, at + text.length);
    view.set(text);
    at += text.length;
    return view;
  });
};
