/**
 * One run of the command line: parses the words, calls the verb, turns whatever happens into an exit code. The first
 * reason wins: a signal during a run is told as the signal, not as what broke because of it.
 */
import { constants } from 'node:os';
import { CommanderError } from 'commander';
import type { ScannerAhead } from '../app/scanner-ahead.js';
import { gatherSurroundings } from '../app/surroundings.js';
import { chooseColour } from './choose-colour.js';
import { createProgram } from './program.js';
import { reportError } from './report-error.js';
import { openTerminal, type Terminal } from './terminal.js';
import { usageWords } from './usage-words.js';
import type { GlobalFlags, VerbContext } from './verb-context.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Exit code of a run that a signal ended: 128 + its number. */
const exitOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

/**
 * The second signal ends the process by the system's own hand: an orderly exit waits for its threads, and one that stands
 * in a read without an end (a pipe, a network disk) would hold it.
 */
const endAtOnce = (signal: NodeJS.Signals): void => {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
};

const reportUsage = async (message: string, json: boolean, terminal: Terminal): Promise<number> => {
  if (json) await terminal.write(`${JSON.stringify({ outcome: 'refused', code: 'USAGE', message })}\n`);
  else terminal.say(`refused (USAGE): ${message}`);
  return 2;
};

/** Answers the exit code; never rejects. `ahead` is ended here where no verb has taken it. */
export const runProgram = async (words: readonly string[], ahead: ScannerAhead | null = null): Promise<number> => {
  const json = words.includes('--json');
  const ending = new AbortController();
  let signalled: NodeJS.Signals | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (signalled !== null) endAtOnce(signal);
    signalled = signal;
    ending.abort(signal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);

  const colour = chooseColour({ words, isTty: process.stderr.isTTY === true });
  const terminal = openTerminal({ stdout: process.stdout, stderr: process.stderr, colour });
  let exit = 0;
  const helpText: string[] = [];
  const contextOf = (flags: GlobalFlags): VerbContext => ({
    flags,
    terminal,
    surroundings: gatherSurroundings({
      folder: flags.folder,
      say: terminal.say,
      signal: ending.signal,
      scannerAhead: ahead,
    }),
  });
  const onExit = (code: number): void => {
    exit = code;
  };
  const program = createProgram(contextOf, onExit, (text) => helpText.push(text));
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (fault) {
    if (fault instanceof CommanderError && fault.code === 'commander.help') {
      // A group of verbs without one of them: its help is the answer, as with gh.
      await terminal.write(helpText.join(''));
    } else if (fault instanceof CommanderError) {
      exit = fault.exitCode === 0 ? 0 : await reportUsage(usageWords(program, words, fault), json, terminal);
    } else {
      const report = reportError(fault);
      exit = report.exit;
      if (signalled === null) {
        if (json) await terminal.write(`${JSON.stringify(report.json)}\n`);
        else terminal.say(report.text);
      }
    }
  } finally {
    await ahead?.drop();
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
  if (signalled !== null) return exitOfSignal(signalled);
  const failure = terminal.failure();
  if (failure === null) return exit;
  terminal.say(`failed (INTERNAL): stdout could not be written to its end: ${failure}`);
  return exit === 0 ? 1 : exit;
};
