/**
 * Runs: stretches of letters, digits, `_`, `-` and `.` of some length. Most tokens are one, ordinary text has few. Literals
 * that always stand inside a run are looked for in runs only, which lets a token be recognised by as little as the dot in
 * its middle.
 */
import { type ByteSet, isEmpty, setOf, subtract } from './byte-set.js';

const RUN_BYTES = setOf([0x2d, 0x2e], [0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]);

/** Shorter runs are not looked at: names in code are about as long. */
export const LEAST_RUN_BYTES = 24;

/** Whether every byte of the set may stand in a run. */
export const isInRuns = (set: ByteSet): boolean => isEmpty(subtract(set, RUN_BYTES));
