/** The scanner of one run as the owner wants it: the threads, and beside them the augmenter where one is set. */
import type { Scanner } from '../contract/scan.js';
import type { OwnSettings } from '../contract/settings.js';
import { judgeAugmenter } from './augmenter/judge-augmenter.js';
import { runAugmenter } from './augmenter/run-augmenter.js';
import { withAugmenter } from './augmenter/with-augmenter.js';
import { openScanner } from './open-scanner.js';
import type { Surroundings } from './surroundings.js';

/** `SCANNER_DEGRADED`, `CONFIG_UNSAFE`; an augmenter that is not there is one line to the person. */
export const openRunScanner = async (surroundings: Surroundings, own: OwnersWish): Promise<Scanner> => {
  const widen = await widening(surroundings, own);
  return widen(await openScanner(surroundings, own.threads));
};

/** Threads that are there already, with the augmenter beside them. */
export const widenScanner = async (
  scanner: Scanner,
  surroundings: Surroundings,
  own: Pick<OwnSettings, 'augmenter'>,
): Promise<Scanner> => (await widening(surroundings, own))(scanner);

type OwnersWish = Pick<OwnSettings, 'threads' | 'augmenter'>;

const unchanged = (scanner: Scanner): Scanner => scanner;

/** Judged before a thread starts. */
const widening = async (
  surroundings: Surroundings,
  { augmenter }: Pick<OwnSettings, 'augmenter'>,
): Promise<(scanner: Scanner) => Scanner> => {
  if (augmenter === null) return unchanged;
  const judged = await judgeAugmenter(augmenter, surroundings);
  if (judged.kind === 'absent') {
    surroundings.say(`coldseal: ${judged.note}`);
    return unchanged;
  }
  const { program, identity } = judged;
  const run = (text: Uint8Array): Promise<Buffer> => runAugmenter(program, text, surroundings.signal);
  return (scanner) => withAugmenter(scanner, { run, identity });
};
