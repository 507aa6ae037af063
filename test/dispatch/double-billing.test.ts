import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readScript, type ScriptInput } from '../../src/sandbox/script.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { madeBundle } from '../support/made-bundle.js';
import { providerOf, realSleep, requestOf, transportOf } from '../support/made-call.js';

type Reply = ScriptInput['replies'][number];

const MESSAGE = 'a line of the bundle\n'.repeat(20_000);
const EVENTS: Reply['events'] = [
  { text: 'one' },
  { comment: 'x' },
  { text: 'two' },
  { finish: 'stop' },
  { done: true },
];

const atByte = fc.integer({ min: 1, max: 400 });
const end = fc.constantFrom('close' as const, 'reset' as const);
const inRequest: fc.Arbitrary<Reply> = fc.record({
  read: fc.record({ stopAfterBytes: fc.integer({ min: 1, max: MESSAGE.length }) }),
  silent: fc.constant(true),
  end,
});
const inStream: fc.Arbitrary<Reply> = fc.record({ events: fc.constant(EVENTS), closeAfterBytes: atByte, end });
const inError: fc.Arbitrary<Reply> = fc.record({
  status: fc.constantFrom(400, 408, 429, 500, 502, 503, 529),
  text: fc.constant('e'.repeat(500)),
  closeAfterBytes: atByte,
  end,
});
const wholeError: fc.Arbitrary<Reply> = fc.record({
  status: fc.constantFrom(301, 400, 402, 408, 413, 500, 502, 504, 529),
  text: fc.constant('no'),
});
const turnedAway: fc.Arbitrary<Reply> = fc.record({ status: fc.constantFrom(429, 503), text: fc.constant('later') });

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ tls: false });
});
afterAll(async () => {
  await sandbox.close();
});

/** Requests and connections that one call made against a provider that always does the same. */
const madeBy = async (reply: Reply): Promise<readonly [requests: number, connections: number, tries: number]> => {
  sandbox.play(readScript({ replies: [reply], after: 'repeat' }));
  const before = [sandbox.requests().length, sandbox.connections()] as const;
  const { signal } = new AbortController();
  let tries = 0;
  const sleep = async (ms: number, until: AbortSignal): Promise<void> => {
    if (until !== signal) {
      await realSleep(ms, until);
    }
  };
  const bundle = madeBundle(MESSAGE);
  await transportOf({ sleep }).send(
    requestOf(providerOf(sandbox), {
      brief: { kind: 'sealed', bundle },
      signal,
      beforeConnect: async () => {
        tries += 1;
      },
    }),
  );
  return [sandbox.requests().length - before[0], sandbox.connections() - before[1], tries];
};

describe('a call that fails after its first byte', { timeout: 300_000 }, () => {
  it('reaches the provider once, wherever the fault is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(inRequest, inStream, inError, wholeError), async (reply) => {
        expect(await madeBy(reply)).toEqual([1, 1, 1]);
      }),
      { numRuns: 500 },
    );
  });

  it('reaches the provider three times at most where a whole answer turned it away', async () => {
    await fc.assert(
      fc.asyncProperty(turnedAway, async (reply) => {
        expect(await madeBy(reply)).toEqual([3, 3, 3]);
      }),
      { numRuns: 20 },
    );
  });
});
