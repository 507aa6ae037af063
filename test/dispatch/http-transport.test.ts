import { afterEach, describe, expect, it } from 'vitest';
import { readScript, type ScriptInput } from '../../src/sandbox/script.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { madeCredential, providerOf, requestOf, transportOf } from '../support/made-call.js';

let sandbox: Sandbox | null = null;

const sandboxFor = async (tls: boolean, replies?: ScriptInput['replies']): Promise<Sandbox> => {
  sandbox = await startSandbox({
    tls,
    keepBodies: true,
    ...(replies === undefined ? {} : { script: readScript({ replies }) }),
  });
  return sandbox;
};

afterEach(async () => {
  await sandbox?.close();
  sandbox = null;
});

describe('a call to a provider', () => {
  it('reaches a remote name over TLS by resolve and ca_file and reads the streamed answer', async () => {
    const here = await sandboxFor(true);
    const credential = { name: 'key', value: madeCredential() };
    const answer = await transportOf().send(requestOf(providerOf(here), { credential }));
    expect(answer).toMatchObject({ ok: true, finishReason: 'stop', modelReported: here.model, attempts: 1 });
    expect(here.connections()).toBe(1);
    const [request] = here.requests();
    expect(request?.headers).toMatchObject({
      host: here.name,
      authorization: `Bearer ${credential.value}`,
      'content-length': String(request?.body?.length),
    });
    expect(JSON.parse(String(request?.body))).toEqual({
      model: here.model,
      messages: [
        { role: 'system', content: 'You review changes.' },
        { role: 'user', content: 'one line\nand "another" \\ one\n' },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('reaches a provider on this machine over plain http', async () => {
    const here = await sandboxFor(false);
    const brief = { kind: 'local' as const, system: Buffer.from('s'), message: Buffer.from('m') };
    const answer = await transportOf().send(requestOf(providerOf(here), { brief }));
    expect(answer).toMatchObject({ ok: true, finishReason: 'stop' });
  });
});
