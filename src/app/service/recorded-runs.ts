/** The record as the service reads it: the list from memory, one run and the chain from the files themselves. */
import type { ChainDocument } from '../../contract/documents.js';
import { isRecordId } from '../../record/record-id.js';
import { type RunRecord, showRecord } from '../../record/show-record.js';
import { verifyRecords } from '../../record/verify-records.js';
import { openRunIndex, type RunIndex } from './run-index.js';

export interface RecordedRuns extends RunIndex {
  /** `null` where no run has that id. */
  show(id: string): Promise<RunRecord | null>;
  verify(): Promise<ChainDocument>;
}

export const openRecordedRuns = (recordsFolder: () => Promise<string>): RecordedRuns => {
  let verifying: Promise<ChainDocument> | null = null;
  return {
    ...openRunIndex(recordsFolder),
    show: async (id) => (isRecordId(id) ? showRecord({ folder: await recordsFolder() }, id) : null),
    // Every row is read: whoever asks meanwhile gets the same answer.
    verify: () => {
      verifying ??= recordsFolder()
        .then((folder) => verifyRecords({ folder }))
        .finally(() => {
          verifying = null;
        });
      return verifying;
    },
  };
};
