/**
 * One file's part of a diff as text. The header is names: bytes outside UTF-8 show as `\xNN`. The content has the file's
 * own encoding, and a change of encoding puts two into one section, so lines that are UTF-8 stay and only the others are
 * decoded.
 */
import { escapeInvalidUtf8 } from '../contract/printable-path.js';
import { asBuffer, isCleanText } from './decode-text.js';
import { decodeLatin1, isPlainLatin1 } from './latin1.js';
import { decodeLossyUtf8, measureInvalid } from './lossy-utf8.js';

export interface DecodedSection {
  readonly parts: readonly Uint8Array[];
  readonly lossy: number;
}

const LINE_FEED = 0x0a;
const HUNK = Buffer.from('\n@@ ');

export const decodeSection = (section: Uint8Array): DecodedSection => {
  if (isCleanText(section)) return { parts: [section], lossy: 0 };
  const bytes = asBuffer(section);
  const hunk = bytes.indexOf(HUNK);
  const end = hunk < 0 ? bytes.length : hunk + 1;
  const header = bytes.subarray(0, end);
  const shown = isCleanText(header) ? header : Buffer.from(escapeInvalidUtf8(header));
  const content = decodeContent(bytes.subarray(end));
  return { parts: [shown, ...content.parts], lossy: content.lossy };
};

const decodeContent = (content: Buffer): DecodedSection => {
  if (isCleanText(content)) return { parts: [content], lossy: 0 };
  const few = Math.floor(content.length / 100);
  const asLatin1 = measureInvalid(content, few) > few;
  const parts: Uint8Array[] = [];
  let lossy = 0;
  for (const line of runsOfLines(content)) {
    if (line.clean) {
      parts.push(line.bytes);
    } else if (asLatin1 && isPlainLatin1(line.bytes)) {
      parts.push(decodeLatin1(line.bytes));
    } else {
      const decoded = decodeLossyUtf8(line.bytes);
      parts.push(decoded.text);
      lossy += decoded.lossy;
    }
  }
  return { parts, lossy };
};

/** Clean lines together, every other line by itself. */
function* runsOfLines(content: Buffer): Generator<{ readonly clean: boolean; readonly bytes: Buffer }> {
  let runStart = 0;
  for (let start = 0; start < content.length; ) {
    const feed = content.indexOf(LINE_FEED, start);
    const end = feed < 0 ? content.length : feed + 1;
    const line = content.subarray(start, end);
    if (!isCleanText(line)) {
      if (start > runStart) yield { clean: true, bytes: content.subarray(runStart, start) };
      yield { clean: false, bytes: line };
      runStart = end;
    }
    start = end;
  }
  if (content.length > runStart) yield { clean: true, bytes: content.subarray(runStart) };
}
