import { spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ColdsealError } from '../../src/contract/error.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { buildChild } from '../record/build-child.js';

function logged(write: (logger: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  write(createLogger({ level: 'debug', destination: { write: (line) => lines.push(line) } }));
  return lines.join('');
}

describe('the logger', () => {
  const hidden = ['k', 'e', 'e', 'p', '-', 'o', 'u', 't'].join('');

  it.each([
    ['a body', { body: hidden }],
    ['a credential one level down', { provider: { credential: hidden } }],
    ['a header two levels down', { call: { options: { authorization: hidden } } }],
    ['a request’s headers', { req: { method: 'POST', url: '/v1/plans', headers: { cookie: hidden } } }],
    ['a request’s query', { req: { method: 'GET', url: `/v1/records?find=${hidden}` } }],
    ['a response’s body', { res: { statusCode: 200, payload: hidden } }],
    ['what another library’s error quotes', { err: new Error(`bad input ${hidden}`) }],
    ['a thrown text', { err: hidden }],
  ])('leaves out %s', (_what, members) => {
    const line = logged((logger) => logger.info(members, 'seen'));
    expect(line).toContain('"msg":"seen"');
    expect(line).not.toContain(hidden);
  });

  it('keeps the code and message of our own errors, and the code and place of others', () => {
    const ours = logged((logger) => logger.error({ err: new ColdsealError('OVER_CAP', '5 bytes over 4') }));
    expect(JSON.parse(ours)).toMatchObject({ level: 'error', err: { code: 'OVER_CAP', message: '5 bytes over 4' } });
    const others = JSON.parse(
      logged((logger) => logger.error({ err: Object.assign(new Error('x'), { code: 'EIO' }) })),
    );
    expect(others.err.code).toBe('EIO');
    expect(others.err.stack[0]).toMatch(/^at /);
  });

  it('says nothing below its level', () => {
    const lines: string[] = [];
    createLogger({ level: 'warn', destination: { write: (line) => lines.push(line) } }).info('quiet');
    expect(lines).toEqual([]);
  });

  it('writes to stderr and never to stdout', async () => {
    const { file, remove } = await buildChild('test/telemetry/children/log-line.ts');
    onTestFinished(remove);
    const child = spawnSync(process.execPath, [file]);
    expect(child.stdout.toString()).toBe('');
    expect(child.stderr.toString()).toContain('"msg":"here"');
  });
});
