/**
 * Files of text below some folders, in a fixed order: bytewise by path. What a benchmark reads is settled by the lock file
 * and by nothing else, so that two runs on two machines see the same bytes.
 */
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const TEXT_NAME = /\.(?:[cm]?[jt]sx?|json|md|css|html|ya?ml|c|cc|h|hpp|py|sh|go|rs|txt|xml|toml)$/;
/** Caches are no sources: what stands in them differs from machine to machine. */
const LEFT_OUT = new Set(['.git', '.cache', '.vite', '.vite-temp']);

export interface TextFile {
  readonly path: string;
  readonly bytes: number;
}

const listed = (folder: string): Dirent[] => {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
};

/** Regular files alone; links are not followed. */
export function* filesBelow(folder: string): Generator<string> {
  for (const entry of listed(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!LEFT_OUT.has(entry.name)) yield* filesBelow(path);
    } else if (entry.isFile()) yield path;
  }
}

export interface FileBounds {
  readonly leastBytes: number;
  readonly mostBytes: number;
}

/** Those with a text's name and a size within the bounds. */
export function* textFilesBelow(folders: readonly string[], bounds: FileBounds): Generator<TextFile> {
  for (const folder of folders) {
    for (const path of filesBelow(folder)) {
      if (!TEXT_NAME.test(path)) continue;
      const bytes = statSync(path).size;
      if (bytes >= bounds.leastBytes && bytes <= bounds.mostBytes) yield { path, bytes };
    }
  }
}
