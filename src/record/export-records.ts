/**
 * Every row as it was written, byte for byte, one a line: hashes can be checked again elsewhere. Lines that are no JSON
 * (what a crash left) are left out and told to `onDamaged`; a row whose hash does not fit goes out as it stands and is
 * told too.
 */
import { judgedLines, type ReadOptions } from './read-rows.js';

/** Each chunk is one line with its newline, owned by the caller. */
export async function* exportRecords(options: ReadOptions): AsyncGenerator<Uint8Array> {
  for await (const { line, decoded } of judgedLines(options)) {
    if (!decoded.ok) options.onDamaged?.(line.file, line.line);
    if (!decoded.ok && decoded.reason === 'not a row') continue;
    yield Buffer.concat([line.bytes, Buffer.from('\n')]);
  }
}
