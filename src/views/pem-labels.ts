/**
 * The frame lines of private key blocks. A label is what stands between `BEGIN` and the dashes; only those that name
 * private material count, certificates and public keys stay. RFC 7468 writes five dashes, RFC 4716 four and a blank; a
 * form that was sent as a URL query has `+` for blanks, an environment variable may have `_`.
 */

export type PemKind =
  | 'pem:private_key'
  | 'pem:rsa_private_key'
  | 'pem:dsa_private_key'
  | 'pem:ec_private_key'
  | 'pem:openssh_private_key'
  | 'pem:encrypted_private_key'
  | 'pem:pgp_private_key'
  | 'pem:ssh2_private_key'
  | 'pem:openvpn_static_key';

/** A frame line in a text: `[start, end)` runs from the first dash to the last. */
export interface PemMark {
  readonly start: number;
  readonly end: number;
  readonly edge: 'begin' | 'end';
  /** As written, blanks for its separators, e.g. `RSA PRIVATE KEY`. */
  readonly label: string;
}

const KIND_WORDS: readonly (readonly [RegExp, PemKind])[] = [
  [/^OPENVPN/i, 'pem:openvpn_static_key'],
  [/^PGP/, 'pem:pgp_private_key'],
  [/^OPENSSH/, 'pem:openssh_private_key'],
  [/^SSH2/, 'pem:ssh2_private_key'],
  [/ENCRYPTED/, 'pem:encrypted_private_key'],
  [/^RSA/, 'pem:rsa_private_key'],
  [/^DSA/, 'pem:dsa_private_key'],
  [/^EC /, 'pem:ec_private_key'],
];

/** Every kind that a key block's mark may have. */
export const PEM_KINDS: readonly PemKind[] = ['pem:private_key', ...KIND_WORDS.map(([, kind]) => kind)];

/** Labels of other makers (`TSS2 PRIVATE KEY`, `NEBULA ED25519 PRIVATE KEY`) are plain private keys. */
export const pemKind = (label: string): PemKind =>
  KIND_WORDS.find(([pattern]) => pattern.test(label))?.[1] ?? 'pem:private_key';

/** The rule id that a block's finding carries, e.g. `pem-rsa-private-key`. */
export const pemRuleId = (kind: PemKind): string => kind.replaceAll(/[:_]/g, '-');

/** What every private label holds; each is one native search over the text. */
const ANCHORS: readonly string[] = ['PRIVATE', 'OpenVPN'];
/** Both anchors have seven letters and a separator. */
const ANCHOR_BYTES = 8;
const FOLLOWS = new Set([...'KS'].map((char) => char.charCodeAt(0)));
const BEFORE_BYTES = 72;
const AFTER_BYTES = 32;
const BEFORE = /-{4,5}[ +_]?(BEGIN|END)[ +_]((?:[A-Z0-9.]{1,20}(?:-[A-Z0-9]{1,9}){0,3}[ +_]){0,5})$/;
const AFTER = /^(PRIVATE[ +_]KEY(?:[ +_]BLOCK)?|OpenVPN[ +_]Static[ +_]key[ +_]V1)[ +_]?-{4,5}/;

const latin1 = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');

const markAt = (text: Uint8Array, anchor: number): PemMark | null => {
  // `KEY` or `Static` follows; the word alone is common in C.
  if (!FOLLOWS.has(text[anchor + ANCHOR_BYTES] ?? 0)) return null;
  const after = AFTER.exec(latin1(text, anchor, Math.min(text.length, anchor + AFTER_BYTES)));
  if (after === null) return null;
  const from = Math.max(0, anchor - BEFORE_BYTES);
  const before = BEFORE.exec(latin1(text, from, anchor));
  if (before === null) return null;
  return {
    start: from + before.index,
    end: anchor + after[0].length,
    edge: before[1] === 'BEGIN' ? 'begin' : 'end',
    label: `${before[2] ?? ''}${after[1] ?? ''}`.replaceAll(/[+_]/g, ' '),
  };
};

/** Every frame line of private material, in ascending order. */
export const findPemMarks = (text: Uint8Array): PemMark[] => {
  const buffer = Buffer.from(text.buffer, text.byteOffset, text.length);
  const marks: PemMark[] = [];
  for (const anchor of ANCHORS) {
    for (let at = buffer.indexOf(anchor); at !== -1; at = buffer.indexOf(anchor, at + anchor.length)) {
      const mark = markAt(text, at);
      if (mark !== null) marks.push(mark);
    }
  }
  return marks.sort((a, b) => a.start - b.start);
};
