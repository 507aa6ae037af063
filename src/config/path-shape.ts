/** Paths of the machine file, kept as they are written; they are made absolute against the machine folder later. */
import { judged, text } from './shape.js';

export const path = judged(text({ due: 'a path' }), (written) => {
  if (written.includes('\0')) return 'holds a NUL';
  return written.startsWith('~') ? 'starts with "~", which is not expanded; write the path in full' : null;
});

/** A path that cannot leave the machine folder. */
export const pathInFolder = judged(path, (written) => {
  if (written.startsWith('/')) return 'must be relative to the machine folder';
  return written.split('/').includes('..') ? 'holds "..", which would leave the machine folder' : null;
});
