import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapedLength, escapeInto, unescapeInto } from '../../src/contract/json-escape.js';

it('escapes any bytes as JSON does, and reads them back', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 60 });
  fc.assert(
    fc.property(fc.oneof(anyText, fc.constantFrom('\u0000\u001f\b\t\n\f\r"\\/', 'é\u{1f600}')), (text) => {
      const bytes = Buffer.from(text);
      const escaped = new Uint8Array(escapedLength(bytes));
      expect(escapeInto(escaped, 0, bytes)).toBe(escaped.length);
      expect(JSON.parse(`"${Buffer.from(escaped).toString('utf8')}"`)).toBe(text);
      const back = new Uint8Array(bytes.length);
      unescapeInto(back, escaped);
      expect(Buffer.from(back).equals(bytes)).toBe(true);
    }),
  );
});
