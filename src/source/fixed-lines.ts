/** The one line that keeps the place of a file which is not shown: its name and why, no hash, nothing of its content. */
import { printablePath } from '../contract/printable-path.js';

export const withheldLine = (path: Uint8Array): Buffer => Buffer.from(`withheld: ${printablePath(path)}\n`);

export const binaryLine = (name: string, bytes: number): Buffer =>
  Buffer.from(`binary: ${name}, ${bytes} bytes, not shown because more than 1 % of them is no text\n`);
