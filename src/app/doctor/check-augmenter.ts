/** The owner's external scanner: that it may be started and answers a text in gitleaks' form. */
import type { OwnSettings } from '../../contract/settings.js';
import { judgeAugmenter } from '../augmenter/judge-augmenter.js';
import { readAugmenterReport } from '../augmenter/read-report.js';
import { runAugmenter } from '../augmenter/run-augmenter.js';
import type { Surroundings } from '../surroundings.js';
import { type Check, ok, refused, warn } from './check.js';

const HARMLESS = Buffer.from('a text without a secret\n', 'utf8');

export const checkAugmenter = async (
  { augmenter }: Pick<OwnSettings, 'augmenter'>,
  surroundings: Surroundings,
): Promise<Check> => {
  if (augmenter === null) return ok('augmenter', 'none');
  try {
    const judged = await judgeAugmenter(augmenter, surroundings);
    if (judged.kind === 'absent') {
      return warn('augmenter', judged.note, 'Install it there, or remove coldseal.augmenter.');
    }
    readAugmenterReport(await runAugmenter(judged.program, HARMLESS, surroundings.signal));
    return ok('augmenter', `${judged.program} answers`);
  } catch (error) {
    return refused('augmenter', error, 'Correct it, or remove coldseal.augmenter; no scan goes on with it as it is.');
  }
};
