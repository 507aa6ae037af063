/** The record store of this machine for one run. */
import type { Settings } from '../contract/settings.js';
import { openRecordStore, type RecordFolderStore } from '../record/open-record-store.js';
import type { Surroundings } from './surroundings.js';

export type RunRecords = RecordFolderStore;

/** Opening writes nothing; the folder is made with the first row. */
export const openRunRecords = (settings: Settings, { now, random, sharedRecords }: Surroundings): RunRecords =>
  sharedRecords?.(settings.own.recordsFolder) ??
  openRecordStore({ folder: settings.own.recordsFolder, clock: () => now().getTime(), random });
