/** The service's own document: valid, whole, and good enough to make a client from that drives the service. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openServiceWorld, type ServiceWorld } from '../support/service-world.js';

let open: ServiceWorld;
beforeAll(async () => {
  open = await openServiceWorld();
});
afterAll(() => open.close());

interface Operation {
  readonly operationId?: string;
  readonly security?: readonly unknown[];
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema?: object }> }>;
}
const document = async () =>
  (await open.ask({ path: '/openapi.json' })).json() as {
    readonly openapi: string;
    readonly paths: Record<string, Record<string, Operation>>;
  };

it('is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate((await document()) as never);
  expect([valid, errors]).toEqual([true, undefined]);
});

it('names every route, and for each of them every answer with its schema', async () => {
  const { paths } = await document();
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
  );
  expect(operations.map(({ route }) => route)).toEqual(
    expect.arrayContaining([
      'POST /v1/plans',
      'POST /v1/dispatches',
      'GET /v1/dispatches/{id}',
      'DELETE /v1/dispatches/{id}',
      'GET /v1/dispatches/{id}/events',
      'POST /v1/scan',
      'GET /v1/records',
      'GET /v1/records/verify',
      'GET /v1/records/{id}',
      'GET /v1/kinds',
      'GET /healthz',
      'GET /readyz',
      'GET /metrics',
      'GET /openapi.json',
    ]),
  );
  for (const { route, operation } of operations) {
    expect([route, operation.operationId]).toEqual([route, expect.any(String)]);
    expect(Object.keys(operation.responses), route).toContain('421');
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const schemas = Object.values(content ?? {}).map(({ schema }) => schema);
      expect([route, status, schemas.length > 0 && schemas.every((schema) => schema !== undefined)]).toEqual([
        route,
        status,
        true,
      ]);
    }
  }
});

it('asks for the token everywhere but for health', async () => {
  const { paths } = await document();
  const free = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap(({ security }) => (security?.length === 0 ? [path] : [])),
  );
  expect(free.filter((path) => path.startsWith('/v1'))).toEqual([]);
  expect(free).toEqual(expect.arrayContaining(['/healthz', '/readyz']));
});
