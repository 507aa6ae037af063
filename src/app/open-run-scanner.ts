/** The scanner of one run as the owner wants it: the threads, and beside them the augmenter where one is set. */
import type { Scanner } from '../contract/scan.js';
import type { OwnSettings } from '../contract/settings.js';
import { judgeAugmenter } from './augmenter/judge-augmenter.js';
import { runAugmenter } from './augmenter/run-augmenter.js';
import { withAugmenter } from './augmenter/with-augmenter.js';
import { openScanner } from './open-scanner.js';
import type { Surroundings } from './surroundings.js';

/** `SCANNER_DEGRADED`, `CONFIG_UNSAFE`; an augmenter that is not there is one line to the person. */
export const openRunScanner = async (
  surroundings: Surroundings,
  { threads, augmenter }: Pick<OwnSettings, 'threads' | 'augmenter'>,
): Promise<Scanner> => {
  if (augmenter === null) return openScanner(surroundings, threads);
  const judged = await judgeAugmenter(augmenter, surroundings);
  if (judged.kind === 'absent') {
    surroundings.say(`coldseal: ${judged.note}`);
    return openScanner(surroundings, threads);
  }
  const { program, identity } = judged;
  const run = (text: Uint8Array): Promise<Buffer> => runAugmenter(program, text, surroundings.signal);
  return withAugmenter(await openScanner(surroundings, threads), { run, identity });
};
