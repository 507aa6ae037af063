/** Lines of byte offsets, 1-based, counted over the newlines before them. */

const NEWLINE = 0x0a;

/** Answers offsets in rising order; each byte is looked at once, and none behind the last offset asked for. */
export const lineCounter = (text: Uint8Array): ((offset: number) => number) => {
  let line = 1;
  let counted = 0;
  return (offset) => {
    for (const end = Math.min(offset, text.length); counted < end; counted += 1) {
      if (text[counted] === NEWLINE) line += 1;
    }
    return line;
  };
};
