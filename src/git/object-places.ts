/**
 * Where git reads a repository's objects from: its own store, every store it borrows from, and whatever a link inside
 * one of them leads to. For whoever must know that all of it lies in one place: an `alternates` file or a link among
 * loose objects brings in another repository's, whose names alone an author of commits has to know.
 */
import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { objectStores } from './check-ownership.js';

/** Folders of a store whose entries git opens: loose objects by their first byte, packs, and lists of both. */
const FOLDER = /^(?:[0-9a-f]{2}|pack|info)$/;

/** Real paths. What is not there holds no object and is left out. `GIT_UNSAFE` as for an ownership that cannot be judged. */
export const objectPlaces = async (first: string): Promise<readonly string[]> => {
  const places: string[] = [];
  const add = async (path: string): Promise<void> => {
    const real = await realpath(path).catch(() => null);
    if (real !== null) places.push(real);
  };
  for await (const { objects } of objectStores(first)) {
    await add(objects);
    const folders = await linksIn(objects, add);
    for (const name of folders) await linksIn(join(objects, name), add);
  }
  return places;
};

/** Tells where the folder's links lead; its own folders of objects, and those that a link stands for. */
const linksIn = async (folder: string, add: (path: string) => Promise<void>): Promise<readonly string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isSymbolicLink()) await add(join(folder, entry.name));
  return entries.filter((entry) => !entry.isFile() && FOLDER.test(entry.name)).map(({ name }) => name);
};
