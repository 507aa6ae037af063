/** What was asked to be scanned, opened as batches of texts. */
import { ColdsealError } from '../../contract/error.js';
import { findBrought, type ObjectsAsked } from './find-brought.js';
import { findFiles } from './find-files.js';
import { readBrought } from './read-brought.js';
import { readFiles } from './read-files.js';
import { readInput } from './read-input.js';
import type { ScanSession } from './scan-session.js';
import type { SourceBatch } from './scan-source.js';

export type ScanAsked =
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  | { readonly kind: 'objects'; readonly objects: ObjectsAsked; readonly paths: readonly string[] }
  | { readonly kind: 'input'; readonly openInput: () => AsyncIterable<Uint8Array>; readonly name: string };

async function* oneText(input: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<SourceBatch> {
  const bytes = await readInput(input);
  yield {
    bytes: bytes.length,
    load: () => Promise.resolve([{ kind: 'text', path: Buffer.from(name), bytes, brought: null }]),
  };
}

/** `includesBinary`: what is no text is read as well. `NOT_A_REPOSITORY`, `USAGE`, `NO_RANGE`, `INPUT_MISSING`; what fails later is told when it is read. */
export const openSource = async (
  { repository, bounds }: ScanSession,
  folder: string,
  asked: ScanAsked,
  includesBinary: boolean,
): Promise<AsyncIterable<SourceBatch> | Iterable<SourceBatch>> => {
  switch (asked.kind) {
    case 'input':
      return oneText(asked.openInput(), asked.name);
    case 'objects': {
      if (repository === null) {
        throw new ColdsealError(
          'NOT_A_REPOSITORY',
          'there is no git repository here to read from; name one with `-C DIR`',
        );
      }
      const found = await findBrought(repository, folder, asked.objects, asked.paths);
      return readBrought(repository, found, { signal: bounds.signal, includesBinary });
    }
    case 'files': {
      if (repository?.workTree === null && asked.paths.length === 0) {
        throw new ColdsealError(
          'USAGE',
          'a bare repository has no work tree to scan; scan its commits with `--range A..B` or `--commit REV`',
        );
      }
      return readFiles(await findFiles({ repository, folder, paths: asked.paths }), bounds.signal, includesBinary);
    }
    default:
      return asked satisfies never;
  }
};
