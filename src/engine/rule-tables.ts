/**
 * The compiled-in rules as one file, written when the package is built and read by every thread. A head with version and
 * SHA-256 stands before the payload: a torn, edited or foreign file is refused whole, never used in part.
 *
 * Layout: 8 bytes `CSTABLES`; u32 version, u32 length of the JSON, both little-endian; 32 bytes SHA-256 of what follows;
 * the JSON in UTF-8 and blanks to a multiple of 16; the bytes of the plans.
 */
import { createHash } from 'node:crypto';
import { ColdsealError } from '../contract/error.js';
import { decodePlans, encodePlans, type StoredPlans } from './plan-codec.js';
import type { PlannedRule } from './planned-rule.js';

const MAGIC = Buffer.from('CSTABLES', 'latin1');
const VERSION = 6;
const DIGEST_AT = 16;
const PAYLOAD_AT = 48;

/** A text in which a shipped rule must find a value; for the thread's self-test. */
export interface Probe {
  readonly ruleId: string;
  readonly text: string;
}

export interface RuleTables {
  readonly rules: readonly PlannedRule[];
  /** The made-up rule that only the self-test knows; planned here, because planning is dear in a thread that starts. */
  readonly selfTestRule: PlannedRule;
  /** Digest of the rule set, `sha256:` + hex. */
  readonly digest: string;
  readonly probes: readonly Probe[];
}

interface StoredTables {
  readonly digest: string;
  readonly probes: readonly Probe[];
  /** The self-test's rule first. */
  readonly plans: StoredPlans;
}

const digestOf = (payload: Uint8Array): Buffer => createHash('sha256').update(payload).digest();

export const encodeTables = ({ rules, selfTestRule, digest, probes }: RuleTables): Uint8Array => {
  const { plans, bytes } = encodePlans([selfTestRule, ...rules]);
  const text = Buffer.from(JSON.stringify({ digest, probes, plans } satisfies StoredTables), 'utf8');
  const json = Buffer.alloc(Math.ceil(text.length / 16) * 16, ' ');
  json.set(text);
  const payload = Buffer.concat([json, bytes]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32LE(VERSION, 0);
  numbers.writeUInt32LE(json.length, 4);
  return Buffer.concat([MAGIC, numbers, digestOf(payload), payload]);
};

const degraded = (name: string, fault: string): ColdsealError =>
  new ColdsealError('SCANNER_DEGRADED', `the rule tables ${name} ${fault}; install or build the package again`);

/**
 * @param bytes kept: the rules hold views of it
 * @param name what the message calls the file
 * @throws ColdsealError SCANNER_DEGRADED when the bytes are not whole tables of this version
 */
export const decodeTables = (bytes: Uint8Array, name: string): RuleTables => {
  // The plans' 16-bit tables need an even address, which a copy of its own has.
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 2 === 0 ? bytes : new Uint8Array(bytes);
  const file = Buffer.from(buffer, byteOffset, byteLength);
  if (file.length < PAYLOAD_AT || !file.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw degraded(name, 'are not rule tables');
  }
  const version = file.readUInt32LE(8);
  if (version !== VERSION) throw degraded(name, `have version ${version}, not ${VERSION}`);
  const payload = file.subarray(PAYLOAD_AT);
  if (!digestOf(payload).equals(file.subarray(DIGEST_AT, PAYLOAD_AT))) {
    throw degraded(name, 'do not match their own digest');
  }
  const jsonEnd = file.readUInt32LE(12);
  // The digest vouches for the shape: only `encodeTables` of the same version writes it.
  const stored = JSON.parse(payload.toString('utf8', 0, jsonEnd)) as StoredTables;
  const [selfTestRule, ...rules] = decodePlans(stored.plans, payload.subarray(jsonEnd));
  if (selfTestRule === undefined) throw degraded(name, 'have no rule for the self-test');
  return {
    rules,
    selfTestRule,
    digest: stored.digest,
    probes: stored.probes,
  };
};
