/**
 * A client made from the service's own document, at test time, by a generator of other people: its types must fit what it
 * is used for, and it must drive a plan, a send, a cancel and a verify against a provider of the project's own.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import createClient from 'openapi-fetch';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readScript } from '../../src/sandbox/script.js';
import { makeTestFolder } from '../support/make-repository.js';
import { projectFolder } from '../support/run-coldseal.js';
import { openServiceWorld, type ServiceWorld } from '../support/service-world.js';

const run = promisify(execFile);

let open: ServiceWorld;
let folder: string;
beforeAll(async () => {
  open = await openServiceWorld();
  folder = makeTestFolder();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await open.close();
});

/** What a user of the API would write; compiled against the generated types with every check on. */
const DRIVER = `
import createClient from 'openapi-fetch';
import type { paths } from './service.js';

const [url = '', token = '', repository = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { authorization: \`Bearer \${token}\` } });
const ask = { repository, kind: 'change_review' } as const;

const plan = await client.POST('/v1/plans', { body: ask });
const approval: string | undefined = plan.data?.bundle?.approval;
if (approval === undefined) throw new Error(plan.error?.message ?? 'no approval');

const sent = await client.POST('/v1/dispatches', { body: { ...ask, expect: approval } });
const refused = await client.POST('/v1/dispatches', { body: { ...ask, expect: 'sha256:0' } });

const held = await client.POST('/v1/dispatches', { body: ask, params: { header: { prefer: 'respond-async' } } });
const id: string = held.data?.id ?? '';
// Until whoever started this has seen the request at the provider.
for await (const _ of process.stdin);
const cancelled = await client.DELETE('/v1/dispatches/{id}', { params: { path: { id } } });

const record = await client.GET('/v1/records/{id}', { params: { path: { id: sent.data?.id ?? '' } } });
const records = await client.GET('/v1/records', { params: { query: { kind: 'change_review', limit: 10 } } });
const verified = await client.GET('/v1/records/verify');

console.log(
  JSON.stringify({
    planned: plan.data?.outcome,
    sent: sent.data?.outcome,
    answer: (sent.data?.answer_text ?? '').length > 0,
    refused: [refused.response.status, refused.error?.code],
    held: [held.response.status, held.data?.state],
    cancelled: [cancelled.data?.outcome, cancelled.data?.code],
    rows: record.data?.rows.map(({ event }) => event),
    listed: records.data?.records.map(({ outcome }) => outcome).sort(),
    whole: verified.data?.whole,
  }),
);
`;

const OPTIONS = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    outDir: 'out',
  },
  include: ['*.ts'],
};

it('says with the same library, knowing no types, that it is alive', async () => {
  const { response } = await createClient<Record<'/healthz', { get: { responses: { 200: { content: never } } } }>>({
    baseUrl: open.url,
  }).GET('/healthz', { parseAs: 'text' });
  expect(response.status).toBe(200);
});

it('type-checks, and drives a plan, a send, a cancel and a verify', async () => {
  const document = (await open.ask({ path: '/openapi.json' })).json();
  mkdirSync(join(folder, 'out'));
  symlinkSync(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(OPTIONS));
  writeFileSync(join(folder, 'service.ts'), astToString(await openapiTS(document as never)));
  writeFileSync(join(folder, 'drive.ts'), DRIVER);
  const tsc = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');
  const compiled = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe('');

  open.world.sandbox.play(readScript({ replies: [{}, { silent: true, end: 'hang' }] }));
  const words = [join(folder, 'out', 'drive.js'), open.url, open.token, open.repository.folder];
  const driven = run(process.execPath, words);
  await expect.poll(() => open.world.sandbox.requests().length).toBe(2);
  driven.child.stdin?.end();
  const { stdout } = await driven;
  expect(JSON.parse(stdout)).toEqual({
    planned: 'planned',
    sent: 'sent',
    answer: true,
    refused: [409, 'DIGEST_MISMATCH'],
    held: [202, 'running'],
    cancelled: ['provider_failed', 'CANCELLED'],
    rows: ['start', 'end'],
    listed: ['provider_failed', 'refused', 'sent'],
    whole: true,
  });
});
