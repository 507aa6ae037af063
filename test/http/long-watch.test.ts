/** A watch is no body that comes slowly: it may take as long as its run does. */
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readScript } from '../../src/sandbox/script.js';
import { openServiceWorld, type ServiceWorld } from '../support/service-world.js';

let open: ServiceWorld;
beforeAll(async () => {
  open = await openServiceWorld({ limits: { headMs: 1500, bodyMs: 1500, bodyBytes: 8192 } });
});
afterAll(() => open.close());

/** Resolves with the answer to a request whose body never comes: a body's time has then run out. */
const waitForBodyLimit = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port, host } = new URL(open.url);
    const socket = connect({ host: hostname, port: Number(port) });
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('utf8');
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
    const head = ['POST /v1/plans HTTP/1.1', `Host: ${host}`, `Authorization: Bearer ${open.token}`];
    socket.write(`${[...head, 'Content-Type: application/json', 'Content-Length: 40'].join('\r\n')}\r\n\r\n{`);
  });

it('goes on after the time that a body may take, and ends with the run', async () => {
  open.world.sandbox.play(readScript({ replies: [{ silent: true, end: 'hang' }] }));
  const body = { repository: open.repository.folder, kind: 'change_review' };
  const begun = await open.ask({ path: '/v1/dispatches', body, headers: { prefer: 'respond-async' } });
  const { id } = begun.json();
  const watch = await open.fetch(`/v1/dispatches/${id}/events`);
  const text = watch.text();
  expect(await waitForBodyLimit()).toContain('408');
  await open.ask({ method: 'DELETE', path: `/v1/dispatches/${id}` });
  expect(await text).toMatch(/event: ended\ndata: \{.*"code":"CANCELLED"/);
});
