/** Words of a bundle to the task of a job and back. Words that are texts make no job. */
import type { BundleTask } from '../../contract/job.js';
import { type ProgramWords, programWords } from '../run-words.js';

export const programWordsOf = (task: BundleTask): ProgramWords => ({
  kind: task.kind,
  range: task.range ?? undefined,
  intent: task.intent ?? undefined,
  from: task.from ?? undefined,
  to: task.to ?? undefined,
  dispatch: task.dispatch ?? undefined,
  expect: task.expect ?? undefined,
});

export interface BundleTaskWords {
  readonly do: 'send' | 'plan';
  readonly words: ProgramWords;
  /** A reading's names its position. */
  readonly agent: string;
  /** `PROVIDER/MODEL`. */
  readonly route: string;
}

/** Members as the job's schema takes them; the schema judges them. `USAGE` for what the kind needs or does not take. */
export const bundleTask = ({ do: what, words, agent, route }: BundleTaskWords) => {
  programWords(words, what === 'plan');
  const { kind, range = null, intent = null, from = null, to = null, dispatch = null, expect = null } = words;
  return { do: what, kind, agent, range, intent, from, to, dispatch, route, expect };
};
