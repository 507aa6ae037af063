/**
 * `coldseal completion bash|zsh|fish`: scripts made from the program's own table of verbs, so that a new verb completes
 * without being named twice. They are static: pressing Tab never starts the program.
 */
import type { Command } from 'commander';
import { ColdsealError } from '../../contract/error.js';
import { nearestName, orNearest } from '../../contract/nearest-name.js';
import { printable } from '../../contract/printable.js';
import type { VerbAction } from '../verb-context.js';

interface Level {
  /** The verbs typed so far, e.g. `records show`. */
  readonly path: string;
  readonly verbs: readonly { readonly name: string; readonly about: string }[];
  readonly flags: readonly { readonly name: string; readonly about: string }[];
}

const levelsOf = (command: Command, path: string, inherited: Level['flags']): readonly Level[] => {
  const flags = [
    ...command.options.flatMap((option) =>
      option.long === undefined ? [] : [{ name: option.long, about: option.description }],
    ),
    ...inherited,
  ];
  const own: Level = {
    path,
    verbs: command.commands.map((one) => ({ name: one.name(), about: one.description() })),
    flags,
  };
  const root = path === '' ? flags : inherited;
  return [own, ...command.commands.flatMap((one) => levelsOf(one, `${path} ${one.name()}`.trim(), root))];
};

const bash = (levels: readonly Level[]): string => `# coldseal completion for bash
_coldseal() {
  local word path="" i
  word="\${COMP_WORDS[COMP_CWORD]}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in -*) ;; *) path="\${path:+$path }\${COMP_WORDS[i]}" ;; esac
  done
  local choices=""
  while :; do
    case "$path" in
${levels.map((one) => `      '${one.path}') choices="${[...one.verbs, ...one.flags].map(({ name }) => name).join(' ')}"; break ;;`).join('\n')}
    esac
    case "$path" in *' '*) path="\${path% *}" ;; '') break ;; *) path="" ;; esac
  done
  COMPREPLY=($(compgen -W "$choices" -- "$word"))
  [ "\${#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$word"))
}
complete -F _coldseal coldseal
`;

const zsh = (levels: readonly Level[]): string => `#compdef coldseal
autoload -U +X bashcompinit && bashcompinit
${bash(levels)}`;

const quoteForFish = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const fish = (levels: readonly Level[]): string =>
  ['# coldseal completion for fish', 'complete -c coldseal -f']
    .concat(
      levels.flatMap((one) => {
        const names = one.path.split(' ').filter((name) => name !== '');
        const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`);
        const unseen =
          one.verbs.length === 0
            ? []
            : [`not __fish_seen_subcommand_from ${one.verbs.map(({ name }) => name).join(' ')}`];
        const here = quoteForFish([...seen, ...unseen].join('; and ') || 'true');
        return [
          ...one.verbs.map(({ name, about }) => `complete -c coldseal -n ${here} -a ${name} -d ${quoteForFish(about)}`),
          ...one.flags.map(
            ({ name, about }) => `complete -c coldseal -n ${here} -l ${name.slice(2)} -d ${quoteForFish(about)}`,
          ),
        ];
      }),
    )
    .join('\n')
    .concat('\n');

const SHELLS = { bash, zsh, fish };

export const completionFor =
  (program: Command): VerbAction =>
  async ({ flags, terminal }, { args }) => {
    if (flags.json)
      throw new ColdsealError('USAGE', 'completion writes a script for a shell; --json does not go with it');
    const shell = args[0] ?? '';
    const make = Object.entries(SHELLS).find(([name]) => name === shell)?.[1];
    if (make === undefined) {
      const near = nearestName(shell, Object.keys(SHELLS));
      throw new ColdsealError(
        'USAGE',
        `there is no completion for ${printable(shell)}${orNearest(near, 'completion knows bash, zsh and fish')}`,
      );
    }
    await terminal.write(make(levelsOf(program, '', [])));
    return 0;
  };
