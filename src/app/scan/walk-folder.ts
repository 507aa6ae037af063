/**
 * Every file below a folder that no git keeps, in bytewise order of the whole path. Links are not followed, and what git
 * itself keeps in a `.git` folder is not walked but named.
 */
import { readdirSync } from 'node:fs';
import { type FoundFile, joinPath } from './found-file.js';
import type { SourceEntry } from './scan-source.js';

type Unscanned = Extract<SourceEntry, { kind: 'unscanned' }>;

const GIT_FOLDER = Buffer.from('.git');

interface Named {
  readonly name: Buffer;
  /** A folder's name sorts as it stands in a path, with its slash. */
  readonly key: Buffer;
  readonly isFolder: boolean;
}

const listFolder = (folder: Buffer): readonly Named[] =>
  readdirSync(folder, { encoding: 'buffer', withFileTypes: true })
    .map((entry) => {
      const name = Buffer.from(entry.name);
      const isFolder = entry.isDirectory();
      return { name, key: isFolder ? Buffer.concat([name, Buffer.from('/')]) : name, isFolder };
    })
    .sort((a, b) => Buffer.compare(a.key, b.key));

/** `path` is the folder as it is shown, empty for the folder of the run. */
export function* walkFolder(folder: Buffer, path: Uint8Array): Generator<FoundFile | Unscanned> {
  let names: readonly Named[];
  try {
    names = listFolder(folder);
  } catch {
    yield { kind: 'unscanned', path, reason: 'unreadable', detail: 'the folder cannot be listed' };
    return;
  }
  for (const { name, isFolder } of names) {
    const shown = joinPath(path, name);
    const file = joinPath(folder, name);
    if (!isFolder) yield { path: shown, file };
    else if (name.equals(GIT_FOLDER)) {
      yield { kind: 'unscanned', path: shown, reason: 'repository', detail: 'what git keeps; scan it with --range' };
    } else yield* walkFolder(file, shown);
  }
}
