/** The words of a benchmark's command: `--name value` and `--name` alone. Unknown ones end it. */

export interface BenchWords {
  number(name: string, otherwise: number): number;
  text(name: string, otherwise: string): string;
  has(name: string): boolean;
  /** Words that belong to no option, in order. */
  readonly rest: readonly string[];
}

/** @param known options of the benchmark; those that take a value end in `=` */
export const readWords = (words: readonly string[], known: readonly string[]): BenchWords => {
  const given = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('--')) {
      rest.push(word);
      continue;
    }
    const takesValue = known.includes(`${word}=`);
    if (!takesValue && !known.includes(word)) throw new Error(`${word} is no option; there are ${known.join(' ')}`);
    given.set(word, takesValue ? (words[at + 1] ?? '') : '');
    if (takesValue) at += 1;
  }
  return {
    number: (name, otherwise) => {
      const number = Number(given.get(name) ?? otherwise);
      if (!Number.isFinite(number)) throw new Error(`${name} takes a number`);
      return number;
    },
    text: (name, otherwise) => given.get(name) ?? otherwise,
    has: (name) => given.has(name),
    rest,
  };
};
