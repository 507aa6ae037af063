/** Questions on stderr, answers from standard input, one a line: typed by a person, or piped by a script. */
import { createInterface } from 'node:readline';
import { ColdsealError } from '../contract/error.js';

export interface Asking {
  /** The answer without blanks around it. `USAGE` naming the option when the input has ended. */
  line(option: string, question: string): Promise<string>;
  close(): void;
}

export const askLines = (say: (line: string) => void, signal: AbortSignal): Asking => {
  const reader = createInterface({ input: process.stdin, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  const onAbort = (): void => reader.close();
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    line: async (option, question) => {
      say(`${question}:`);
      const { value, done } = await lines.next();
      signal.throwIfAborted();
      if (done !== true && typeof value === 'string') return value.trim();
      throw new ColdsealError('USAGE', `${option} is missing, and standard input ended before it was answered`);
    },
    close: () => {
      signal.removeEventListener('abort', onAbort);
      reader.close();
      process.stdin.unref?.();
    },
  };
};
