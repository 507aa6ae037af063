/**
 * What is said of words that do not fit the command line: the fault, what was probably meant, and whose help tells more.
 * A name is looked for as a verb, as a verb inside a group and as a flag, so that `coldseal verify` and `coldseal plan`
 * lead somewhere; commander alone would compare it with the verbs beside it.
 */
import type { Command, CommanderError } from 'commander';
import { nearestName } from '../contract/nearest-name.js';

/** Verbs of tools that do the same, by the verb that does it here. */
const OTHER_TOOLS: Readonly<Record<string, string>> = {
  detect: 'scan',
  protect: 'scan --staged',
  git: 'scan --range',
  dir: 'scan',
  stdin: 'scan -',
};

const MOST_MEANT = 3;

interface Typed {
  /** The deepest verb that was named. */
  readonly command: Command;
  /** The first word that is none of its verbs. */
  readonly rest: string | null;
}

const typedOf = (program: Command, words: readonly string[]): Typed => {
  let command = program;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '-C') at += 1;
    if (word.startsWith('-')) continue;
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) return { command, rest: word };
    command = next;
  }
  return { command, rest: null };
};

/** `records verify` of the verb; the program itself has no words. */
const pathOf = (command: Command): string =>
  command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trim();

const everyVerb = (command: Command): readonly Command[] => command.commands.flatMap((one) => [one, ...everyVerb(one)]);

const hasFlag = (command: Command, name: string): boolean =>
  command.options.some((option) => option.long === `--${name}`);

/** What a word that is no verb of `command` was probably meant as, in the order of likelihood. */
const meantBy = (program: Command, command: Command, word: string): readonly string[] => {
  const near = nearestName(
    word,
    command.commands.map((one) => one.name()),
  );
  if (near !== null) return [near];
  if (command !== program) return [];
  const other = Object.entries(OTHER_TOOLS).find(([name]) => name === word)?.[1];
  if (other !== undefined) return [other];
  if (hasFlag(program, word)) return [`--${word}`];
  const inside = everyVerb(program).filter((one) => one.name() === word);
  if (inside.length > 0) return inside.map(pathOf);
  return everyVerb(program)
    .filter((one) => hasFlag(one, word))
    .map((one) => `${pathOf(one)} --${word}`);
};

const inWords = (meant: readonly string[]): string => meant.slice(0, MOST_MEANT).join(' or ');

/** The sentence without `refused (USAGE)`; `words` as typed after the program's name. */
export const usageWords = (program: Command, words: readonly string[], error: CommanderError): string => {
  const { command, rest } = typedOf(program, words);
  const [fault = '', suggested] = error.message.replace(/^error: /, '').split(/\n\(Did you mean (.*)\?\)$/s);
  const help = `see \`${`coldseal ${pathOf(command)}`.trim()} --help\``;
  switch (error.code) {
    case 'commander.unknownCommand': {
      const meant = rest === null ? '' : inWords(meantBy(program, command, rest));
      return `${fault}${meant === '' ? '' : `; did you mean ${meant}?`}; ${help}`;
    }
    case 'commander.excessArguments':
      return `${fault.replace('. Expected', ': expected').replace(/\.$/, '')}; put words that belong together in quotes; ${help}`;
    default:
      return `${fault.replace(/\.$/, '')}${suggested === undefined ? '' : `; did you mean ${suggested}?`}; ${help}`;
  }
};
