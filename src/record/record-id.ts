/**
 * Record ids: `rec-` and 26 characters of lower-case base32, 130 random bits. Nobody counts them and two processes never
 * have to agree on one, so a run can be named before anything of it is written.
 */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const CHARACTERS = 26;

const RECORD_ID_PATTERN = /^rec-[a-z2-7]{26}$/;

/** @param random returns that many random bytes, e.g. `crypto.randomBytes`. */
export function newRecordId(random: (bytes: number) => Uint8Array): string {
  let id = 'rec-';
  for (const byte of random(CHARACTERS)) id += ALPHABET.charAt(byte & 31);
  return id;
}

export const isRecordId = (text: string): boolean => RECORD_ID_PATTERN.test(text);
