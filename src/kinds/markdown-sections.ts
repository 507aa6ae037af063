/**
 * Headings and what stands under them. Only ATX headings outside fenced code count: records are written that way, and a
 * full Markdown reader would be a second thing to trust.
 */

export interface Heading {
  readonly level: number;
  readonly title: string;
  /** The heading's own line, from its first character. */
  readonly start: number;
  /** The first character after the heading's line. */
  readonly bodyStart: number;
}

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\r?$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]+\S/;

/** Calls `each` with every line outside fenced code: its text, its start and the start of the next. */
const eachLine = (text: string, each: (line: string, start: number, next: number) => void): void => {
  let fence: string | null = null;
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start);
    const next = feed < 0 ? text.length : feed + 1;
    const line = text.slice(start, feed < 0 ? text.length : feed);
    const [, marks] = FENCE.exec(line) ?? [];
    if (fence !== null) {
      if (marks?.startsWith(fence) === true && line.trim() === marks) fence = null;
    } else if (marks !== undefined) {
      fence = marks;
    } else {
      each(line, start, next);
    }
    start = next;
  }
};

export const headingsOf = (text: string): readonly Heading[] => {
  const headings: Heading[] = [];
  eachLine(text, (line, start, bodyStart) => {
    const found = HEADING.exec(line);
    if (found === null) return;
    headings.push({ level: found[1]?.length ?? 1, title: (found[2] ?? '').trim(), start, bodyStart });
  });
  return headings;
};

/** One apostrophe, whichever the writer's keyboard has. */
const plainTitle = (title: string): string => title.replaceAll('\u2019', "'");

/** A level-two section: its heading and the text up to the next heading of level one or two. */
export interface Section {
  readonly title: string;
  /** Heading line and body, verbatim. */
  readonly whole: string;
  /** Without the blank lines around it. */
  readonly body: string;
}

export const sectionsOf = (text: string): readonly Section[] => {
  const headings = headingsOf(text).filter(({ level }) => level <= 2);
  return headings.flatMap(({ level, title, start, bodyStart }, at) => {
    if (level !== 2) return [];
    const end = headings[at + 1]?.start ?? text.length;
    return [{ title: plainTitle(title), whole: text.slice(start, end), body: text.slice(bodyStart, end).trim() }];
  });
};

export const findSection = (text: string, title: string): Section | null =>
  sectionsOf(text).find((section) => section.title === title) ?? null;

/** The first level-one heading's title. */
export const titleOf = (text: string): string | null =>
  headingsOf(text).find(({ level }) => level === 1)?.title ?? null;

/** List items that are no part of another. */
export const countListItems = (text: string): number => {
  let count = 0;
  eachLine(text, (line) => {
    if (LIST_ITEM.test(line)) count += 1;
  });
  return count;
};

/** The first paragraph as one line. */
export const firstParagraph = (text: string): string => {
  const lines = text
    .trim()
    .split(/\r?\n[ \t]*\r?\n/)[0]
    ?.split(/\r?\n/);
  return (lines ?? [])
    .map((line) => line.replace(/^>[ \t]?/, '').trim())
    .filter((line) => line !== '')
    .join(' ');
};
