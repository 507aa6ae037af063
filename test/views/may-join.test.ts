/** The cheap question before a join is read never says no where there is a join, and mostly says no where there is none. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pointEdits } from '../../src/views/edits.js';
import { mayJoin } from '../../src/views/may-join.js';
import { readJoin } from '../../src/views/string-join.js';

const joinsAt = (text: Buffer, at: number): boolean => {
  const edits = pointEdits('joined', 'edit', 0);
  readJoin(text, at, edits);
  return edits.starts.length > 0;
};

const PARTS = [
  ...['"', "'", '`', ' ', '\t', '\n', '\r\n', '\r', '+', '-', '.', '..', '&', '~', '|', '||', '<', '<<', '^', '\\'],
  ...['b', 'ab', '7', ',', ' '.repeat(47), ' '.repeat(48), ' '.repeat(49), '\n+', '\n-', '\n ', '"\n+  "', '" + "'],
];

describe('a join', () => {
  it('is never ruled out where one is read', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PARTS), { maxLength: 12 }),
        fc.constantFrom('', '+', '- ', ' x'),
        (parts, line) => {
          const text = Buffer.from(`${line}"${parts.join('')}`);
          for (let at = 0; at < text.length; at += 1) {
            const isQuote = '"\'`'.includes(String.fromCharCode(text[at] ?? 0));
            if (isQuote && !mayJoin(text, at)) expect(joinsAt(text, at)).toBe(false);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  it.each(['" + "', '" \\\n "', "' . '", '"\n    "', '"\n+    + b"', '" <<\n"', '""d'])('may stand in %j', (text) => {
    expect(mayJoin(Buffer.from(text), 0)).toBe(true);
  });

  it.each(['", "', '" is', '"\nnext', '".length', '" | "', '" + name', '"" ', '"\'"'])('stands never in %j', (text) => {
    expect(mayJoin(Buffer.from(text), 0)).toBe(false);
  });
});
