/** Commits as their own bytes: parents, and the name that those bytes must have. */
import { createHash } from 'node:crypto';
import { ColdsealError } from '../contract/error.js';
import type { CommitFacts, ObjectFormat } from '../contract/repository.js';

/** Parents in order; none for a root. */
export const parentsOf = (commit: Uint8Array): readonly string[] => {
  const bytes = Buffer.from(commit.buffer, commit.byteOffset, commit.length);
  const end = bytes.indexOf('\n\n');
  const header = bytes.toString('latin1', 0, end < 0 ? bytes.length : end);
  return header
    .split('\n')
    .filter((line) => line.startsWith('parent '))
    .map((line) => line.slice('parent '.length));
};

/** The name that git gives an object: a hash over its type, size and bytes. */
const objectName = (format: ObjectFormat, type: string, bytes: Uint8Array): string =>
  createHash(format).update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');

/**
 * A root decides which of the owner's lists applies, so a store that tells another commit under its name, or a commit
 * with parents as a root, is refused.
 */
export const checkRoot = (format: ObjectFormat, name: string, commit: Uint8Array): void => {
  if (objectName(format, 'commit', commit) !== name || parentsOf(commit).length > 0) {
    throw new ColdsealError(
      'GIT_UNSAFE',
      `Root commit ${name} is not what its name says. Clone the repository again and run \`git fsck\` on this one.`,
    );
  }
};

const AUTHOR = /^author (.*?) ?<([^<>\n]*)> (\d{1,12}) [+-]\d{4}$/m;

/** Who wrote a commit, and when, as its bytes say. Empty where they say nothing that can be read. */
export const authorOf = (commit: Uint8Array): CommitFacts => {
  const text = Buffer.from(commit.buffer, commit.byteOffset, commit.length).toString('utf8');
  const [, name = '', email = '', seconds] = AUTHOR.exec(text.split('\n\n', 1)[0] ?? '') ?? [];
  const time = new Date(Number(seconds ?? Number.NaN) * 1000);
  return { author: name, email, date: Number.isNaN(time.getTime()) ? '' : time.toISOString().replace('.000Z', 'Z') };
};
