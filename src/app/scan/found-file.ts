/** A file's place: its name as it is shown and where it stands. Names are bytes; not every name is UTF-8. */

export interface FoundFile {
  readonly path: Uint8Array;
  readonly file: Buffer;
}

const SLASH = Buffer.from('/');

export const joinPath = (folder: Uint8Array, name: Uint8Array): Buffer =>
  folder.length === 0 ? Buffer.from(name) : Buffer.concat([folder, SLASH, name]);
