/** Texts and spans for tests of the bundle's pure parts. */
import fc from 'fast-check';
import type { BundleText, KnownSpan } from '../../src/bundle/bundle-text.js';

export const spanOf = (start: number, end: number, more: Partial<KnownSpan> = {}): KnownSpan => ({
  start,
  end,
  kind: 'token:test',
  family: 'secret',
  severity: 'block',
  ruleId: 'rule',
  line: 1,
  valueId: 0,
  ...more,
});

export const textOf = (text: string | Uint8Array, more: Partial<BundleText> = {}): BundleText => ({
  item: 'itm-0001',
  part: 'text',
  bytes: Buffer.from(text),
  keepsSigns: false,
  exempt: [],
  spans: [],
  ...more,
});

const KINDS = ['token:a', 'pem:key', 'token:generic_secret', 'identity:home_path', 'net:ipv4'] as const;

/** Bytes rich in what blanking cares about: line ends of both kinds, signs, brackets, long characters, odd bytes. */
export const anyBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\n',
        '\r\n',
        '\r',
        '\n+',
        '\n-',
        '\n ',
        '[blanked token:a #1]',
        '=== ',
        'é',
        '\u{1f600}',
        '"',
        '\\',
      ),
      fc.string({ maxLength: 12 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => Buffer.from(parts.join('')));

/** Spans in any order, overlapping or not, inside the bytes. */
const anySpansIn = (bytes: Uint8Array): fc.Arbitrary<readonly KnownSpan[]> =>
  bytes.length === 0
    ? fc.constant([])
    : fc.array(
        fc
          .tuple(
            fc.nat({ max: bytes.length - 1 }),
            fc.integer({ min: 1, max: 30 }),
            fc.constantFrom(...KINDS),
            fc.nat({ max: 5 }),
            fc.constantFrom('block' as const, 'warn' as const),
          )
          .map(([start, length, kind, valueId, severity]) =>
            spanOf(start, Math.min(bytes.length, start + length), {
              kind,
              valueId,
              severity,
              family: kind.startsWith('identity') ? 'identity' : kind.startsWith('net') ? 'network' : 'secret',
              ruleId: `rule-${kind}`,
            }),
          ),
        { maxLength: 8 },
      );

export const anyTextWithSpans = (): fc.Arbitrary<{ bytes: Uint8Array; spans: readonly KnownSpan[] }> =>
  anyBytes.chain((bytes) => anySpansIn(bytes).map((spans) => ({ bytes, spans })));
