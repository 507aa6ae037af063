import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Environment } from '../../src/config/environment.js';
import { readKeychain } from '../../src/config/read-keychain.js';
import { readSettings } from '../../src/config/read-settings.js';
import { credentialVariable, knownCredentialValues, resolveCredential } from '../../src/config/resolve-credential.js';
import type { Credential } from '../../src/contract/transport.js';
import { callerUid, type MadeHome, makeHome, refusalOf } from './made-home.js';

/** A value that looks like nothing and stands in no file. */
const made = (seed: string): string => createHash('sha256').update(seed).digest('base64url').slice(0, 24);

let home: MadeHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

async function resolved(name: string, credentials: unknown, environment: Environment = {}): Promise<Credential> {
  home.write(home.machineFile, { coldseal: { credentials } });
  return await resolveCredential(name, { settings: await readSettings(home.facts()), environment, uid: callerUid });
}

describe('a credential', () => {
  it.each([
    ['acme', 'COLDSEAL_KEY_ACME'],
    ['my-key.2', 'COLDSEAL_KEY_MY_KEY_2'],
    ['a_b', 'COLDSEAL_KEY_A_B'],
  ])('%s has the variable %s', (name, variable) => {
    expect(credentialVariable(name)).toBe(variable);
  });

  it('comes from its own variable first', async () => {
    const value = made('own');
    const environment = { COLDSEAL_KEY_ACME: value, OTHER: made('other') };
    expect(await resolved('acme', { acme: { env: 'OTHER' } }, environment)).toEqual({ name: 'acme', value });
  });

  it('comes from the variable that the machine file names', async () => {
    const value = made('named');
    expect(await resolved('acme', { acme: { env: 'OTHER' } }, { OTHER: value })).toEqual({ name: 'acme', value });
  });

  it('comes from the file that the machine file names, without its line end', async () => {
    const value = made('file');
    home.write(join(home.machineFolder, 'keys', 'a'), `${value}\n`);
    expect(await resolved('acme', { acme: { file: 'keys/a' } })).toEqual({ name: 'acme', value });
  });

  it('comes from credentials/<name> where no source is named', async () => {
    const value = made('default');
    home.write(join(home.machineFolder, 'credentials', 'acme'), value, 0o400);
    expect(await resolved('acme', {})).toEqual({ name: 'acme', value });
  });

  it.each<[what: string, credentials: unknown, environment: Environment, reason: RegExp]>([
    ['nothing at all', {}, {}, /COLDSEAL_KEY_ACME is not set and .*credentials\/acme is not there/],
    ['an empty variable', { acme: { env: 'OTHER' } }, { OTHER: '' }, /OTHER is not set/],
    ['a variable with a line end', { acme: { env: 'OTHER' } }, { OTHER: 'a\nb' }, /OTHER holds blanks, line ends/],
    ['its own variable with a line end', {}, { COLDSEAL_KEY_ACME: 'a\r\nX: y' }, /COLDSEAL_KEY_ACME holds blanks/],
    ['a file that is not there', { acme: { file: 'gone' } }, {}, /gone is not there/],
    ['a folder that is not there', { acme: { file: 'gone/a' } }, {}, /gone\/a is not there/],
    [
      'no keychain entry',
      { acme: { keychain: { service: 'coldseal-test-none', account: 'none' } } },
      {},
      /no keychain program|no such entry/,
    ],
  ])('is missing with %s, and named', async (_what, credentials, environment, reason) => {
    const refusal = await refusalOf(resolved('acme', credentials, environment));
    expect(refusal.code).toBe('CREDENTIAL_MISSING');
    expect(refusal.message).toContain('The credential "acme"');
    const isNamed = Object.keys(credentials ?? {}).includes('acme');
    expect(refusal.message).toContain(
      isNamed ? 'Give it a value there, or in COLDSEAL_KEY_ACME' : 'Set COLDSEAL_KEY_ACME',
    );
    expect(refusal.message).toMatch(reason);
  });

  it.each([0o640, 0o604, 0o660, 0o601])('is not read from a file of mode %o', async (mode) => {
    home.write(join(home.machineFolder, 'a'), made('wide'), mode);
    const refusal = await refusalOf(resolved('acme', { acme: { file: 'a' } }));
    expect(refusal.code).toBe('CONFIG_UNSAFE');
    expect(refusal.message).toContain('chmod 600');
    expect(refusal.message).not.toContain(made('wide'));
  });

  it('is not read through a link, of the file or of its folder', async () => {
    home.write(join(home.home, 'real'), made('link'));
    mkdirSync(home.machineFolder, { mode: 0o700 });
    symlinkSync(join(home.home, 'real'), join(home.machineFolder, 'a'));
    expect((await refusalOf(resolved('acme', { acme: { file: 'a' } }))).message).toContain('is a symbolic link');
    mkdirSync(join(home.home, 'folder'));
    home.write(join(home.home, 'folder', 'a'), made('link'));
    symlinkSync(join(home.home, 'folder'), join(home.machineFolder, 'f'));
    expect((await refusalOf(resolved('acme', { acme: { file: 'f/a' } }))).message).toContain(
      'leads out of the machine folder',
    );
  });

  it('is not read from a file that is empty, too large or no file', async () => {
    home.write(join(home.machineFolder, 'a'), ' \n');
    expect((await refusalOf(resolved('acme', { acme: { file: 'a' } }))).message).toContain('a is empty');
    home.write(join(home.machineFolder, 'a'), 'x'.repeat(16_385));
    expect((await refusalOf(resolved('acme', { acme: { file: 'a' } }))).message).toContain('the limit is 16384 bytes');
    mkdirSync(join(home.machineFolder, 'b'));
    expect((await refusalOf(resolved('acme', { acme: { file: 'b' } }))).code).toBe('CONFIG_UNSAFE');
  });
});

describe('a keychain entry', () => {
  const entry = { service: 'svc', account: 'me' };
  const program = (script: string): string => {
    const file = join(home.home, 'keychain.sh');
    home.write(file, `#!/bin/sh\n${script}\n`, 0o700);
    return file;
  };
  const asked = (script: string, environment: Environment = {}) =>
    readKeychain(entry, environment, [{ file: program(script), wordsFor: (service, account) => [service, account] }]);

  it('is what the program writes, without its line end', async () => {
    expect(await asked('printf "%s-%s\\n" "$1" "$2"')).toEqual({ ok: true, value: 'svc-me' });
  });

  it('is asked for with nothing of the environment but the session', async () => {
    const environment = { HOME: '/h', SECRET: 'x', PATH: '/evil', LD_PRELOAD: '/evil.so' };
    const answer = await asked('printf "%s|%s|%s" "$HOME" "$SECRET" "$LD_PRELOAD"', environment);
    expect(answer).toEqual({ ok: true, value: '/h||' });
  });

  it.each([
    ['fails', 'echo leaked; exit 1'],
    ['writes nothing', ':'],
    ['writes too much', 'head -c 100000 /dev/zero | tr "\\0" a'],
  ])('has no value when the program %s', async (_what, script) => {
    const answer = await asked(script);
    expect(answer).toMatchObject({ ok: false });
    expect(JSON.stringify(answer)).not.toContain('leaked');
  });

  it('has no value where no program is, and that is said', async () => {
    const answer = await readKeychain(entry, {}, [{ file: join(home.home, 'none'), wordsFor: () => [] }]);
    expect(answer).toMatchObject({ ok: false, reason: expect.stringContaining('no keychain program here') });
  });
});

describe('the credential values that may not stand in a bundle', () => {
  it('are those of every name in the machine file that has 8 bytes or more here', async () => {
    const values = { a: made('a'), b: made('b'), c: made('c') };
    home.write(join(home.machineFolder, 'credentials', 'c'), values.c);
    home.write(home.machineFile, {
      oracle: {
        api: {
          p: { base_url: 'https://a.example.com/', models: ['m'], key: 'a' },
          q: { base_url: 'https://b.example.com/', models: ['m'], key: 'c' },
          r: { base_url: 'https://c.example.com/', models: ['m'], key: 'missing' },
        },
      },
      coldseal: { credentials: { a: { env: 'A' }, b: { env: 'B' }, short: { env: 'SHORT' }, eight: { env: 'EIGHT' } } },
    });
    const environment = { A: values.a, B: values.b, SHORT: '1234567', EIGHT: '12345678' };
    const known = await knownCredentialValues(await readSettings(home.facts()), environment, callerUid);
    expect(known).toEqual([
      { name: 'a', value: values.a },
      { name: 'c', value: values.c },
      { name: 'b', value: values.b },
      { name: 'eight', value: '12345678' },
    ]);
  });

  it('stop the run when a file of them can be read by others', async () => {
    home.write(join(home.machineFolder, 'a'), made('a'));
    home.write(home.machineFile, { coldseal: { credentials: { a: { file: 'a' } } } });
    chmodSync(join(home.machineFolder, 'a'), 0o644);
    const settings = await readSettings(home.facts());
    expect((await refusalOf(knownCredentialValues(settings, {}, callerUid))).code).toBe('CONFIG_UNSAFE');
  });
});
