import { describe, expect, it } from 'vitest';
import { compileWithheld } from '../../src/admission/withheld-paths.js';
import type { ListEntry } from '../../src/contract/item.js';

const bytes = (path: string): Uint8Array => new TextEncoder().encode(path);
const path = (glob: string): ListEntry => ({ kind: 'path', glob });

describe('withheld paths', () => {
  const byName = compileWithheld({ withhold: [], list: [] });

  it.each([
    '.env',
    '.env.local',
    '.envrc',
    '.ENV',
    'app/.Env.Production',
    '.env.example.local',
    '.env.examples',
    'server.pem',
    'a/b/SERVER.PEM',
    'tls.key',
    'x.p12',
    'x.pfx',
    'x.jks',
    'id_rsa',
    'id_rsa.pub',
    'keys/ID_RSA',
    'id_rsa_work',
    'id_dsa',
    'id_ecdsa',
    'id_ecdsa_sk',
    'id_ed25519',
    'id_ed25519.old',
    '.netrc',
    '_netrc',
    '.npmrc',
    'pkg/.npmrc',
    '.pypirc',
    '.git-credentials',
    'terraform.tfstate',
    'infra/terraform.tfstate.backup',
    'prod.tfstate.d',
    'kubeconfig',
    'ops/kubeconfig.yaml',
    'prod.kubeconfig',
    '.kube/config',
    'home/.kube/config',
    'credentials.json',
    'credentials-prod.json',
    'gcp/Credentials.JSON',
    '.abcd.noindex/config.json',
    'x/.abcd.noindex/coldseal/records/a',
    '.ABCD.noindex/a',
  ])('hold %s back', (name) => {
    expect(byName(bytes(name))).toBe(true);
  });

  it.each([
    '.env.example',
    'app/.env.example',
    '.ENV.Example',
    'env',
    'a.env',
    'environment.ts',
    '.env.example.d/readme',
    'pem',
    'a.pem.txt',
    'key',
    'keys.ts',
    'monkey',
    'my_id_rsa',
    'netrc',
    'npmrc',
    '.npmrc/readme',
    'tfstate',
    'main.tf',
    'kubeconfig.go',
    'pkg/kubeconfig_test.go',
    'kube/config',
    'credentials.ts',
    'my-credentials.json',
    'abcd.noindex/x',
    '.abcd.noindex',
    '.abcd/config.json',
  ])('let %s pass', (name) => {
    expect(byName(bytes(name))).toBe(false);
  });

  it('hold back what the owner’s globs meet, letter case counting', () => {
    const isWithheld = compileWithheld({ withhold: ['*.lock', 'gen/**'], list: [] });
    expect(['a.lock', 'x/y.lock', 'gen/a/b', '.env'].map((name) => isWithheld(bytes(name)))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['A.LOCK', 'x/gen/a', 'gen'].map((name) => isWithheld(bytes(name)))).toEqual([false, false, false]);
  });

  it('admit a compiled name by its whole path alone', () => {
    const list = [path('.env'), path('config/*.pem'), path('keys/**'), path('*.key')];
    const isWithheld = compileWithheld({ withhold: [], list });
    expect(isWithheld(bytes('.env'))).toBe(false);
    for (const name of ['app/.env', '.ENV', 'config/a.pem', 'keys/id_rsa', 'a.key', '*.key']) {
      expect(isWithheld(bytes(name))).toBe(true);
    }
  });

  it('never lift the owner’s own globs', () => {
    const isWithheld = compileWithheld({ withhold: ['.env'], list: [path('.env')] });
    expect(isWithheld(bytes('.env'))).toBe(true);
  });

  it('judge names outside UTF-8 and shared memory', () => {
    const name = [...bytes('dir/'), 0xff, ...bytes('.pem')];
    const shared = new Uint8Array(new SharedArrayBuffer(name.length));
    shared.set(name);
    expect(byName(shared)).toBe(true);
    expect(byName(new Uint8Array([...bytes('.env'), 0xfe]))).toBe(true);
    expect(byName(new Uint8Array([0xfe, ...bytes('.env')]))).toBe(false);
  });
});
