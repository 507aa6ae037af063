/** Standard input as a stream that ends with the run's signal. */
import { createReadStream, fstatSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';

const STDIN = 0;
/** A pipe gives what it holds; a file is read in pieces that keep every thread busy. */
const FILE_CHUNK_BYTES = 1024 * 1024;

const isFile = (): boolean => {
  try {
    return fstatSync(STDIN).isFile();
  } catch {
    return false;
  }
};

/** The signal's reason where it was given already. A fault of the stream is told to whoever reads it, or to nobody. */
export const openInput = (signal: AbortSignal): Readable => {
  signal.throwIfAborted();
  const input = isFile()
    ? createReadStream('', { fd: STDIN, autoClose: false, highWaterMark: FILE_CHUNK_BYTES })
    : process.stdin;
  // Between here and the first read an abort would be an error without a listener, which ends the program.
  input.on('error', () => undefined);
  return addAbortSignal(signal, input);
};
