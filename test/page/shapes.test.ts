/** The page's own words for the service's documents are the server's: what the server writes, the page can read. */
import { expectTypeOf, it } from 'vitest';
import type { RunRecord as StoredRun } from '../../src/app/record-reading.js';
import type { DispatchDocument } from '../../src/http/schemas/run-schema.js';
import type { DispatchState, OutcomeDocument, RunRecord, RunSummary } from '../../src/page/api/shapes.js';
import type { OutcomeDocument as WrittenOutcome } from '../../src/pipeline/outcome.js';
import type { RunSummary as StoredSummary } from '../../src/record/run-summary.js';

it('reads every document that the service writes', () => {
  expectTypeOf<WrittenOutcome>().toExtend<OutcomeDocument>();
  expectTypeOf<StoredSummary>().toExtend<RunSummary>();
  expectTypeOf<StoredRun>().toExtend<RunRecord>();
  expectTypeOf<NonNullable<DispatchDocument['progress']>>().toExtend<NonNullable<DispatchState['progress']>>();
  expectTypeOf<DispatchDocument['state']>().toExtend<DispatchState['state']>();
});
