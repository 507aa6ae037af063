import { execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettingsFile } from '../../src/config/read-settings-file.js';
import { callerUid, type MadeHome, makeHome, refusalOf } from './made-home.js';

describe('a settings file', () => {
  let made: MadeHome;
  let file: string;
  beforeEach(() => {
    made = makeHome();
    file = join(made.home, 'settings.json');
    made.write(file, '{"a": 1}', 0o664);
  });
  afterEach(() => made.remove());

  const asUser = (uid: number) => readSettingsFile(file, { uid, privateWrites: false });

  it('is read by its owner, and refused as somebody else’s unless that is root', async () => {
    expect((await asUser(callerUid))?.root).toMatchObject({ kind: 'object' });
    if (callerUid !== 0) {
      expect((await refusalOf(asUser(callerUid + 1))).code).toBe('CONFIG_UNSAFE');
      return;
    }
    expect((await asUser(4242))?.digest).toMatch(/^sha256:/);
    chownSync(file, 4242, 4242);
    expect((await asUser(4242))?.root).toMatchObject({ kind: 'object' });
    const refusal = await refusalOf(asUser(0));
    expect(refusal.code).toBe('CONFIG_UNSAFE');
    expect(refusal.message).toContain('belongs to user 4242, not to you (user 0)');
  });

  it('may be missing', async () => {
    expect(await readSettingsFile(join(made.home, 'none'), { uid: callerUid, privateWrites: true })).toBeNull();
  });

  it('is refused when it is a pipe, without waiting for a writer', async () => {
    const pipe = join(made.home, 'pipe');
    execFileSync('/usr/bin/mkfifo', [pipe]);
    const refusal = await refusalOf(readSettingsFile(pipe, { uid: callerUid, privateWrites: true }));
    expect(refusal.message).toContain('is no regular file');
  });

  it('is refused where a folder of its path is a file', async () => {
    const below = join(file, 'config.json');
    const refusal = await refusalOf(readSettingsFile(below, { uid: callerUid, privateWrites: true }));
    expect(refusal.message).toContain('cannot be opened (ENOTDIR)');
  });

  it('keeps the digest of the bytes and the place of every value', async () => {
    const read = await asUser(callerUid);
    expect(read?.placeOf(6)).toEqual({ line: 1, column: 7 });
    expect(read?.problems).toEqual([]);
  });
});
