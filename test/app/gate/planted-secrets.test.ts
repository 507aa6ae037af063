import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { settleRequest } from '../../../src/app/gate/settle-request.js';
import { openThreads } from '../../../src/app/open-scanner.js';
import { createSharedArena } from '../../../src/app/scan/shared-arena.js';
import { familiesOf, makeProfile } from '../../../src/app/scan-profile.js';
import { readRequest } from '../../../src/gate/read-request.js';
import type { ScanPool } from '../../../src/pool/scan-pool.js';
import { madeToken } from '../../support/made-secrets.js';
import { projectFolder } from '../../support/run-coldseal.js';

let scanner: ScanPool;
beforeAll(async () => {
  scanner = await openThreads(`${projectFolder}/dist`, 2);
});
afterAll(() => scanner.close());

const arena = createSharedArena(16 * 1024 * 1024);

const settle = async (body: Buffer): Promise<string> => {
  const families = familiesOf('change_review', { identity: null, network: null, harness: null });
  const nobody = { homePaths: [], userNames: [], personNames: [], emails: [] };
  const profile = makeProfile({ rulesDigest: scanner.rulesDigest, families, identity: nobody, ownerRules: [] });
  const bounds = { most: 4, mostBytes: 1 << 24, signal: new AbortController().signal };
  const lease = arena.lease();
  try {
    const work = { scanner, profile, isAllowed: () => false, knownValues: [], bounds, lease };
    return Buffer.from((await settleRequest(work, readRequest(body))).request.document.bytes).toString('utf8');
  } finally {
    lease.release();
  }
};

/** A place for the secret, in one of the ways that clients put texts into strings. */
const PLANT = '\u0001plant\u0001';
const carriers: readonly ((text: string) => unknown)[] = [
  (text) => text,
  (text) => `before\n"${text}"\tafter`,
  (text) => JSON.stringify({ deep: [text] }),
  (text) => JSON.stringify({ outer: JSON.stringify({ [text]: 1 }) }),
  (text) => `data:text/plain;base64,${Buffer.from(`k: ${text}\n`).toString('base64')}`,
  (text) => ({ type: 'text', text }),
  (text) => ({ type: 'tool_use', input: { [text]: text } }),
  (text) => [{ text: text.slice(0, 11) }, { type: 'x', text: text.slice(11) }],
];

const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constant(PLANT),
    fc.string({ unit: 'grapheme', maxLength: 10 }),
    fc.integer(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('role', 'content', 'name', 'arguments', 'x', 'type'), tie('any'), { maxKeys: 4 }),
  ),
})).any;

const planted = (made: unknown, put: () => unknown): unknown => {
  if (made === PLANT) return put();
  if (Array.isArray(made)) return made.map((one) => planted(one, put));
  if (typeof made !== 'object' || made === null) return made;
  return Object.fromEntries(Object.entries(made).map(([name, one]) => [name, planted(one, put)]));
};

/** Everything a reader could make of the body: strings, keys, JSON and base64 in strings, neighbours joined. */
const readable = (made: unknown): string => {
  if (typeof made === 'string') {
    const decoded = Buffer.from(made.replace(/^data:[^,]*,/, ''), 'base64').toString('utf8');
    let inner = '';
    try {
      const parsed: unknown = JSON.parse(made);
      if (typeof parsed === 'object' && parsed !== null) inner = readable(parsed);
    } catch {
      // No JSON.
    }
    return `${made}\n${decoded}\n${inner}`;
  }
  if (typeof made !== 'object' || made === null) return '';
  const entries = Object.entries(made);
  const texts = Array.isArray(made) ? made.map((one: unknown) => (Object(one) as { text?: unknown }).text) : [];
  return `${entries.map(([name, one]) => `${name}\n${readable(one)}`).join('\n')}\n${texts.join('')}`;
};

it('no body lets a planted secret through, and every body stays JSON of the same shape', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.constantFrom('messages', 'system', 'tools', 'user', 'later'), value, { minKeys: 1 }),
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.array(fc.nat({ max: carriers.length - 1 }), { minLength: 1, maxLength: 6 }),
      async (made, seed, ways) => {
        const secret = madeToken(seed);
        let plants = 0;
        // Separate messages and tools are no parts of one text; whatever stands in one of them is.
        const entries = Object.entries(made).map(([name, one]) =>
          name === 'messages' || name === 'tools' ? [name, [one]] : [name, one],
        );
        const body = planted(Object.fromEntries(entries), () => {
          plants += 1;
          return carriers[ways[plants % ways.length] ?? 0]?.(secret);
        });
        const typed = JSON.stringify(body);
        const sent = await settle(Buffer.from(typed));
        const seen = `${sent}\n${readable(JSON.parse(sent))}`;
        for (const part of [secret, secret.slice(0, 11), secret.slice(11)]) expect(seen).not.toContain(part);
        if (plants === 0) expect(sent).toBe(typed);
        else expect(sent).toMatch(/\[blanked|W2JsYW5rZW|tibGFua2Vk|bYmxhbmtlZ/);
      },
    ),
    { numRuns: 150 },
  );
}, 120_000);
