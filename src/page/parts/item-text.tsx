/**
 * The text of one item, line by line, with its placeholders marked. The text is somebody else's: it is only ever put in
 * as text, and what would move, turn or hide something is shown as a visible escape.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { printable } from '../../contract/printable.js';
import { showCount, showNumber } from '../../contract/show-amount.js';
import { type Piece, type SpansByLine, splitMarks } from '../show/split-marks.js';
import { ScrollBox } from './scroll-box.js';

interface ItemTextWords {
  readonly name: string;
  readonly text: string;
  readonly spans: SpansByLine;
}

const STEP = 500;
/** One line of a minified file can be the whole of it. */
const MOST_LINE_CHARACTERS = 4000;

export const ItemTextPanel = ({ name, text, spans }: ItemTextWords) => {
  const lines = useMemo(() => linesOf(text), [text]);
  const [shown, setShown] = useState(STEP);
  const [at, setAt] = useState(-1);
  const markedLines = useMemo(() => [...spans.keys()].filter((line) => line > 0).sort((a, b) => a - b), [spans]);
  const goTo = (next: number) => {
    const line = markedLines[next];
    if (line === undefined) return;
    setAt(next);
    setShown((before) => Math.max(before, line + 20));
  };
  return (
    <>
      <div class="text-tools">
        <p class="quiet figures">
          {showNumber(lines.length, 'line')}
          {markedLines.length > 0 && `, ${showCount(markedLines.length)} with something blanked`}
        </p>
        {markedLines.length > 0 && (
          <>
            <button type="button" class="button" disabled={at <= 0} onClick={() => goTo(at - 1)}>
              Previous
            </button>
            <button type="button" class="button" disabled={at >= markedLines.length - 1} onClick={() => goTo(at + 1)}>
              Next blanked
            </button>
          </>
        )}
      </div>
      <ScrollBox class="text-box" label={`Text of ${printable(name)}`}>
        {lines.slice(0, shown).map(({ number, text: line }) => (
          <Line key={number} number={number} text={line} spans={spans.get(number)} isNow={markedLines[at] === number} />
        ))}
      </ScrollBox>
      {lines.length > shown && (
        <button type="button" class="button more" onClick={() => setShown(shown + STEP)}>
          Show {showCount(Math.min(STEP, lines.length - shown))} more of {showNumber(lines.length, 'line')}
        </button>
      )}
    </>
  );
};

interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

const linesOf = (text: string): readonly NumberedLine[] => {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, at) => ({ number: at + 1, text: line }));
};

interface LineWords extends NumberedLine {
  readonly spans: ReadonlyMap<string, number> | undefined;
  readonly isNow: boolean;
}

const Line = ({ number, text, spans, isNow }: LineWords) => {
  const pieces = splitMarks(text.slice(0, MOST_LINE_CHARACTERS), spans);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isNow) place.current?.scrollIntoView({ block: 'center' });
  }, [isNow]);
  return (
    <div class={`line${isNow ? ' line-now' : ''}`} ref={place}>
      <span class="line-number" aria-hidden="true">
        {number}
      </span>
      <code class="line-text">
        {pieces.map((piece) => (
          <PieceOfLine key={piece.at} piece={piece} />
        ))}
        {text.length > MOST_LINE_CHARACTERS && (
          <span class="faint"> … {showCount(text.length - MOST_LINE_CHARACTERS)} more characters</span>
        )}
      </code>
    </div>
  );
};

/** Tabs stay; everything else that is no visible character becomes an escape. */
const visible = (text: string): string => text.split('\t').map(printable).join('\t');

const PieceOfLine = ({ piece: { kind, text } }: { readonly piece: Piece }) => {
  if (kind === 'text') return <>{visible(text)}</>;
  if (kind === 'blanked') return <mark class="mark-blanked">{visible(text)}</mark>;
  return (
    <mark class="mark-doubtful" title="Looks like a placeholder; this line holds more of them than were made">
      {visible(text)}
    </mark>
  );
};
