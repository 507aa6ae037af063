import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUNDLE_WARNING, type SealedBundle } from '../../src/contract/bundle.js';
import { ColdsealError } from '../../src/contract/error.js';
import type { LoadedItem } from '../../src/contract/item.js';
import type { Rule } from '../../src/contract/rule.js';
import { assembleBundle } from '../../src/pipeline/assemble-bundle.js';
import type { AssemblyRequest } from '../../src/pipeline/assembly-request.js';
import { assemblyOf, type MadeItem, planOf, sourceOf } from '../support/made-assembly.js';
import { type PlainScannerSettings, plainScanner } from '../support/plain-scanner.js';
import { ASSIGN_RULE, FORGE_RULE, forgeToken, randomText, ruleOf } from '../support/scan-fixtures.js';

const ADDRESS_RULE = ruleOf('\\b10\\.\\d+\\.\\d+\\.\\d+\\b', { id: 'address', kind: 'net:ipv4', family: 'network' });
const KEY_RULE = ruleOf('BEGIN KEY(?:[^#]*)END KEY', { id: 'key-file', kind: 'pem:key' });
const RULES = [FORGE_RULE, ASSIGN_RULE, ADDRESS_RULE, KEY_RULE];

const assemble = (
  items: readonly MadeItem[],
  more: Partial<AssemblyRequest> = {},
  rules: readonly Rule[] = RULES,
  settings: PlainScannerSettings = {},
) => assembleBundle(assemblyOf(items, plainScanner(rules, settings), more));

const sealed = async (...given: Parameters<typeof assemble>): Promise<SealedBundle> => {
  const assembled = await assemble(...given);
  if (assembled.kind !== 'sealed') throw assembled.refusal;
  return assembled.bundle;
};
const refusal = async (assembling: Promise<unknown>): Promise<ColdsealError> => {
  const error: unknown = await assembling.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof ColdsealError) return error;
  throw new Error('nothing was refused', { cause: error });
};
const messageOf = (bundle: SealedBundle): string => Buffer.from(bundle.message).toString('utf8');
const systemOf = (bundle: SealedBundle): string => Buffer.from(bundle.system).toString('utf8');

describe('assembleBundle blanks', () => {
  const token = forgeToken(1);
  const other = forgeToken(2);

  it('a secret in a file and in the diff under one number, and says where each stood', async () => {
    const bundle = await sealed([
      { input: 'diff', label: 'a..b', text: ` x\n+const t = ${token};\n-const u = ${other};\n` },
      { path: 'src/a.ts', text: `line\n\nconst t = ${token};\n` },
    ]);
    expect(messageOf(bundle)).toContain(
      ' x\n+const t = [blanked token:forge #1];\n-const u = [blanked token:forge #2];\n',
    );
    expect(messageOf(bundle)).toContain('line\n\nconst t = [blanked token:forge #1];\n');
    expect(messageOf(bundle)).not.toContain(token);
    expect(bundle.blanked).toEqual([
      { item: 'itm-0001', line: 2, kind: 'token:forge', rule: 'forge-token' },
      { item: 'itm-0001', line: 3, kind: 'token:forge', rule: 'forge-token' },
      { item: 'itm-0002', line: 3, kind: 'token:forge', rule: 'forge-token' },
    ]);
  });

  it('a secret in a name, before its text, and says so', async () => {
    const bundle = await sealed([{ path: `keys/${other}.txt`, text: `${token} ${other}` }]);
    expect(messageOf(bundle)).toContain(
      '"keys/[blanked token:forge #1].txt" ===\n[blanked token:forge #2] [blanked token:forge #1]\n',
    );
    expect(bundle.items[0]).toMatchObject({ path: 'keys/[blanked token:forge #1].txt', nameBlanked: true });
    expect(bundle.blanked[0]).toEqual({ item: 'itm-0001', line: 0, kind: 'token:forge', rule: 'forge-token' });
  });

  it('the system message, numbered after the items, and warns the reader in it', async () => {
    const system = Buffer.from(`Judge.\nThe key is ${token} and ${other}.\n`);
    const bundle = await sealed([{ path: 'a', text: other }], { system });
    expect(systemOf(bundle)).toBe(
      `Judge.\nThe key is [blanked token:forge #2] and [blanked token:forge #1].\n\n${BUNDLE_WARNING}\n`,
    );
    expect(bundle.blanked.slice(1).map(({ item, line }) => `${item}:${line}`)).toEqual(['system:2', 'system:2']);
  });

  it('the warning into a system message once', async () => {
    const system = Buffer.from(`Judge. ${BUNDLE_WARNING} Go.`);
    expect(systemOf(await sealed([], { system }))).toBe(`Judge. ${BUNDLE_WARNING} Go.`);
    expect(systemOf(await sealed([], { system: Buffer.alloc(0) }))).toBe(`${BUNDLE_WARNING}\n`);
  });

  it('echoes of a value wherever they stand, with the kind and number that told it', async () => {
    const value = randomText(3, 20);
    const encoded = Buffer.from(value).toString('base64');
    const bundle = await sealed([
      { path: 'first', text: `plain ${value} and ${encoded}` },
      { path: `dir/${value}`, text: `secret = "${value}"` },
    ]);
    expect(messageOf(bundle)).toContain('plain [blanked token:assigned #1] and [blanked token:assigned #1]\n');
    expect(messageOf(bundle)).toContain(
      '"dir/[blanked token:assigned #1]" ===\nsecret = "[blanked token:assigned #1]"\n',
    );
    expect(bundle.blanked.every(({ rule }) => rule === 'assigned-secret')).toBe(true);
  });

  it('no echo of a value that may not be looked for', async () => {
    const value = randomText(3, 20);
    const items = [{ path: 'a', text: `${value} secret = "${value}"` }];
    const bundle = await sealed(items, {}, RULES, { silent: ['assigned-secret'] });
    expect(messageOf(bundle)).toContain(`${value} secret = "[blanked token:assigned #1]"`);
  });

  it('credential values of 8 bytes and more in every item, name and message', async () => {
    const value = 'not-shaped-like-anything';
    const knownValues = [
      { name: 'provider-key', bytes: Buffer.from(value) },
      { name: 'short', bytes: Buffer.from('line') },
    ];
    const bundle = await sealed([{ path: `x-${value}`, text: `a line\n${value}` }], {
      knownValues,
      system: Buffer.from(value),
    });
    expect(messageOf(bundle)).toContain(
      '"x-[blanked token:credential #1]" ===\na line\n[blanked token:credential #1]\n',
    );
    expect(systemOf(bundle)).toContain('[blanked token:credential #1]');
    expect(bundle.blanked.map(({ rule }) => rule)).toEqual(Array(3).fill('credential:provider-key'));
  });

  it('nothing in lines this program composed, and the same value elsewhere', async () => {
    const text = `receipt ${token}\nbody ${token}\n`;
    const exempt = [{ start: 0, end: text.indexOf('\n') }];
    const bundle = await sealed([{ label: 'rcp-1', input: 'request', text, exempt }]);
    expect(messageOf(bundle)).toContain(`receipt ${token}\nbody [blanked token:forge #1]\n`);
    expect((await sealed([{ label: 'r', input: 'request', text: `receipt ${token}`, exempt }])).blanked).toEqual([]);
  });

  it('nothing that the owner allowed under its rule, and the same value under another rule', async () => {
    const allow = (rule: string) => ({
      isAllowed: (ruleId: string, value: Uint8Array) =>
        ruleId === rule && Buffer.from(value).equals(Buffer.from(token)),
    });
    expect(messageOf(await sealed([{ path: 'a', text: token }], allow('forge-token')))).toContain(`\n${token}\n`);
    expect(messageOf(await sealed([{ path: 'a', text: token }], allow('another')))).not.toContain(token);
  });

  it('a key over several lines in a diff, sign by sign', async () => {
    const text = ' a\n+BEGIN KEY\n+abc\n+END KEY\n b\n';
    const bundle = await sealed([{ input: 'diff', label: 'a..b', text }]);
    expect(messageOf(bundle)).toContain('\n a\n+[blanked pem:key #1]\n+\n+\n b\n');
  });

  it('addresses without numbers, and warnings too', async () => {
    const warn = ruleOf('maybe-[a-z]+', { id: 'warned', kind: 'token:maybe', severity: 'warn' });
    const bundle = await sealed([{ path: 'a', text: '10.0.0.1 maybe-this' }], {}, [...RULES, warn]);
    expect(messageOf(bundle)).toContain('\n[blanked net:ipv4] [blanked token:maybe #1]\n');
  });

  it('whole characters, so that what is sent is text', async () => {
    const half = ruleOf('\\xc3', { id: 'half', kind: 'token:half' });
    const bundle = await sealed([{ path: 'a', text: 'xéx' }], {}, [{ ...half, pattern: 'é' }], {
      spoil: (reply) => ({
        ...reply,
        outcomes: reply.outcomes.map((one) =>
          one.ok ? { ...one, findings: one.findings.map((found) => ({ ...found, end: found.end - 1 })) } : one,
        ),
      }),
    });
    expect(messageOf(bundle)).toContain('\nx[blanked token:half #1]x\n');
  });

  it('names of deleted files, which are told and not framed', async () => {
    const items = [{ path: 'a', text: 'x' }];
    const plan = planOf(items, { deleted: [Buffer.from('gone.ts'), Buffer.from(`gone-${token}`)] });
    const bundle = await sealed(items, { plan });
    expect(bundle.deleted).toEqual(['gone.ts', 'gone-[blanked token:forge #1]']);
    expect(bundle.deletedBlanked).toEqual([1]);
    expect(bundle.blanked).toEqual([]);
    expect(messageOf(bundle)).not.toContain('gone');
  });
});

describe('assembleBundle says', () => {
  it('sizes, digest, what is omitted and what is lossy of each item', async () => {
    const items: MadeItem[] = [
      { path: 'a', text: 'abc', loaded: { rawBytes: 9, encoding: 'utf-16le', lossy: 2 } },
      { path: '.env', text: 'withheld: .env\n', loaded: { rawBytes: 70, omitted: 'withheld' }, withheld: true },
      { path: Buffer.from([0x61, 0xff]), text: 'binary: x\n', loaded: { omitted: 'binary' } },
    ];
    const request = assemblyOf(items, plainScanner(RULES));
    const assembled = await assembleBundle(request);
    if (assembled.kind !== 'sealed') throw assembled.refusal;
    const { bundle, figures } = assembled;
    expect(bundle.items).toMatchObject([
      { id: 'itm-0001', path: 'a', bytes: 3, rawBytes: 9, encoding: 'utf-16le', lossy: 2, omitted: null },
      { path: '.env', bytes: 15, rawBytes: 70, omitted: 'withheld', objectId: 'd'.repeat(40) },
      { path: 'a\\xff', bytes: 10, omitted: 'binary', label: null },
    ]);
    expect(bundle.bytes).toBe(bundle.message.length);
    expect(bundle.rawBytes).toBe(89);
    expect(bundle.digest).toBe(`sha256:${createHash('sha256').update(bundle.message).digest('hex')}`);
    expect(messageOf(bundle)).toContain('not shown: 1 withheld, 1 binary, 0 blanked\n');
    // names, system and texts once; message and system once more
    expect(figures.scannedBytes).toBe(10 + 28 + 2 * bundle.system.length + bundle.message.length);
    expect(request.events.map(({ kind }) => kind)).toEqual([
      ...['planned', 'stage', 'scanned', 'scanned', 'scanned', 'stage'],
      ...['omitted', 'omitted', 'sealed'],
    ]);
  });

  it('the same bytes for any number of threads, order of answers and size of batches', async () => {
    const secrets = [1, 2, 3].map((seed) => forgeToken(seed));
    const anyItem = fc
      .array(
        fc.oneof(
          fc.constantFrom(...secrets, '\n', ' 10.1.1.1 ', 'secret = "'),
          fc.lorem({ maxCount: 3 }),
          fc.constant('"'),
        ),
        {
          maxLength: 12,
        },
      )
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anyItem, fc.constantFrom('a', `k-${secrets[0]}`, 'b')), { maxLength: 9 }),
        fc.nat(),
        async (parts, seed) => {
          const items = parts.map(([text, path]) => ({ text, path }));
          const plan = planOf(items);
          const bundles = await Promise.all(
            [
              [1, 1],
              [2, 2],
              [5, 3],
            ].map(([threads = 1, batch = 1]) =>
              sealed(items, { openItems: sourceOf(plan, items, batch) }, RULES, { threads, seed }),
            ),
          );
          const [first] = bundles;
          for (const bundle of bundles) {
            expect(bundle.digest).toBe(first?.digest);
            expect(bundle.blanked).toEqual(first?.blanked);
            for (const secret of secrets) expect(messageOf(bundle)).not.toContain(secret);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('assembleBundle refuses', () => {
  const token = forgeToken(9);
  const capOf = (bytes: number) => ({
    cap: { bytes, origin: 'project', key: 'oracle.bundles.cap' } as const,
    stopAtBytes: bytes,
  });

  it('one byte over the cap and not one byte less', async () => {
    const items = [{ path: 'src/a', text: `${'x'.repeat(500)} ${token}` }];
    const { bytes } = await sealed(items);
    expect((await sealed(items, capOf(bytes))).bytes).toBe(bytes);
    const error = await refusal(assemble(items, capOf(bytes - 1)));
    expect(error.code).toBe('OVER_CAP');
    expect(error.facts).toMatchObject({
      bytes,
      raw_bytes: 541,
      at_least: false,
      cap: bytes - 1,
      cap_origin: 'project',
    });
    expect(error.message).toContain('coldseal withhold add src/a');
  });

  it('as soon as what was scanned passes the cap, reading no further and saying the same for any threads', async () => {
    const items = Array.from({ length: 200 }, (_, index) => ({ path: `f${index}`, text: 'x'.repeat(1000) }));
    const plan = planOf(items);
    const messages = new Set<string>();
    for (const [threads, seed] of [
      [1, 1],
      [3, 7],
    ] as const) {
      let pulled = 0;
      const openItems = sourceOf(plan, items, 2, () => {
        pulled += 1;
      });
      const error = await refusal(assemble(items, { ...capOf(10_000), openItems }, RULES, { threads, seed }));
      expect(error.code).toBe('OVER_CAP');
      expect(error.facts).toMatchObject({ bytes: 10_001, at_least: true, raw_bytes: 200_000 });
      // five batches fit, one passes, and the window holds two a thread
      expect(pulled).toBeLessThanOrEqual(6 + 2 * threads + 1);
      messages.add(error.message);
    }
    expect(messages.size).toBe(1);
  });

  it('with the exact size of everything, also where a diff is read after what passed the cap', async () => {
    const diff = { input: 'diff', label: 'a..b', text: `+${'d'.repeat(2999)}` } as const;
    const items = [diff, ...Array.from({ length: 20 }, (_, index) => ({ path: `f${index}`, text: 'x'.repeat(1000) }))];
    const plan = planOf(items);
    const inOrder = sourceOf(plan, items, 1);
    const diffLast: typeof inOrder = async function* (signal) {
      let held: readonly LoadedItem[] = [];
      for await (const batch of inOrder(signal)) {
        if (batch[0]?.item.input === 'diff') held = batch;
        else yield batch;
      }
      yield held;
    };
    for (const openItems of [inOrder, diffLast]) {
      const error = await refusal(assemble(items, { ...capOf(10_000), openItems }));
      expect(error.facts).toMatchObject({ bytes: 10_001, at_least: true, raw_bytes: 23_000 });
    }
  });

  it('a plan over the cap as a description of what would be refused, until four times the cap', async () => {
    const items = [{ path: 'a', text: 'x'.repeat(3000) }];
    const plan = { ...capOf(1000), stopAtBytes: 4000 };
    const described = await assemble(items, plan);
    if (described.kind !== 'over-cap') throw new Error('it was not over the cap');
    expect(described.description.bytes).toBeGreaterThan(3000);
    expect(described.description.digest).toBe((await sealed(items)).digest);
    expect(described.refusal.facts).toMatchObject({ bytes: described.description.bytes, at_least: false });
    const stopped = await refusal(assemble([{ path: 'a', text: 'x'.repeat(4001) }], plan));
    expect(stopped.facts).toMatchObject({ bytes: 4001, at_least: true });
  });

  it('does not name the name of an item that holds a finding', async () => {
    const items = [{ path: `k-${token}`, text: 'x'.repeat(3000) }];
    const { message } = await refusal(assemble(items, capOf(100)));
    expect(message).toContain('itm-0001 changed_files [withheld] (3000 bytes raw)');
    expect(message).not.toContain(token);
    expect(message).not.toContain('withhold add');
  });

  it.each([
    [
      'a bound that is reached',
      { ok: false, bound: 'decoded-bytes', detail: '8 times the item' } as const,
      /itm-0001 \(changed_files\) src\/a could not be scanned to its end \(decoded-bytes: 8 times the item\)/,
    ],
    [
      'fewer bytes looked at than there are',
      { ok: true, findings: [], values: [], scannedBytes: 3 } as const,
      /3 of its 5 bytes/,
    ],
    [
      'a finding outside the text',
      {
        ok: true,
        findings: [
          {
            start: 1,
            end: 9,
            ruleId: 'r',
            kind: 'token:x',
            family: 'secret',
            severity: 'block',
            line: 1,
            valueIndex: 0,
            views: [],
          },
        ],
        values: [{ bytes: Buffer.from('x'), echo: false }],
        scannedBytes: 5,
      } as const,
      /a finding stands outside it/,
    ],
  ])('an answer with %s', async (_what, answer, words) => {
    const error = await refusal(
      assemble([{ path: 'src/a', text: 'hello' }], {}, RULES, {
        spoil: (reply) => ({
          ...reply,
          outcomes: reply.outcomes.map((one) => (one.ref === 1 ? { ref: 1, ...answer } : one)),
        }),
      }),
    );
    expect(error.code).toBe('SCAN_FAILED');
    expect(error.message).toMatch(words);
    expect(error.facts['item']).toBe('itm-0001');
  });

  it('an item without an answer, one that was not read and one that was read twice', async () => {
    const items = [
      { path: 'a', text: 'hello' },
      { path: 'b', text: 'there' },
    ];
    const plan = planOf(items);
    const lost = assemble(items, {}, RULES, { spoil: (reply) => ({ ...reply, outcomes: reply.outcomes.slice(1) }) });
    expect((await refusal(lost)).code).toBe('SCAN_FAILED');
    const unread = assemble(items, { plan, openItems: sourceOf(plan, items.slice(0, 1)) });
    expect((await refusal(unread)).message).toMatch(/itm-0002 \(changed_files\) was planned and not read/);
    const twice = assemble(items, {
      plan,
      openItems: async function* (signal) {
        yield* sourceOf(plan, items)(signal);
        yield* sourceOf(plan, items)(signal);
      },
    });
    expect((await refusal(twice)).code).toBe('INTERNAL');
  });

  it('a finding that survives three rounds, naming rule and item, and lets a warning pass', async () => {
    const frame = ruleOf('coldseal-bundle', { id: 'hits-the-frame', kind: 'token:x' });
    const error = await refusal(assemble([{ path: 'a', text: 'x' }], {}, [...RULES, frame]));
    expect(error.code).toBe('FINDING_SURVIVES');
    expect(error.facts).toMatchObject({ rule: 'hits-the-frame', item: 'itm-0001' });
    const warned = await sealed([{ path: 'a', text: 'x' }], {}, [...RULES, { ...frame, severity: 'warn' }]);
    expect(messageOf(warned)).toContain('coldseal-bundle/1');
  });

  it('what the source throws, and the signal’s reason, and nothing else after it', async () => {
    const items = [{ path: 'a', text: 'x' }];
    const broken = new ColdsealError('ITEM_UNREADABLE', 'gone');
    const openItems = async function* () {
      yield* [];
      throw broken;
    };
    expect(await refusal(assemble(items, { openItems }))).toBe(broken);
    const stop = new AbortController();
    const reason = new Error('stopped by hand');
    const plan = planOf(items);
    const stopping = assemble(items, {
      signal: stop.signal,
      openItems: sourceOf(plan, items, 1, () => stop.abort(reason)),
    });
    await expect(stopping).rejects.toBe(reason);
  });
});

describe('assembleBundle scans what it framed', () => {
  it('and blanks what only the framed bytes show, with the number of its place', async () => {
    // A rule over two lines: its second half stands in the item, its first in the header line before it.
    const across = ruleOf('=== *\\n(later[a-z]+)', { id: 'across', kind: 'token:across', group: 1 });
    const token = forgeToken(4);
    const bundle = await sealed([{ path: 'a', text: `laterthing ${token}` }], {}, [...RULES, across]);
    expect(messageOf(bundle)).toContain('===\n[blanked token:across #1] [blanked token:forge #2]\n');
    expect(bundle.blanked.map(({ rule }) => rule)).toEqual(['across', 'forge-token']);
  });

  it('and takes a whole name when the header line shows a secret in it', async () => {
    const header = ruleOf('"(odd-[a-z]+)" ===', { id: 'header', kind: 'token:header', group: 1 });
    const bundle = await sealed([{ path: 'odd-name', text: 'x' }], {}, [...RULES, header]);
    expect(messageOf(bundle)).toContain('"[blanked token:header #1]" ===\n');
    expect(bundle.items[0]?.nameBlanked).toBe(true);
  });

  it('in pieces that see what stands across their cuts', async () => {
    const filler = 'x'.repeat(400 * 1024);
    const across = ruleOf('tail-[a-z]+\\n=== [0-9a-f]+ (itm-0002)', { id: 'across', kind: 'token:across' });
    const items = [
      { path: 'a', text: `${filler} tail-end` },
      { path: 'b', text: filler },
      { path: 'c', text: filler },
    ];
    const scanner = plainScanner([...RULES, across], { threads: 2 });
    const bundle = (await assembleBundle(assemblyOf(items, scanner))) as { kind: string; bundle: SealedBundle };
    expect(messageOf(bundle.bundle)).toContain(' [blanked token:across #1]\n=== ');
  });

  it('and looks for the echoes of what it found only there', async () => {
    const across = ruleOf('=== *\\n(later[a-z]+)', { id: 'across', kind: 'token:across', group: 1 });
    const items = [
      { path: 'a', text: 'laterthingthing' },
      { path: 'b', text: 'again laterthingthing' },
    ];
    const bundle = await sealed(items, {}, [...RULES, across]);
    expect(messageOf(bundle)).toContain('\nagain [blanked token:across #1]\n');
  });
});
