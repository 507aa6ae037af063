/**
 * Every fault of the store is one refusal, `RECORD_UNWRITABLE`: no row, no call. The way out depends on what the system
 * said, so it is chosen from the error's code and never from its text.
 */
import { ColdsealError } from '../contract/error.js';
import { errorCode } from './record-files.js';

const WAYS_OUT: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: make room',
  EDQUOT: 'the disk quota is used up: make room',
  EFBIG: 'a file size limit (ulimit -f) is reached: raise it',
  EMFILE: 'this program has too many files open: raise the limit (ulimit -n)',
  ENFILE: 'the machine has too many files open: close some',
  EROFS: 'the file system is read-only: set `coldseal.records_dir` to a folder that can be written',
  EACCES: 'the folder may not be written by you: correct its owner and mode',
  EPERM: 'the system does not allow it: correct the owner and mode, or choose a file system with symbolic links',
  EIO: 'the disk reports an error: check it, then run `coldseal records verify`',
  ELOOP: 'a symbolic link stands where a file belongs: remove it',
};

/** Wraps whatever an append threw; an error that is already ours passes through unchanged. */
export const unwritable = (cause: unknown): ColdsealError => wrap('written', cause);

/** The same for a reader. */
export const unreadable = (cause: unknown): ColdsealError => wrap('read', cause);

function wrap(what: 'written' | 'read', cause: unknown): ColdsealError {
  if (cause instanceof ColdsealError) return cause;
  const code = errorCode(cause);
  const wayOut = (code === null ? undefined : WAYS_OUT[code]) ?? 'see `coldseal records verify`';
  const message = `The record could not be ${what}${code === null ? '' : ` (${code})`}: ${wayOut}.`;
  return new ColdsealError('RECORD_UNWRITABLE', message, { cause, facts: code === null ? {} : { errno: code } });
}

/** A refusal of our own: what stands in the way and what to do. */
export function refuseStore(what: string, wayOut: string): ColdsealError {
  return new ColdsealError('RECORD_UNWRITABLE', `The record cannot be used: ${what}. ${wayOut}`);
}
