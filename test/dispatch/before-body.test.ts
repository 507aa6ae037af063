import { describe, expect, it } from 'vitest';
import { ColdsealError } from '../../src/contract/error.js';
import { startSandbox } from '../../src/sandbox/start-sandbox.js';
import { providerOf, requestOf, transportOf } from '../support/made-call.js';
import { playCall } from '../support/played-call.js';

describe('the word before the body', { timeout: 60_000 }, () => {
  it.each([{ tls: true }, { tls: false }])(
    'stops a call that is connected before a byte of it left ($tls)',
    async ({ tls }) => {
      const sandbox = await startSandbox({ tls });
      const reason = new ColdsealError('CANCELLED', 'the job was called off');
      try {
        const call = transportOf().send(
          requestOf(providerOf(sandbox), {
            beforeBody: async () => {
              throw reason;
            },
          }),
        );
        await expect(call).rejects.toBe(reason);
        expect([sandbox.connections(), sandbox.requests().length, sandbox.bodyBytes()]).toEqual([1, 0, 0]);
      } finally {
        await sandbox.close();
      }
    },
  );

  it('is asked once for each try, after the connection', async () => {
    const seen: string[] = [];
    const { answer, requests } = await playCall({
      replies: [{ status: 503, json: { error: { message: 'loading' } } }, {}],
      request: {
        beforeConnect: async (attempt) => {
          seen.push(`connect ${attempt}`);
        },
        beforeBody: async () => {
          seen.push('body');
        },
      },
    });
    expect(answer.ok).toBe(true);
    expect(requests).toHaveLength(2);
    expect(seen).toEqual(['connect 1', 'body', 'connect 2', 'body']);
  });
});
