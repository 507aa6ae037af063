/** A size in a settings file: whole bytes or a text with a unit, between two limits. */

import { dottedPath } from './json-document.js';
import { parseSize, SIZE_DUE, SIZE_PATTERN } from './parse-size.js';
import type { Shape } from './shape.js';

export function size(leastBytes: number, mostBytes: number): Shape<number> {
  return {
    schema: {
      oneOf: [
        { type: 'integer', minimum: leastBytes, maximum: mostBytes },
        { type: 'string', pattern: SIZE_PATTERN },
      ],
    },
    read: (node, path, note) => {
      const bytes = node.kind === 'number' ? node.value : node.kind === 'string' ? parseSize(node.value) : null;
      if (bytes === null || !Number.isSafeInteger(bytes)) {
        note(node, `${dottedPath(path)} must be ${SIZE_DUE}`);
        return undefined;
      }
      if (bytes >= leastBytes && bytes <= mostBytes) return bytes;
      note(node, `${dottedPath(path)} is ${bytes} bytes; it must be from ${leastBytes} to ${mostBytes} bytes`);
      return undefined;
    },
  };
}
