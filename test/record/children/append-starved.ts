/** A child that opens files until the system refuses, then appends one row: FOLDER. */
import { randomBytes } from 'node:crypto';
import { openSync } from 'node:fs';
import { ColdsealError } from '../../../src/contract/error.js';
import { openRecordStore } from '../../../src/record/open-record-store.js';
import { newRecordId } from '../../../src/record/record-id.js';
import { REFUSED } from '../rows.js';

const store = openRecordStore({ folder: process.argv[2] ?? '', clock: Date.now, random: randomBytes });
// stderr and timers have their descriptors by now; whatever is left is used up.
process.stderr.write('');
try {
  for (;;) openSync('/dev/null', 'r');
} catch {
  // That was the limit.
}
try {
  await store.append(newRecordId(randomBytes), REFUSED);
} catch (error) {
  process.stderr.write(`${error instanceof ColdsealError ? `${error.code} ${error.message}` : error}\n`);
}
