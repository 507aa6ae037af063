/**
 * What is wrong with a file that was read well before an edit is wrong with what the person typed, so it is said of their
 * word (`SIZE`, `--base-url`) and not of a member and a line of a file that was never written.
 */
import { ColdsealError } from '../contract/error.js';
import { dottedPath } from './json-document.js';

export interface TypedMember {
  readonly path: readonly string[];
  /** The argument or option as the help names it; `null` for a member that only follows from others. */
  readonly word: string | null;
}

/** Throws `USAGE` when there is any problem. One problem a word: a wrong name is wrong in every place it stands in. */
export function refuseTyped(problems: readonly string[], typed: readonly TypedMember[]): void {
  if (problems.length === 0) return;
  const said = new Map<string, string>();
  const following: string[] = [];
  for (const problem of problems) {
    const member = memberOfProblem(problem, typed);
    if (member === null) said.set(problem, problem);
    else if (member.word === null) following.push(problem);
    else if (!said.has(member.word)) said.set(member.word, `${member.word}${problem.slice(member.length)}`);
  }
  const lines = said.size === 0 ? following : [...said.values()];
  throw new ColdsealError('USAGE', `${lines.join('\n')}. Nothing was written.`);
}

/** The longest of the typed members that the problem begins with, and the length of that name in it. */
function memberOfProblem(
  problem: string,
  typed: readonly TypedMember[],
): { readonly word: string | null; readonly length: number } | null {
  const found = typed
    .map(({ path, word }) => ({ word, name: dottedPath(path) }))
    .filter(({ name }) => problem.startsWith(name))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
  if (found === undefined) return null;
  const index = /^\[\d+\]/.exec(problem.slice(found.name.length))?.[0] ?? '';
  return { word: found.word, length: found.name.length + index.length };
}
