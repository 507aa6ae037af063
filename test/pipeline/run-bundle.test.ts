import { describe, expect, it } from 'vitest';
import { ColdsealError } from '../../src/contract/error.js';
import type { RequestSent } from '../../src/contract/transport.js';
import type { AssemblyRequest } from '../../src/pipeline/assembly-request.js';
import type { BundleRun } from '../../src/pipeline/bundle-run.js';
import { outcomeDocument } from '../../src/pipeline/outcome.js';
import { planBundle, runBundle } from '../../src/pipeline/run-bundle.js';
import { assemblyOf, type MadeItem, planOf } from '../support/made-assembly.js';
import {
  FAILED,
  type PortsSettings,
  PROVIDER,
  portsOf,
  ROUTE,
  rejecting,
  runOf,
  UNREACHABLE,
  WHOLE,
} from '../support/made-run.js';
import { plainScanner } from '../support/plain-scanner.js';
import { FORGE_RULE, forgeToken } from '../support/scan-fixtures.js';

const token = forgeToken(11);
const ITEMS: readonly MadeItem[] = [
  { input: 'diff', label: 'a..b', text: `+k = ${token}\n` },
  { path: `keys/${token}`, text: `k = ${token}\n` },
  { path: 'plain.ts', text: 'x' },
];
const assembly = (more: Partial<AssemblyRequest> = {}) =>
  assemblyOf(ITEMS, plainScanner([FORGE_RULE], { threads: 2 }), {
    plan: planOf(ITEMS, { deleted: [Buffer.from('gone'), Buffer.from(token)] }),
    ...more,
  });

const run = async (more: Partial<BundleRun> = {}, settings: PortsSettings = {}) => {
  const ports = portsOf(settings);
  const result = await runBundle(runOf(assembly(), ports, more), ports);
  return { ports, result, document: outcomeDocument(result, '/records/2030-01.jsonl') };
};

/** The size is the bundle's own; everything else of the line is a contract. */
const COUNT_LINE =
  /^coldseal: change_review: sends 3 items, \d+ bytes to acme \(api\.example\.com\); blanked 3 spans in 2 items$/;

describe('runBundle', () => {
  it('counts once, records, reads the machine file again, connects, records the end', async () => {
    const ports = portsOf({ tries: 2 });
    const confirmConsent = async () => {
      ports.story.push('consent');
    };
    const result = await runBundle(runOf(assembly(), ports, { confirmConsent }), ports);
    expect(result.outcome).toBe('sent');
    const [line, ...rest] = ports.story;
    expect(line).toMatch(COUNT_LINE);
    expect(rest).toEqual(['start', 'consent', 'connect', 'start', 'consent', 'connect', 'end']);
    expect(ports.rows.map((row) => row.id)).toEqual(['rec-test', 'rec-test', 'rec-test']);
    expect(ports.events.at(-1)).toEqual({ kind: 'ended', bundleKind: 'change_review', outcome: 'sent', code: null });
  });

  it('hands the transport the sealed bundle and nothing else of the items', async () => {
    const { ports, result } = await run();
    const [request] = ports.requests;
    if (request?.brief.kind !== 'sealed' || result.outcome !== 'sent') throw new Error('nothing was sent');
    expect(request.brief.bundle.digest).toBe(result.bundle.description.digest);
    expect(Buffer.from(request.brief.bundle.message).includes(token)).toBe(false);
    expect(request).toMatchObject({ model: 'big', settings: { temperature: 0 }, provider: { name: 'acme' } });
  });

  it('records what went without a text, and a name with a finding not at all', async () => {
    const { ports } = await run();
    const [start, end] = ports.rows;
    if (start?.event !== 'start' || end?.event !== 'end') throw new Error('rows are missing');
    expect(start.bundle?.items.map(({ path, label }) => path ?? label)).toEqual(['a..b', '[withheld]', 'plain.ts']);
    expect(start.bundle?.deleted).toEqual(['gone', '[withheld]']);
    expect(start.bundle?.blanked).toHaveLength(3);
    expect(start).toMatchObject({
      attempt: 1,
      verb: 'review',
      route: { provider: 'acme', model_asked: 'big', host: 'api.example.com', remote: true, credential: 'acme-key' },
      digests: { rules: 'sha256:rules', bundle: start.bundle?.digest, approval: start.bundle?.approval },
      versions: { coldseal: '0.1.0' },
    });
    expect(end).toMatchObject({
      outcome: 'sent',
      attempts: 1,
      answer_bytes: 4,
      finish_reason: 'stop',
      model_reported: 'big-1',
      usage: { prompt_tokens: 120, completion_tokens: 7 },
      durations_ms: { provider: 1234, first_token: 51 },
    });
    expect(JSON.stringify(ports.rows)).not.toContain(token);
  });

  it('says the answer, the route and the bundle in its document', async () => {
    const { document } = await run();
    expect(document).toMatchObject({
      outcome: 'sent',
      route: {
        agent: 'change-reviewer',
        provider: 'acme',
        model_asked: 'big',
        model_reported: 'big-1',
        origin: 'machine',
        remote: true,
      },
      bundle: {
        kind: 'change_review',
        list_origin: 'compiled',
        cap: 4194304,
        cap_origin: 'default',
        deleted: ['gone', '[blanked token:forge #1]'],
      },
      answer: { bytes: 4, finish_reason: 'stop', usage: { prompt_tokens: 120 } },
      record: { id: 'rec-test', path: '/records/2030-01.jsonl' },
    });
    expect(document.bundle?.items[1]).toEqual({
      id: 'itm-0002',
      input: 'changed_files',
      path: 'keys/[blanked token:forge #1]',
      raw_bytes: 45,
      bytes: 29,
    });
    expect(document.bundle?.tokens_est).toBe(Math.floor((document.bundle?.bytes ?? 0) / 3.85));
  });

  it('says also what was blanked in the system message and the proxy in use', async () => {
    const ports = portsOf();
    const system = Buffer.from(`Key ${token}.`);
    await runBundle(runOf(assembly({ system }), ports, { proxy: 'http://proxy.example.com:3128' }), ports);
    expect(ports.story[0]).toMatch(
      /; blanked 3 spans in 2 items and 1 in the system message; through the proxy http:\/\/proxy\.example\.com:3128$/,
    );
  });

  it.each([
    ['a failure of the provider', FAILED, false, 'provider_failed', 'PROVIDER_STATUS'],
    [
      'a provider that was never reached, on a route somebody typed',
      UNREACHABLE,
      false,
      'provider_failed',
      'PROVIDER_UNREACHABLE',
    ],
    ['a provider that was never reached, on a route nobody typed', UNREACHABLE, true, 'host', 'PROVIDER_UNREACHABLE'],
    ['a failure after a connection, where the host may take over', FAILED, true, 'provider_failed', 'PROVIDER_STATUS'],
  ] as const)('records %s', async (_what, answer, mayFallBack, outcome, code) => {
    const { ports, document } = await run({ mayFallBack }, { answer });
    expect(ports.rows.at(-1)).toMatchObject({ event: 'end', outcome, code });
    expect(document).toMatchObject({ outcome, code, record: { id: 'rec-test' } });
    expect(document.answer).toBeUndefined();
  });

  it('takes an answer that the kind’s contract does not allow for a failure of the provider', async () => {
    const keepAnswer = rejecting(new ColdsealError('PROVIDER_ANSWER_INVALID', 'no JSON'));
    const { ports, document } = await run({ keepAnswer });
    expect(document).toMatchObject({ outcome: 'provider_failed', code: 'PROVIDER_ANSWER_INVALID', message: 'no JSON' });
    expect(ports.rows.at(-1)).toMatchObject({
      event: 'end',
      outcome: 'provider_failed',
      usage: { prompt_tokens: 120 },
    });
  });
});

describe('an answer that cannot be kept', () => {
  it.each([
    ['a folder that is not safe any more', new ColdsealError('STATE_UNSAFE', 'a link'), 'STATE_UNSAFE', 'a link'],
    ['a fault of ours', Object.assign(new Error('/home/x'), { code: 'EIO' }), 'INTERNAL', '(Error EIO)'],
  ])('for %s is no refusal: it came, and the record says so', async (_what, fault, code, said) => {
    const { ports, result, document } = await run({ keepAnswer: rejecting(fault) });
    expect(document).toMatchObject({ outcome: 'provider_failed', code, record: { id: 'rec-test' } });
    expect(document.message).toMatch(/^The answer came and could not be kept: /);
    expect(document.message).toContain(said);
    expect(document.message).not.toContain('/home/x');
    expect(result).toMatchObject({ answer: { text: 'fine' } });
    expect(ports.rows.at(-1)).toMatchObject({ event: 'end', outcome: 'provider_failed', code, request: 'answered' });
    expect(ports.rows.at(-1)).toMatchObject({ usage: { prompt_tokens: 120 }, finish_reason: 'stop' });
  });
});

describe('runBundle refuses', () => {
  it('with one row, no connection and no count line', async () => {
    const capped = { cap: { bytes: 10, origin: 'project', key: 'oracle.bundles.cap' }, stopAtBytes: 10 } as const;
    const ports = portsOf();
    const result = await runBundle(runOf(assembly(capped), ports), ports);
    expect(ports.story).toEqual(['refused']);
    expect(ports.rows[0]).toMatchObject({
      event: 'refused',
      verb: 'review',
      code: 'OVER_CAP',
      kind: 'change_review',
      project: 'a'.repeat(40),
      facts: { cap: 10, bytes: 11, at_least: true },
    });
    expect(ports.requests).toEqual([]);
    expect(result).toMatchObject({ outcome: 'refused', code: 'OVER_CAP', isRecorded: true });
    expect(ports.events.at(-1)).toMatchObject({ kind: 'ended', outcome: 'refused', code: 'OVER_CAP' });
  });

  it('another bundle or destination than --expect names, and takes either digest', async () => {
    const { result } = await run();
    if (result.outcome !== 'sent') throw new Error('it was not sent');
    const { approval, description } = result.bundle;
    expect((await run({ expect: approval })).result.outcome).toBe('sent');
    expect((await run({ expect: `bundle:${description.digest}` })).result.outcome).toBe('sent');
    for (const expect_ of [description.digest, `bundle:${approval}`, approval.toUpperCase(), '']) {
      const { document, ports } = await run({ expect: expect_ });
      expect(document).toMatchObject({
        outcome: 'refused',
        code: 'DIGEST_MISMATCH',
        bundle: { digest: description.digest },
      });
      expect(ports.story).toEqual(['refused']);
    }
    const elsewhere = { ...ROUTE, provider: { ...PROVIDER, resolve: { 'api.example.com': '192.0.2.7' } } };
    expect((await run({ expect: approval, route: elsewhere })).document.code).toBe('DIGEST_MISMATCH');
    expect((await run({ expect: `bundle:${description.digest}`, route: elsewhere })).result.outcome).toBe('sent');
  });

  it('a bundle over the provider’s budget in tokens and not one within it', async () => {
    const { document } = await run();
    const tokens = document.bundle?.tokens_est ?? 0;
    const withBudget = (maxPromptTokens: number) =>
      run({ route: { ...ROUTE, provider: { ...PROVIDER, maxPromptTokens } } });
    expect((await withBudget(tokens)).result.outcome).toBe('sent');
    const over = await withBudget(tokens - 1);
    expect(over.document).toMatchObject({
      code: 'OVER_BUDGET',
      facts: { tokens_est: tokens, max_prompt_tokens: tokens - 1 },
    });
  });

  it('a setting that holds a secret or a credential, naming it and not its value', async () => {
    const knownValues = [{ name: 'acme-key', bytes: Buffer.from('plain-but-secret') }];
    const ports = portsOf();
    const settings = { stop: [token], seed: 1, response_format: { type: 'plain-but-secret' } };
    const result = await runBundle(runOf(assembly({ knownValues }), ports, { settings }), ports);
    expect(result).toMatchObject({ outcome: 'refused', code: 'SETTING_REFUSED' });
    const message = result.outcome === 'refused' ? result.error.message : '';
    expect(message).toContain('response_format, stop');
    expect(message).not.toContain(token);
  });

  it('with an end row when the machine file changed between the row and the socket', async () => {
    const changed = rejecting(new ColdsealError('CONSENT_CHANGED', 'changed'));
    const { ports, document } = await run({ confirmConsent: changed });
    expect(ports.story.slice(1)).toEqual(['start', 'end']);
    expect(ports.rows.at(-1)).toMatchObject({ event: 'end', outcome: 'refused', code: 'CONSENT_CHANGED', attempts: 1 });
    expect(document).toMatchObject({ outcome: 'refused', code: 'CONSENT_CHANGED' });
  });

  it('before anything is said when the answer has no safe place', async () => {
    const { ports, document } = await run({ prepareAnswer: rejecting(new ColdsealError('STATE_UNSAFE', 'a link')) });
    expect(ports.story).toEqual(['refused']);
    expect(document.code).toBe('STATE_UNSAFE');
  });

  it('when the start row cannot be written: no row, no call', async () => {
    const onAppend = () => {
      throw new ColdsealError('RECORD_UNWRITABLE', 'disk full');
    };
    const { ports, result, document } = await run({}, { onAppend });
    expect(ports.story.slice(1)).toEqual(['coldseal: the refusal could not be recorded: disk full']);
    expect(result).toMatchObject({ outcome: 'refused', code: 'RECORD_UNWRITABLE', isRecorded: false });
    expect(document.record).toBeUndefined();
  });

  it('nothing when only the end row cannot be written: the answer stands and the person is told', async () => {
    const onAppend = ({ event }: { readonly event: string }) => {
      if (event === 'end') throw new ColdsealError('RECORD_UNWRITABLE', 'disk full');
    };
    const { ports, result } = await run({}, { onAppend });
    expect(result.outcome).toBe('sent');
    expect(ports.story.at(-1)).toBe('coldseal: the end of rec-test could not be recorded: disk full');
  });
});

describe('runBundle stopped by its caller', () => {
  it('while the provider answers leaves an end row and gives the reason on', async () => {
    const stop = new AbortController();
    const reason = new Error('SIGINT');
    const ports = portsOf({
      answer: () => {
        stop.abort(reason);
        return Promise.reject(reason);
      },
    });
    await expect(runBundle(runOf(assembly({ signal: stop.signal }), ports), ports)).rejects.toBe(reason);
    expect(ports.rows.at(-1)).toMatchObject({ event: 'end', outcome: 'refused', code: 'CANCELLED' });
  });

  it('through the API is a refusal with its code, before and after the start row', async () => {
    const reason = new ColdsealError('CANCELLED', 'ended by its caller');
    const early = new AbortController();
    early.abort(reason);
    const before = portsOf();
    const first = await runBundle(runOf(assembly({ signal: early.signal }), before), before);
    expect(first).toMatchObject({ outcome: 'refused', code: 'CANCELLED' });
    expect(before.story).toEqual(['refused']);

    const late = new AbortController();
    const after = portsOf({
      answer: async () => {
        late.abort(reason);
        return FAILED;
      },
    });
    const second = await runBundle(runOf(assembly({ signal: late.signal }), after), after);
    expect(second).toMatchObject({ outcome: 'refused', code: 'CANCELLED', isRecorded: true });
    expect(after.rows.map(({ event }) => event)).toEqual(['start', 'end']);
  });

  const STAGES: readonly [stage: string, sent: readonly RequestSent[], outcome: string, request: string][] = [
    ['before a byte of the body', [], 'refused', 'unsent'],
    ['while the body is sent', ['part'], 'provider_failed', 'partly_sent'],
    ['while the answer is awaited', ['part', 'whole'], 'provider_failed', 'sent'],
    ['at a try after one that was turned away', ['part', 'whole', 'part'], 'provider_failed', 'sent'],
  ];
  const endings = (sent: readonly RequestSent[], reason: unknown, isCallers: boolean) => {
    const stop = new AbortController();
    const ports = portsOf({
      answer: async ({ onSent }) => {
        for (const how of sent) onSent?.(how);
        if (isCallers) stop.abort(reason);
        throw reason;
      },
    });
    return { ports, ended: runBundle(runOf(assembly({ signal: stop.signal }), ports), ports) };
  };

  it.each(STAGES)('%s says in the record how far the request had come', async (_stage, sent, outcome, request) => {
    const signalled = endings(sent, 'SIGINT', true);
    await expect(signalled.ended).rejects.toBe('SIGINT');
    expect(signalled.ports.rows.at(-1)).toMatchObject({ event: 'end', outcome, code: 'CANCELLED', request });
    expect(signalled.ports.story.at(-1)).toEqual(
      outcome === 'refused' ? 'end' : expect.stringMatching(/had left when the run was stopped; no answer was kept/),
    );

    const cancelled = endings(sent, new ColdsealError('CANCELLED', 'ended by its caller'), true);
    expect(await cancelled.ended).toMatchObject({ outcome, code: 'CANCELLED' });
    expect(cancelled.ports.rows.at(-1)).toMatchObject({ event: 'end', outcome, code: 'CANCELLED', request });
  });

  it.each(STAGES)(
    '%s by a rule of ours is a refusal only if nothing had left',
    async (_stage, sent, outcome, request) => {
      for (const code of ['CONSENT_CHANGED', 'RECORD_UNWRITABLE', 'CREDENTIAL_MISSING'] as const) {
        const { ports, ended } = endings(sent, new ColdsealError(code, 'nothing was sent'), false);
        expect(await ended).toMatchObject({ outcome, code });
        expect(ports.rows.at(-1)).toMatchObject({ event: 'end', outcome, code, request });
        expect(ports.events.at(-1)).toMatchObject({ kind: 'ended', outcome, code });
      }
      const fault = new TypeError('a fault');
      const broken = endings(sent, fault, false);
      await expect(broken.ended).rejects.toBe(fault);
      expect(broken.ports.rows.at(-1)).toMatchObject({ event: 'end', outcome, code: 'INTERNAL', request });
    },
  );

  it('keeps an answer that was whole before the stop', async () => {
    const stop = new AbortController();
    const ports = portsOf({
      answer: async () => {
        stop.abort(new Error('late'));
        return WHOLE;
      },
    });
    expect((await runBundle(runOf(assembly({ signal: stop.signal }), ports), ports)).outcome).toBe('sent');
  });

  it('by a fault of ours leaves an end row too', async () => {
    const fault = new TypeError('a fault');
    const ports = portsOf({ answer: rejecting(fault) });
    await expect(runBundle(runOf(assembly(), ports), ports)).rejects.toBe(fault);
    expect(ports.rows.at(-1)).toMatchObject({ event: 'end', outcome: 'refused', code: 'INTERNAL' });
  });
});

describe('planBundle', () => {
  const plan = (more: Partial<BundleRun> = {}, request: Partial<AssemblyRequest> = {}) =>
    planBundle(runOf(assembly(request), portsOf(), more));

  it('describes the very bundle that would be sent, with the approval to expect', async () => {
    const { result } = await run();
    const planned = await plan();
    if (planned.outcome !== 'planned' || result.outcome !== 'sent') throw new Error('it was not planned');
    expect(planned.bundle.approval).toBe(result.bundle.approval);
    expect(planned.sealed.digest).toBe(result.bundle.description.digest);
    expect(outcomeDocument(planned, '/records').record).toBeUndefined();
    expect((await run({ expect: planned.bundle.approval })).result.outcome).toBe('sent');
  });

  it('says why it would be refused, beside the bundle it is about', async () => {
    const cap = { bytes: 400, origin: 'machine', key: 'oracle.bundles.cap' } as const;
    const over = outcomeDocument(await plan({}, { cap, stopAtBytes: 1600 }), null);
    expect(over).toMatchObject({ outcome: 'refused', code: 'OVER_CAP', bundle: { cap: 400, cap_origin: 'machine' } });
    expect(over.bundle?.bytes).toBeGreaterThan(400);
    const mismatch = outcomeDocument(await plan({ expect: 'sha256:0' }), null);
    expect(mismatch).toMatchObject({ outcome: 'refused', code: 'DIGEST_MISMATCH', bundle: { cap: 4194304 } });
  });
});
