/** The real file system with something in its way: a callback before every call, which may throw or end the process. */
import { type OpenFile, REAL_RECORD_FILES, type RecordFiles } from '../../src/record/record-files.js';

/** `open`, `file.write`, ... with the path it is about. */
export type Before = (call: string, path: string) => void;

export function interruptedFiles(before: Before): RecordFiles {
  const real = REAL_RECORD_FILES;
  const told = <T>(call: string, path: string, go: () => Promise<T>): Promise<T> => {
    try {
      before(call, path);
    } catch (error) {
      return Promise.reject(error);
    }
    return go();
  };
  const watched = (file: OpenFile, path: string): OpenFile => ({
    stat: () => told('file.stat', path, () => file.stat()),
    chmod: (mode) => told('file.chmod', path, () => file.chmod(mode)),
    read: (...rest) => told('file.read', path, () => file.read(...rest)),
    write: (...rest) => told('file.write', path, () => file.write(...rest)),
    truncate: (length) => told('file.truncate', path, () => file.truncate(length)),
    sync: () => told('file.sync', path, () => file.sync()),
    close: () => file.close(),
  });
  return {
    open: (path, flags, mode) => told('open', path, async () => watched(await real.open(path, flags, mode), path)),
    lstat: (path) => told('lstat', path, () => real.lstat(path)),
    mkdir: (path, mode) => told('mkdir', path, () => real.mkdir(path, mode)),
    chmod: (path, mode) => told('chmod', path, () => real.chmod(path, mode)),
    readdir: (path) => told('readdir', path, () => real.readdir(path)),
    symlink: (target, path) => told('symlink', path, () => real.symlink(target, path)),
    readlink: (path) => told('readlink', path, () => real.readlink(path)),
    unlink: (path) => told('unlink', path, () => real.unlink(path)),
  };
}

export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: made for a test`), { code });
}
