/**
 * The compiled-in rules as one file, written when the package is built and read by every thread. A head with version and
 * SHA-256 stands before the payload: a torn, edited or foreign file is refused whole, never used in part.
 *
 * Layout: 8 bytes `CSTABLES`, version as u32 little-endian, 32 bytes SHA-256 of the payload, payload (JSON in UTF-8).
 */
import { createHash } from 'node:crypto';
import { ColdsealError } from '../contract/error.js';
import type { RuleSet } from '../contract/rule.js';

const MAGIC = Buffer.from('CSTABLES', 'latin1');
const VERSION = 1;
const HEAD_BYTES = MAGIC.length + 4 + 32;

export interface RuleTables {
  readonly ruleSet: RuleSet;
}

const digestOf = (payload: Uint8Array): Buffer => createHash('sha256').update(payload).digest();

export const encodeTables = (tables: RuleTables): Uint8Array => {
  const payload = Buffer.from(JSON.stringify(tables), 'utf8');
  const version = Buffer.alloc(4);
  version.writeUInt32LE(VERSION);
  return Buffer.concat([MAGIC, version, digestOf(payload), payload]);
};

const degraded = (name: string, fault: string): ColdsealError =>
  new ColdsealError('SCANNER_DEGRADED', `the rule tables ${name} ${fault}; install or build the package again`);

/**
 * @param name what the message calls the file
 * @throws ColdsealError SCANNER_DEGRADED when the bytes are not whole tables of this version
 */
export const decodeTables = (bytes: Uint8Array, name: string): RuleTables => {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < HEAD_BYTES || !file.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw degraded(name, 'are not rule tables');
  }
  const version = file.readUInt32LE(MAGIC.length);
  if (version !== VERSION) throw degraded(name, `have version ${version}, not ${VERSION}`);
  const payload = file.subarray(HEAD_BYTES);
  if (!digestOf(payload).equals(file.subarray(MAGIC.length + 4, HEAD_BYTES))) {
    throw degraded(name, 'do not match their own digest');
  }
  // The digest vouches for the shape: only `encodeTables` of the same version writes it.
  return JSON.parse(payload.toString('utf8')) as RuleTables;
};
