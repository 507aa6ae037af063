/** Plans and dispatches over HTTP: what is answered, with which status, and what never happens twice. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readScript, type ScriptInput } from '../../src/sandbox/script.js';
import { openServiceWorld, type ServiceWorld } from '../support/service-world.js';

let open: ServiceWorld;
beforeAll(async () => {
  open = await openServiceWorld({ mostRuns: 2 });
});
afterAll(() => open.close());
beforeEach(() => play({}));

/** The provider takes the request and never answers. */
const HELD = { silent: true, end: 'hang' } as const;
const play = (...replies: ScriptInput['replies']) => open.world.sandbox.play(readScript({ replies }));
const review = (more: object = {}) => ({ repository: open.repository.folder, kind: 'change_review', ...more });
const dispatch = (body: object, headers: Record<string, string> = {}) =>
  open.ask({ path: '/v1/dispatches', body, headers });
const sent = () => open.world.sandbox.requests().length;

describe('a plan', () => {
  it('answers what the command line prints with --plan --json', async () => {
    const answer = await open.ask({ path: '/v1/plans', body: review() });
    const { document } = await open.world.runJson(open.repository.folder, ['review', '--plan']);
    const { notes, ...plan } = answer.json();
    expect(answer.status).toBe(200);
    expect(notes).toBeInstanceOf(Array);
    expect(plan).toEqual(document);
  });

  it('holds each item’s blanked text when it is asked for it, and writes no row', async () => {
    const rows = open.world.rows().length;
    const answer = await open.ask({ path: '/v1/plans?text=1', body: review() });
    const { items } = answer.json()['bundle'] as { items: { input: string; text: string; bytes: number }[] };
    expect(items.map(({ input }) => input)).toEqual(['diff', 'changed_files']);
    expect(items[1]?.text).toBe('export const answer = 42;\n');
    for (const { text, bytes } of items) expect(Buffer.byteLength(text)).toBe(bytes);
    expect(open.world.rows()).toHaveLength(rows);
  });

  it('that would be refused has the refusal’s status and the bundle it is about', async () => {
    const answer = await open.ask({ path: '/v1/plans', body: review({ expect: 'sha256:0' }) });
    expect([answer.status, answer.headers['content-type']]).toEqual([409, 'application/problem+json; charset=utf-8']);
    expect(answer.json()).toMatchObject({
      outcome: 'refused',
      code: 'DIGEST_MISMATCH',
      bundle: { bytes: expect.any(Number) },
    });
  });
});

describe('a dispatch', () => {
  it('answers when the run has ended, and is found by its record’s id', async () => {
    const answer = await dispatch(review());
    expect(answer.status).toBe(200);
    const document = answer.json() as { id: string; record: { id: string } };
    expect(document).toMatchObject({ state: 'ended', outcome: 'sent', record: { id: document.id } });
    expect(answer.headers.location).toBe(`/v1/dispatches/${document.id}`);
    const again = await open.ask({ path: `/v1/dispatches/${document.id}` });
    expect(again.json()).toEqual(document);
    expect(
      open.world
        .rows()
        .filter(({ id }) => id === document.id)
        .map(({ event }) => event),
    ).toEqual(['start', 'end']);
  });

  it('sends exactly what its plan showed, or nothing', async () => {
    const plan = (await open.ask({ path: '/v1/plans', body: review() })).json()['bundle'] as { approval: string };
    const before = sent();
    expect((await dispatch(review({ expect: plan.approval }))).status).toBe(200);
    expect(sent()).toBe(before + 1);
    expect((await dispatch(review({ expect: `${plan.approval}0` }))).status).toBe(409);
    expect(sent()).toBe(before + 1);
  });

  it.each([
    ['a provider', { provider: 'sandbox' }],
    ['a model', { model: 'summary-1' }],
    ['a list', { list: ['diff'] }],
    ['a cap', { cap: '1 GiB' }],
    ['a brief', { brief: '/etc/hostname' }],
    ['a file', { output: '/tmp/x' }],
    ['a provider by its route', { route: 'change-reviewer=sandbox/summary-1' }],
    ['a word that its kind does not take', { question: 'why?' }],
    ['no kind that there is', { kind: 'everything' }],
  ])('is refused when its body names %s', async (_what, more) => {
    const before = sent();
    const answer = await dispatch(review(more));
    expect([answer.status, answer.json()['code'], sent()]).toEqual([400, 'USAGE', before]);
    expect(answer.json()['message']).not.toMatch(/Invalid|Unrecognized|received|instance/);
  });

  it('of an agent without a provider is NO_ROUTE, and handed to the host only where that was asked', async () => {
    const ask = { repository: open.repository.folder, kind: 'source_question', question: 'why?' };
    const refused = await dispatch(ask);
    expect([refused.status, refused.json()['code']]).toEqual([422, 'NO_ROUTE']);
    expect((await dispatch(review({ route: 'change-reviewer=host-decides' }))).json()).toMatchObject({
      outcome: 'host',
    });
  });

  it('whose provider fails is 502 with the failure’s code and a row', async () => {
    play({ status: 400, text: 'no' });
    const answer = await dispatch(review());
    expect([answer.status, answer.json()['code']]).toEqual([502, 'PROVIDER_STATUS']);
    expect(open.world.rows().at(-1)).toMatchObject({ event: 'end', outcome: 'provider_failed' });
  });

  it('is answered 202 and goes on where the client does not wait, and is ended by DELETE', async () => {
    play(HELD);
    const before = sent();
    const begun = await dispatch(review(), { prefer: 'respond-async' });
    const { id } = begun.json() as { id: string };
    expect([begun.status, begun.json()['state']]).toEqual([202, 'running']);
    await isAtProvider(before);
    const ended = await open.ask({ method: 'DELETE', path: `/v1/dispatches/${id}` });
    expect(ended.json()).toMatchObject({ id, state: 'ended', outcome: 'provider_failed', code: 'CANCELLED' });
    expect(
      open.world
        .rows()
        .filter((row) => row['id'] === id)
        .map(({ event, code }) => [event, code]),
    ).toEqual([
      ['start', undefined],
      ['end', 'CANCELLED'],
    ]);
    const again = await open.ask({ method: 'DELETE', path: `/v1/dispatches/${id}` });
    expect(again.json()).toEqual(ended.json());
  });

  it('over the limit of runs at once is BUSY with a time to come back, and so is a plan', async () => {
    play(HELD, HELD);
    const held = await Promise.all([1, 2].map(() => dispatch(review(), { prefer: 'respond-async' })));
    for (const answer of [await dispatch(review()), await open.ask({ path: '/v1/plans', body: review() })]) {
      expect([answer.status, answer.json()['code'], answer.headers['retry-after']]).toEqual([429, 'BUSY', '2']);
    }
    for (const one of held) await open.ask({ method: 'DELETE', path: `/v1/dispatches/${one.json()['id']}` });
  });

  it('that nobody knows is 404', async () => {
    const id = `rec-${'a'.repeat(26)}`;
    expect((await open.ask({ path: `/v1/dispatches/${id}` })).status).toBe(404);
    expect((await open.ask({ method: 'DELETE', path: `/v1/dispatches/${id}` })).status).toBe(404);
    expect((await open.ask({ path: `/v1/dispatches/${id}/events` })).status).toBe(404);
  });
});

describe('an idempotency key', () => {
  it('never sends twice: one after the other, at once, and after a restart', async () => {
    const before = sent();
    const headers = { 'idempotency-key': 'one-and-only' };
    const first = await dispatch(review(), headers);
    const second = await dispatch({ kind: 'change_review', repository: open.repository.folder }, headers);
    expect(second.json()).toEqual(first.json());
    const both = await Promise.all([1, 2].map(() => dispatch(review(), { 'idempotency-key': 'at-once' })));
    expect(both[0]?.json()['id']).toBe(both[1]?.json()['id']);
    expect(sent()).toBe(before + 2);
    await open.restart();
    const third = await dispatch(review(), headers);
    expect(third.json()).toMatchObject({ id: first.json()['id'], state: 'ended', outcome: 'sent' });
    expect(sent()).toBe(before + 2);
  });

  it('with another body is refused', async () => {
    const headers = { 'idempotency-key': 'other-body' };
    await dispatch(review(), headers);
    const answer = await dispatch(review({ range: 'HEAD~1..HEAD' }), headers);
    expect([answer.status, answer.json()['code']]).toEqual([400, 'USAGE']);
  });

  it('is not used up by a request that was turned away', async () => {
    play(HELD, HELD);
    const held = await Promise.all([1, 2].map(() => dispatch(review(), { prefer: 'respond-async' })));
    const headers = { 'idempotency-key': 'turned-away' };
    expect((await dispatch(review(), headers)).status).toBe(429);
    for (const one of held) await open.ask({ method: 'DELETE', path: `/v1/dispatches/${one.json()['id']}` });
    play({});
    expect((await dispatch(review(), headers)).json()).toMatchObject({ outcome: 'sent' });
  });
});

describe('live events', () => {
  it('begin with the present state, tell the stages and end with the run’s document', async () => {
    play(HELD);
    const before = sent();
    const { id } = (await dispatch(review(), { prefer: 'respond-async' })).json() as { id: string };
    await isAtProvider(before);
    const stream = await open.fetch(`/v1/dispatches/${id}/events`);
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    const events = readEvents(stream);
    const first = await events.next();
    expect(first.value).toMatchObject({ event: 'progress', data: { id, stage: 'send', items: 2, cap: 4194304 } });
    await open.ask({ method: 'DELETE', path: `/v1/dispatches/${id}` });
    let last = first.value;
    for await (const event of events) last = event;
    expect(last).toMatchObject({ event: 'ended', data: { id, outcome: 'provider_failed', code: 'CANCELLED' } });
  });

  it('of a run that has ended are its end alone', async () => {
    const { id } = (await dispatch(review())).json() as { id: string };
    const names: string[] = [];
    for await (const { event } of readEvents(await open.fetch(`/v1/dispatches/${id}/events`))) names.push(event);
    expect(names).toEqual(['ended']);
  });
});

/** The stage `send` begins before the body leaves; only the provider can say that it has it. */
const isAtProvider = (before: number): Promise<void> => expect.poll(sent).toBe(before + 1);

interface ReadEvent {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

async function* readEvents(answer: Response): AsyncGenerator<ReadEvent> {
  let text = '';
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString('utf8');
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const found = /^event: (\w+)\ndata: (.*)$/.exec(block);
      if (found !== null)
        yield { event: found[1] ?? '', data: JSON.parse(found[2] ?? '{}') as Record<string, unknown> };
    }
  }
}
