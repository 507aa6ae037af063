/** Runs as rows; on a narrow screen each row becomes a small card. The time is the way in, and arrow keys walk. */

import type { RunSummary } from '../../contract/documents.js';
import { printable } from '../../contract/printable.js';
import { showBytes, showCount } from '../../contract/show-amount.js';
import { formatRoute } from '../route.js';
import { showTime } from '../show/show-time.js';
import { OutcomeMark } from './outcome-mark.js';
import { walkRows } from './walk-rows.js';

export const RecordTable = ({ runs }: { readonly runs: readonly RunSummary[] }) => (
  <div class="table-scroll panel panel-table">
    <table class="table table-runs">
      <caption class="hidden">Runs, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Outcome</th>
          <th scope="col">Kind</th>
          <th scope="col">Went to</th>
          <th scope="col" class="number">
            Items
          </th>
          <th scope="col" class="number">
            Size
          </th>
          <th scope="col" class="number">
            Blanked
          </th>
          <th scope="col">Record</th>
        </tr>
      </thead>
      <tbody onKeyDown={walkRows}>
        {runs.map((run) => (
          <RunRow key={run.id} run={run} />
        ))}
      </tbody>
    </table>
  </div>
);

const RunRow = ({ run }: { readonly run: RunSummary }) => (
  <tr>
    <td class="cell-time">
      <a class="row-link figures" data-row="" href={formatRoute('records', run.id)}>
        <time dateTime={run.time}>{showTime(run.time)}</time>
      </a>
    </td>
    <td class="cell-outcome">
      <OutcomeMark outcome={run.outcome} />
      {run.code !== null && <code class="code">{run.code}</code>}
    </td>
    <td class="cell-kind">{(run.kind ?? run.verb).replaceAll('_', ' ')}</td>
    <td class="cell-route">
      {run.provider === null ? (
        <span class="faint">{run.outcome === 'host' ? 'host decides' : '–'}</span>
      ) : (
        <>
          {run.provider} <span class="faint">{printable(run.model ?? '')}</span>
        </>
      )}
    </td>
    <Amount name="items" value={run.items} show={showCount} />
    <Amount name="" value={run.bytes} show={showBytes} />
    <Amount name="blanked" value={run.blanked} show={showCount} />
    <td class="cell-id">
      <code>{run.id.slice(0, 12)}…</code>
    </td>
  </tr>
);

interface AmountWords {
  /** Said on a narrow screen, where there is no head. */
  readonly name: string;
  readonly value: number | null;
  readonly show: (value: number) => string;
}

const Amount = ({ name, value, show }: AmountWords) => (
  <td class={`number${value === null ? ' is-none' : ''}`}>
    {value === null ? (
      <span class="faint">–</span>
    ) : (
      <>
        {show(value)}
        {name !== '' && <span class="card-word"> {name}</span>}
      </>
    )}
  </td>
);
