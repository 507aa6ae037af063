/** The page's own words for what the service answers are the server's: what the server writes, the page can read. */
import { expectTypeOf, it } from 'vitest';
import type { RunRecord as StoredRun } from '../../src/app/record-reading.js';
import type { DispatchDocument } from '../../src/http/schemas/run-schema.js';
import type { DispatchState, RunRecord } from '../../src/page/api/shapes.js';

it('reads every document that the service writes', () => {
  expectTypeOf<StoredRun>().toExtend<RunRecord>();
  expectTypeOf<NonNullable<DispatchDocument['progress']>>().toExtend<NonNullable<DispatchState['progress']>>();
  expectTypeOf<DispatchDocument['state']>().toExtend<DispatchState['state']>();
});
