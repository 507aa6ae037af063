/**
 * Aligned text tables. No lines, no boxes: columns two blanks apart, so that a table can be read, cut with `awk` and
 * pasted into an issue. The last column is never padded, and only a column that may be is clipped.
 */
import { clipText, textWidth } from './text-width.js';

export interface Column {
  readonly head: string;
  readonly align?: 'left' | 'right';
  /** Clipped when the table is wider than the terminal; at most one column of a table. */
  readonly clips?: boolean;
}

const GAP = '  ';
const NARROWEST_CLIPPED = 8;

/**
 * @param rows one text a column, already styled; a column that clips must not be.
 * @param columns width of the terminal, `null` when the output is no terminal: then nothing is clipped.
 * @returns the lines without line ends, the heads first unless all are empty.
 */
export function formatTable(
  heads: readonly Column[],
  rows: readonly (readonly string[])[],
  columns: number | null,
): readonly string[] {
  const hasHeads = heads.some(({ head }) => head !== '');
  const texts = [...(hasHeads ? [heads.map(({ head }) => head)] : []), ...rows];
  const natural = heads.map((_, at) => texts.reduce((widest, row) => Math.max(widest, textWidth(row[at] ?? '')), 0));
  const widths = clipWidths(heads, natural, columns);
  return texts.map((row) => formatRow(heads, row, widths));
}

function clipWidths(heads: readonly Column[], natural: readonly number[], columns: number | null): readonly number[] {
  const total = natural.reduce((sum, width) => sum + width, 0) + GAP.length * (natural.length - 1);
  if (columns === null || total <= columns) return natural;
  const excess = total - columns;
  return natural.map((width, at) =>
    heads[at]?.clips === true ? Math.min(width, Math.max(NARROWEST_CLIPPED, width - excess)) : width,
  );
}

function formatRow(heads: readonly Column[], row: readonly string[], widths: readonly number[]): string {
  const cells = heads.map(({ align, clips }, at) => {
    const width = widths[at] ?? 0;
    const text = clips === true ? clipText(row[at] ?? '', width) : (row[at] ?? '');
    const padding = ' '.repeat(Math.max(0, width - textWidth(text)));
    return align === 'right' ? padding + text : text + padding;
  });
  return cells.join(GAP).trimEnd();
}
