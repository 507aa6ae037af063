import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeLife, markOfSelf, PROC_TABLE, PS_TABLE, SYSTEM_TABLE } from '../../src/record/process-mark.js';
import { verifyRecords } from '../../src/record/verify-records.js';
import { type BuiltChild, buildChild } from './build-child.js';
import { REFUSED, START } from './rows.js';
import { freshFolder, linesOf, newId, storeIn } from './stores.js';

let child: BuiltChild;
beforeAll(async () => {
  child = await buildChild('test/record/children/append-rows.ts');
});
afterAll(() => child.remove());

const start = (folder: string, count: number, killAt = 0): ChildProcess =>
  spawn(process.execPath, [child.file, folder, String(count), String(killAt)], { stdio: ['ignore', 'pipe', 'pipe'] });

async function finished(running: ChildProcess) {
  let stdout = '';
  let stderr = '';
  running.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  running.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code, signal] = await once(running, 'close');
  return { code, signal, stderr, ids: stdout.split('\n').filter((id) => id !== '') };
}

describe('the lock between processes', () => {
  it.each([
    ['the first rows of a store', false],
    ['later rows', true],
  ])(
    'leaves the chain whole and every promised row in it, wherever a writer of %s is killed',
    { timeout: 600_000 },
    async (_what, isLater) => {
      let folder = await freshFolder();
      const promised: string[] = [];
      let killed = 0;
      let heldAtDeath = 0;
      // A child that ends by itself says that every call of its two appends was a place to die.
      for (let killAt = 1; ; killAt += 1) {
        expect(killAt).toBeLessThan(200);
        if (!isLater) {
          folder = await freshFolder();
          promised.length = 0;
        }
        const { signal, code, ids, stderr } = await finished(start(folder, 1, killAt));
        promised.push(...ids);
        if (signal !== 'SIGKILL') {
          expect(stderr).toBe('');
          expect(code).toBe(0);
          break;
        }
        killed += 1;
        if ((await readdir(folder).catch((): string[] => [])).includes('lock')) heldAtDeath += 1;
        expect(await verifyRecords({ folder })).toMatchObject({ whole: true });
        const id = newId();
        await storeIn(folder).append(id, REFUSED);
        promised.push(id);
        expect(await verifyRecords({ folder })).toMatchObject({ whole: true });
        expect((await readdir(folder)).filter((name) => name.startsWith('lock'))).toEqual([]);
      }
      expect(killed).toBeGreaterThan(25);
      expect(heldAtDeath).toBeGreaterThan(15);
      const written = new Set((await linesOf(folder)).map((line) => JSON.parse(line).id));
      expect(promised.filter((id) => !written.has(id))).toEqual([]);
    },
  );

  it('loses nothing when processes append side by side and some are killed at random calls', async () => {
    const folder = await freshFolder();
    const runs = [
      start(folder, 40),
      start(folder, 40),
      start(folder, 40, 301),
      start(folder, 40, 177),
      start(folder, 40, 94),
    ];
    const results = await Promise.all(runs.map(finished));
    expect(results.map(({ signal }) => signal)).toEqual([null, null, 'SIGKILL', 'SIGKILL', 'SIGKILL']);
    expect(results.map(({ stderr }) => stderr).join('')).toBe('');
    const verification = await verifyRecords({ folder });
    expect(verification).toMatchObject({ whole: true });
    const promised = results.flatMap(({ ids }) => ids);
    expect(promised.length).toBeGreaterThanOrEqual(80);
    const ends = (await linesOf(folder)).map((line) => JSON.parse(line)).filter((row) => row.event === 'end');
    const ended = new Set(ends.map((row) => row.id));
    expect(promised.filter((id) => !ended.has(id))).toEqual([]);
    expect(ended.size).toBe(ends.length);
  });

  it('waits for a living holder and names it when the time is over', async () => {
    const folder = await freshFolder();
    await storeIn(folder).append(newId(), START);
    const self = await markOfSelf(SYSTEM_TABLE);
    await symlink(JSON.stringify({ ...self, token: 'abc' }), join(folder, 'lock'));
    const refusal = storeIn(folder, { lockTimeoutMs: 40 }).append(newId(), REFUSED);
    await expect(refusal).rejects.toThrow(new RegExp(`held by process ${process.pid} .* for 40 ms`));
    expect(await readlink(join(folder, 'lock'))).toContain('"token":"abc"');
  });

  it.each<[string, (self: Awaited<ReturnType<typeof markOfSelf>>) => object, boolean]>([
    ['its process id now belongs to a later process', (self) => ({ ...self, start: `${self.start}9` }), true],
    ['the machine was started again since', (self) => ({ ...self, boot: 'another boot' }), true],
    ['it is in another container', (self) => ({ ...self, space: 'pid:[1]', pid: 2 ** 22 - 1 }), false],
    ['it is on another machine', (self) => ({ ...self, boot: 'another boot', host: 'another' }), false],
    ['no such process is there', (self) => ({ ...self, pid: 2 ** 22 - 1 }), true],
  ])('judges a holder: %s', async (_what, change, isTaken) => {
    const folder = await freshFolder();
    await storeIn(folder).append(newId(), START);
    const self = await markOfSelf(SYSTEM_TABLE);
    await symlink(JSON.stringify({ ...change(self), token: 'abc' }), join(folder, 'lock'));
    const append = storeIn(folder, { lockTimeoutMs: 40 }).append(newId(), REFUSED);
    if (isTaken) await append;
    else await expect(append).rejects.toThrow(/cannot be judged from here .* rm /);
    expect(await linesOf(folder)).toHaveLength(isTaken ? 2 : 1);
  });

  it('is not shared by two stores that were given the same random bytes', async () => {
    const folder = await freshFolder();
    const random = (bytes: number) => new Uint8Array(bytes);
    const stores = [storeIn(folder, { random }), storeIn(folder, { random })];
    await Promise.all(stores.flatMap((store) => Array.from({ length: 30 }, () => store.append(newId(), REFUSED))));
    expect(await verifyRecords({ folder })).toMatchObject({ whole: true, rows: 60 });
  });

  it('passes on the right to remove a dead lock when its owners died too', async () => {
    const folder = await freshFolder();
    await storeIn(folder).append(newId(), START);
    const gone = { ...(await markOfSelf(SYSTEM_TABLE)), pid: 2 ** 22 - 1 };
    await symlink(JSON.stringify({ ...gone, token: 'aaa' }), join(folder, 'lock'));
    await symlink(JSON.stringify({ ...gone, token: 'bbb' }), join(folder, 'lock-right-aaa'));
    await symlink(JSON.stringify({ ...gone, token: 'ccc' }), join(folder, 'lock-right-bbb'));
    await storeIn(folder).append(newId(), REFUSED);
    expect((await readdir(folder)).sort()).toEqual(['2026-11.jsonl', 'last-hash']);
  });

  it('leaves a dead lock to the living process that has the right to remove it', async () => {
    const folder = await freshFolder();
    await storeIn(folder).append(newId(), START);
    const self = await markOfSelf(SYSTEM_TABLE);
    await symlink(JSON.stringify({ ...self, pid: 2 ** 22 - 1, token: 'aaa' }), join(folder, 'lock'));
    await symlink(JSON.stringify({ ...self, token: 'bbb' }), join(folder, 'lock-right-aaa'));
    await expect(storeIn(folder, { lockTimeoutMs: 40 }).append(newId(), REFUSED)).rejects.toThrow(/the lock was held/);
    expect(await readlink(join(folder, 'lock'))).toContain('"token":"aaa"');
  });

  it.runIf(existsSync('/bin/ps'))('asks ps where there is no /proc', async () => {
    const self = await markOfSelf(PS_TABLE);
    expect(await judgeLife(self, self, PS_TABLE)).toBe('alive');
    expect(await judgeLife({ ...self, start: 'Thu Jan  1 00:00:00 1970' }, self, PS_TABLE)).toBe('dead');
    expect(await judgeLife({ ...self, pid: 2 ** 22 - 1 }, self, PS_TABLE)).toBe('dead');
    expect(await judgeLife({ ...self, host: 'another' }, self, PS_TABLE)).toBe('unknown');
  });

  it.runIf(process.platform === 'linux')('sees a killed child that nobody has reaped yet as gone', async () => {
    // `sh` starts a child, prints its id and waits for no one: the killed child stays as remains until `sh` ends.
    const shell = spawn('sh', ['-c', 'sleep 300 & echo $!; exec cat'], { stdio: ['pipe', 'pipe', 'ignore'] });
    const [line] = await once(shell.stdout, 'data');
    const pid = Number(String(line).trim());
    expect(await PROC_TABLE.look(pid)).toMatchObject({ kind: 'running' });
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => PROC_TABLE.look(pid)).toEqual({ kind: 'gone' });
    expect(await readFile(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /);
    shell.stdin.end();
    await once(shell, 'close');
  });
});
