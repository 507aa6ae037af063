/** The scanner of one run as the owner wants it: the threads, and beside them the augmenter where one is set. */
import type { Scanner } from '../contract/scan.js';
import type { OwnSettings } from '../contract/settings.js';
import type { BegunThreads } from '../pool/begun-threads.js';
import { openScanner } from './open-scanner.js';
import type { Surroundings } from './surroundings.js';

/** `SCANNER_DEGRADED`, `CONFIG_UNSAFE`; an augmenter that is not there is one line to the person. */
export const openRunScanner = async (
  surroundings: Surroundings,
  own: OwnersWish,
  begun: BegunThreads | null = null,
): Promise<Scanner> => {
  const widen = await widening(surroundings, own);
  return widen(await openScanner(surroundings, own.threads, 'one-first', begun));
};

/** Threads that are there already, with the augmenter beside them. */
export const widenScanner = async (
  scanner: Scanner,
  surroundings: Surroundings,
  own: Pick<OwnSettings, 'augmenter'>,
): Promise<Scanner> => (await widening(surroundings, own))(scanner);

type OwnersWish = Pick<OwnSettings, 'threads' | 'augmenter'>;

const unchanged = (scanner: Scanner): Scanner => scanner;

/** Judged before a thread is given anything. Loaded only where one is set: what reads its report is a good part of a cold start. */
const widening = async (
  surroundings: Surroundings,
  { augmenter }: Pick<OwnSettings, 'augmenter'>,
): Promise<(scanner: Scanner) => Scanner> => {
  if (augmenter === null) return unchanged;
  const [{ judgeAugmenter }, { runAugmenter }, { withAugmenter }] = await Promise.all([
    import('./augmenter/judge-augmenter.js'),
    import('./augmenter/run-augmenter.js'),
    import('./augmenter/with-augmenter.js'),
  ]);
  const judged = await judgeAugmenter(augmenter, surroundings);
  if (judged.kind === 'absent') {
    surroundings.say(`coldseal: ${judged.note}`);
    return unchanged;
  }
  const { program, identity } = judged;
  const run = (text: Uint8Array): Promise<Buffer> => runAugmenter(program, text, surroundings.signal);
  return (scanner) => withAugmenter(scanner, { run, identity });
};
