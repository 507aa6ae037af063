/** The rows of a run as the store keeps them, for whoever wants to see the account itself. */
import { printableLines } from '../../contract/printable.js';
import type { RecordRow } from '../../contract/record.js';
import { showNumber } from '../../contract/show-amount.js';
import { ScrollBox } from './scroll-box.js';

export const RowList = ({ rows }: { readonly rows: readonly RecordRow[] }) => (
  <details class="panel more-facts">
    <summary>
      As recorded <span class="quiet">{showNumber(rows.length, 'row')}</span>
    </summary>
    {rows.map((row) => (
      <ScrollBox class="raw" key={row.hash} label={`Row ${row.event}`}>
        <pre>{printableLines(JSON.stringify(row, null, 2))}</pre>
      </ScrollBox>
    ))}
  </details>
);
