/** The progress line of one run, where there may be one, and a `say` that never lands in the middle of it. */

import { readEnvironment } from '../app/read-environment.js';
import type { Observe } from '../contract/observer.js';
import { mayShowProgress, ProgressLine, systemTicks } from './progress.js';
import { createStyle } from './style.js';
import type { VerbContext } from './verb-context.js';

export interface RunProgress {
  readonly say: (line: string) => void;
  readonly observe: Observe;
  readonly close: () => void;
}

export const openProgress = ({ flags, terminal }: VerbContext): RunProgress => {
  if (!mayShowProgress(flags.progress && !flags.quiet, terminal.stderrIsTty, readEnvironment())) {
    return { say: terminal.say, observe: () => {}, close: () => {} };
  }
  const line = new ProgressLine({
    columns: () => process.stderr.columns ?? terminal.columns,
    write: (text) => {
      process.stderr.write(text);
    },
    style: createStyle(terminal.colour),
    ...systemTicks,
  });
  return {
    say: (text) => {
      line.clear();
      terminal.say(text);
    },
    observe: line.observe,
    close: () => line.close(),
  };
};
