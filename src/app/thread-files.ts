/** What a scan thread of this build is made of: its own file, the rule tables and the prefilter stand in the built folder. */
import { join } from 'node:path';
import type { ThreadFiles } from '../pool/begun-threads.js';

export const threadFiles = (builtFolder: string): ThreadFiles => ({
  workerFile: join(builtFolder, 'scan-worker.cjs'),
  tablesPath: join(builtFolder, 'rules.tables'),
  prefilterPath: join(builtFolder, 'prefilter.wasm'),
});
