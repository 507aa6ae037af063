/**
 * Takes one Markdown fence off an answer. Models wrap JSON in one although they were asked not to; anything more than one
 * fence around everything is not a wrapping but text, and stays.
 *
 * Lines are looked at, no pattern over the whole: an answer has up to 4 MiB and its writer is not trusted.
 */

const OPENING = /^(`{3,}|~{3,})[ \t]*[\w+-]*$/;

/** The text inside the one fence that surrounds everything, or the text as it is, without blanks at its ends. */
export const stripFence = (text: string): string => {
  const whole = text.trim();
  const firstEnd = whole.indexOf('\n');
  const lastStart = whole.lastIndexOf('\n');
  const fence = firstEnd === -1 ? undefined : OPENING.exec(whole.slice(0, Math.min(firstEnd, 80)).trim())?.[1];
  if (fence === undefined || lastStart <= firstEnd || whole.slice(lastStart).trim() !== fence) {
    return whole;
  }
  return whole.slice(firstEnd, lastStart).trim();
};
