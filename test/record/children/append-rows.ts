/**
 * A child that appends rows: FOLDER COUNT [KILL_AT]. Prints each id once its row is on disk. KILL_AT ends the process
 * with SIGKILL right before that file system call, counted from the first append.
 */
import { randomBytes } from 'node:crypto';
import { ColdsealError } from '../../../src/contract/error.js';
import { openRecordStore } from '../../../src/record/open-record-store.js';
import { newRecordId } from '../../../src/record/record-id.js';
import { interruptedFiles } from '../interrupted-files.js';
import { END, START } from '../rows.js';

const [folder = '', count = '0', killAt = '0'] = process.argv.slice(2);
let calls = 0;
const files = interruptedFiles(() => {
  calls += 1;
  if (calls === Number(killAt)) process.kill(process.pid, 'SIGKILL');
});
const store = openRecordStore({
  folder,
  clock: () => Date.UTC(2026, 10, 5),
  random: randomBytes,
  lockTimeoutMs: 60_000,
  files,
});
try {
  for (let row = 0; row < Number(count); row += 1) {
    const id = newRecordId(randomBytes);
    await store.append(id, START);
    await store.append(id, END);
    process.stdout.write(`${id}\n`);
  }
} catch (error) {
  process.stderr.write(`${error instanceof ColdsealError ? `${error.code} ${error.message}` : error}\n`);
  process.exitCode = 2;
}
