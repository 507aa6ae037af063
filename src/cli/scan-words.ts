/** The words of `coldseal scan` as one question: what to read, how to answer. Words that do not fit are `USAGE`. */
import type { ScanAsked } from '../app/scan/open-source.js';
import { ColdsealError } from '../contract/error.js';
import { nearestName, orNearest } from '../contract/nearest-name.js';
import { printable } from '../contract/printable.js';
import { flagOption, textOption, type VerbWords } from './verb-context.js';

export type ReportFormat = 'text' | 'json' | 'sarif' | 'html' | 'document';

export type ScanWords =
  | { readonly kind: 'ndjson' }
  | { readonly kind: 'blank'; readonly name: string }
  | {
      readonly kind: 'report';
      readonly asked: ScanAsked;
      readonly format: ReportFormat;
      /** Exit code when something was found. */
      readonly findingsExit: number;
      readonly includesBinary: boolean;
    };

type OpenInput = Extract<ScanAsked, { kind: 'input' }>['openInput'];

const FORMATS: readonly ReportFormat[] = ['text', 'json', 'sarif', 'html'];
const FOUND_EXIT = 4;
const MOST_EXIT = 255;
const STDIN_NAME = '<stdin>';

const usage = (message: string): ColdsealError => new ColdsealError('USAGE', message);

const refuseWith = (words: VerbWords, flag: string, options: readonly string[]): void => {
  for (const name of options) {
    const typed = words.options[name];
    if (typed === undefined || typed === false) continue;
    throw usage(
      `${flag} and --${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} do not go together`,
    );
  }
};

const onlyInput = ({ args }: VerbWords, flag: string): void => {
  if (args.length > 0 && !(args.length === 1 && args[0] === '-')) {
    throw usage(`${flag} reads standard input and takes no PATH`);
  }
};

const REPORT_OPTIONS = ['staged', 'range', 'commit', 'format', 'failOnFindings', 'exitCode', 'binary'];

const objectsOf = (words: VerbWords): Extract<ScanAsked, { kind: 'objects' }>['objects'] | null => {
  const range = textOption(words, 'range');
  const commit = textOption(words, 'commit');
  if (flagOption(words, 'staged')) {
    refuseWith(words, '--staged', ['range', 'commit']);
    return { kind: 'staged' };
  }
  if (range !== null) {
    refuseWith(words, '--range', ['commit']);
    return { kind: 'range', typed: range };
  }
  return commit === null ? null : { kind: 'commit', typed: commit };
};

const askedOf = (words: VerbWords, openInput: OpenInput): ScanAsked => {
  const objects = objectsOf(words);
  const name = textOption(words, 'stdinName');
  if (words.args.includes('-')) {
    if (words.args.length > 1) throw usage('`-` is standard input and goes with no other PATH');
    if (objects !== null) refuseWith(words, '`-`', ['staged', 'range', 'commit']);
    return { kind: 'input', openInput, name: name ?? STDIN_NAME };
  }
  if (name !== null) throw usage('--stdin-name names standard input; add `-` as the PATH, or --blank');
  return objects === null ? { kind: 'files', paths: words.args } : { kind: 'objects', objects, paths: words.args };
};

const formatOf = (words: VerbWords, isDocument: boolean): ReportFormat => {
  const typed = textOption(words, 'format');
  if (isDocument) {
    if (typed !== null) throw usage('--json and --format both say how to answer; leave one of them out');
    return 'document';
  }
  if (typed === null) return 'text';
  const format = FORMATS.find((one) => one === typed);
  if (format === undefined)
    throw usage(
      `--format ${printable(typed)} is none${orNearest(nearestName(typed, FORMATS), 'it takes text, json, sarif or html')}`,
    );
  return format;
};

const findingsExitOf = (words: VerbWords): number => {
  const typed = textOption(words, 'exitCode');
  if (typed === null) return flagOption(words, 'failOnFindings') ? FOUND_EXIT : 0;
  if (!/^\d{1,3}$/.test(typed) || Number(typed) > MOST_EXIT) throw usage('--exit-code takes a number from 0 to 255');
  return Number(typed);
};

/** `isDocument`: the global `--json`. */
export const readScanWords = (words: VerbWords, isDocument: boolean, openInput: OpenInput): ScanWords => {
  if (flagOption(words, 'ndjson')) {
    onlyInput(words, '--ndjson');
    refuseWith(words, '--ndjson', ['blank', 'stdinName', ...REPORT_OPTIONS]);
    return { kind: 'ndjson' };
  }
  if (flagOption(words, 'blank')) {
    onlyInput(words, '--blank');
    refuseWith(words, '--blank', REPORT_OPTIONS);
    if (isDocument) throw usage('--blank and --json both take standard output');
    return { kind: 'blank', name: textOption(words, 'stdinName') ?? 'standard input' };
  }
  return {
    kind: 'report',
    asked: askedOf(words, openInput),
    format: formatOf(words, isDocument),
    findingsExit: findingsExitOf(words),
    includesBinary: flagOption(words, 'binary') || words.args.includes('-'),
  };
};
