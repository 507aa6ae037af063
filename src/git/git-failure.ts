/** Turn the end of a git child into one of our codes. Only git's first line is told, made printable, never its output. */
import { ColdsealError } from '../contract/error.js';
import { printablePath } from '../contract/printable-path.js';
import { GIT_ALLOC_MIB } from './environment.js';
import type { GitEnd } from './git-child.js';

/** What git says (LC_ALL=C) when the object store lacks something or holds it damaged. */
const OBJECT_FAULT =
  /unable to read|could not read|bad (tree |tag |commit )?object|missing (blob|tree|commit|object)|not a valid object|is corrupt|object file .* is empty|inflate|unable to unpack|cannot read|unable to (find|parse)|failed to (read|parse)|not our ref|bad object|revision walk setup failed|garbage at end of loose object|hash mismatch/i;

const SHOWN_CHARACTERS = 200;

/** What went wrong, before hints and warnings that git prints on its way there. */
const firstLine = (stderr: string): string => {
  const lines = stderr.split('\n').filter((text) => text.trim() !== '');
  const line = lines.find((text) => /^(?:fatal|error): /.test(text)) ?? lines[0] ?? '';
  return printablePath(Buffer.from(line, 'latin1')).slice(0, SHOWN_CHARACTERS);
};

/** The object ids that git named, for the message: they say what to repair. */
export const unreadable = (what: string, cause?: unknown): ColdsealError =>
  new ColdsealError(
    'ITEM_UNREADABLE',
    `${what} is missing from the repository or cannot be read. Nothing is fetched here: repair it (\`git fsck\`) or fetch what is missing yourself.`,
    cause === undefined ? {} : { cause },
  );

const OVER_MEMORY = /attempting to allocate (\d+) over limit/;

/** A small object can stand for a large one: git had to unfold more than it may hold. */
const overMemory = (verb: string, bytes: number): ColdsealError =>
  new ColdsealError(
    'ITEM_TOO_LARGE',
    `git ${verb} would need ${bytes} bytes in one piece; at most ${GIT_ALLOC_MIB} MiB are given to it. An object of this repository unfolds to far more than it seems: look at it with \`git verify-pack -v\`, or withhold or leave out what needs it.`,
    { facts: { bytes, limit_bytes: GIT_ALLOC_MIB * 1024 * 1024 } },
  );

/** An error for a child that ended otherwise than it should. */
export const gitFailure = (verb: string, end: GitEnd, stderr: string): ColdsealError => {
  const wanted = OVER_MEMORY.exec(stderr)?.[1];
  if (wanted !== undefined) return overMemory(verb, Number(wanted));
  const said = firstLine(stderr);
  if (end.signal === null && OBJECT_FAULT.test(stderr)) return unreadable(`An object (git ${verb}: ${said})`);
  const how = end.signal === null ? `ended with status ${end.status}` : `was ended by ${end.signal}`;
  return new ColdsealError('GIT_FAILED', `git ${verb} ${how}${said === '' ? '' : `: ${said}`}.`);
};
