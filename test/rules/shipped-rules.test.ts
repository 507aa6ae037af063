/**
 * What the shipped rules of family `secret` take together: tokens whole wherever they stand, values in every form of
 * assignment, and none of the harmless shapes. All values are drawn from a seed at run time.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Span } from '../../src/contract/finding.js';
import { expandExample } from '../../src/rules/expand-example.js';
import { findWithRule } from '../../src/rules/find-with-rule.js';
import { loadRuleSet } from '../../src/rules/load-rule-set.js';

const FOLDER = fileURLToPath(new URL('../../config/rules', import.meta.url));
const TESTS = fileURLToPath(new URL('.', import.meta.url));

const finders = loadRuleSet(FOLDER)
  .rules.filter(({ family }) => family === 'secret')
  .map((rule) => ({ id: rule.id, severity: rule.severity, find: findWithRule(rule) }));

const spansIn = (text: string): readonly (Span & { readonly id: string })[] => {
  const bytes = Buffer.from(text, 'utf8');
  return finders.flatMap(({ id, find }) => find(bytes).map((span) => ({ ...span, id })));
};

/** Every byte of `[start, end)` lies in some span. */
const isCovered = (spans: readonly Span[], start: number, end: number): boolean => {
  for (let at = start; at < end; at++) if (!spans.some((span) => span.start <= at && at < span.end)) return false;
  return true;
};

/** Expands `token`, puts it where `§` stands in `frame`, and says whether each is taken whole. */
const takes = (frame: string, token: string): boolean => {
  const value = expandExample(token, `${frame} ${token}`);
  const text = frame.replaceAll('§', () => value);
  const spans = spansIn(text);
  let at = text.indexOf(value);
  let whole = at >= 0;
  while (at >= 0) {
    const start = Buffer.byteLength(text.slice(0, at));
    whole &&= isCovered(spans, start, start + Buffer.byteLength(value));
    at = text.indexOf(value, at + value.length);
  }
  return whole;
};

describe('a token is taken whole wherever it stands', () => {
  const TOKENS = [
    '{github:ghp}',
    'github_pat_{base62:22}_{base62:59}',
    'glpat-{base62:20}',
    'AKIA{base32:16}',
    'dop_v1_{hex:64}',
    'sk_live_{mixed:24}',
    'shpat_{hex:32}',
    'npm_{base62:36}',
    'hf_{base62:34}',
    'gsk_{base62:52}',
    'SG.{base62:22}.{base64url:43}',
    'PMAK-{hex:24}-{hex:34}',
    'sq0atp-{base62:22}',
  ];
  const FRAMES = ['§', 'notes_§', 'v2§', '§_old', '"§"', '(§)', '§,§', 'é§ü', '[§](x)', 'https://x.example/§/y'];
  it.each(TOKENS.flatMap((token) => FRAMES.map((frame) => [token, frame] as const)))('%s in %s', (token, frame) => {
    expect(takes(frame, token)).toBe(true);
  });

  it.each(TOKENS.filter((token) => !/^(?:sk_live|SG)/.test(token)))('%s twice without anything between', (token) => {
    expect(takes('§§', token)).toBe(true);
  });
});

describe('a value is taken in every form of assignment', () => {
  it.each<[string, string]>([
    ['api_token = "§"', '{mixed:24}'],
    ["apiToken: '§'", '{mixed:24}'],
    ['const token: string = "§";', '{mixed:32}'],
    ['let secret = `§`;', '{mixed:24}'],
    ['{"client_secret": "§"}', '{hex:40}'],
    ['{"name": "API_TOKEN", "value": "§"}', '{mixed:32}'],
    ['API_TOKEN=§', '{mixed:24}'],
    ['export GITHUB_SECRET=§ # note', '{hex:40}'],
    ['SECRET ?= §', '{mixed:24}'],
    ['  secret: §', '{mixed:24}'],
    ['- name: DB_PASSWORD\n  value: §', '{mixed:14}'],
    ['<add key="ApiSecret" value="§" />', '{mixed:32}'],
    ['<password>§</password>', '{strong:12}'],
    ['<secretKey>§</secretKey>', '{mixed:32}'],
    ['api_token,§', '{mixed:32}'],
    ['https://x.example/?api_key=§&v=1', '{mixed:32}'],
    ['tool --api-key §', '{mixed:32}'],
    ['tool --token=§ run', '{mixed:32}'],
    ['X-Api-Key: §', '{hex:32}'],
    ['Authorization: Bearer §', '{mixed:40}'],
    ['Authorization: Basic §', '{base64:32}'],
    ['Cookie: lang=en; sessionid=§', '{mixed:32}'],
    ['os.getenv("DB_PASSWORD", "§")', '{mixed:16}'],
    ["process.env.API_KEY || '§'", '{mixed:32}'],
    ['if password == "§":', '{mixed:9}'],
    ["CREATE USER a IDENTIFIED BY '§'", '{strong:12}'],
    ['postgres://app:§@db.example.com/x', '{strong:12}'],
    ['Server=db;User ID=app;Password=§;', '{mixed:12}'],
    ['machine h login u password §', '{mixed:16}'],
    ['mysqldump -u root -p§ shop', '{mixed:12}'],
    ['BITLY_KEY: §', '{hex:40}'],
    ['datadog api key §', '{hex:32}'],
    ['db_password = "hook§hook"', '{mixed:40}'],
    ['optimizely_key: "§"', '{mixed:26}:{mixed:12}:{mixed:10}'],
    ["telnyx:'§'", 'KEY{letters:15}-{mixed:20}-{mixed:18}'],
    ['+API-§', '{upperalnum:26}'],
    ['BITMEX_TOKEN :::= "§"', '{mixed:48}'],
    ['api_key[] = "§"', '{mixed:24}'],
    ['secret = """§"""', '{mixed:24}'],
    ['TOKEN = env.get("TOKEN") or "§"', '{mixed:24}'],
    ['JWT_SECRET: \x24{JWT_SECRET:-§}', 'Copper{digits:4}!'],
    ['<secret>{§}</secret>', 'service AQAAABAAA {mixed:40}'],
    ['{"name":"HMAC_KEY","value":"§"}', '{mixed:32}'],
    ['user_pass,§', '{mixed:24}'],
    ['my token is "§"', '{uuid}'],
    ['ENV ROOT_PASSWORD §', '{mixed:20}'],
    ['tool --encryption-key §', '{uuid}'],
    ['jdbc:oracle:thin:app/§@db:1521:x', '{mixed:12}'],
    ['x = "PGPASSWORD=§ psql -U app"', '{mixed:14}'],
    ['smtp.login("app", "§")', '{mixed:14}'],
    ['new PDO("mysql:host=db;dbname=x", "app", "§")', '{mixed:12}'],
    ['app:§@tcp(db:3306)/x', '{mixed:12}'],
    ['- name: STOREPASS\n  value: "§"', '{mixed:24}'],
    ['mailmodo v1.20.3 access key §', '{mixed:24}'],
    ['key: "§"', 'xai-{mixed:110}'],
    ['wrike: §', 'ey{mixed:60}.{mixed:60}.{mixed:60}.{mixed:60}.{mixed:60}'],
  ])('%s', (frame, value) => {
    expect(takes(frame, value)).toBe(true);
  });
});

describe('harmless text stays as it is', () => {
  it.each([
    '"integrity": "sha512-{base64:86}=="',
    '<script src="x.js" integrity="sha384-{base64:64}" crossorigin="anonymous"></script>',
    'token@npm:1.2.3: resolved https://registry.example.org/token/-/token-1.2.3.tgz#{hex:40}',
    'pip/_vendor/token.py,sha256={base64url:43},18560',
    'commit {hex:40}',
    'index {hex:7}..{hex:7} 100644',
    'id: {uuid}',
    '"token": "string"',
    'type: "password"',
    'password: string;',
    'const token = nextToken(scanner);',
    'let secret = credentials?.password;',
    'password = process.env.DB_PASSWORD',
    'api_key = os.environ["API_KEY"]',
    'password: \x24{{ secrets.DB_PASSWORD }}',
    'DB_PASSWORD=\x24{DB_PASSWORD}',
    'apiKey: "<YOUR_API_KEY>"',
    'api_key: "YOUR-API-KEY-HERE"',
    'token: xxxxxxxxxxxxxxxxxxxxxxxx',
    'password: "********"',
    '"password": "Enter your password"',
    '"generate-password": "^1.7.1"',
    'passwordInput.classList.add("password-input-2")',
    'this.secretValue = asn1.result.secretValue;',
    'importKey("raw", parameters.password, "PBKDF2", false)',
    'the token bucket algorithm is described in RFC 2698',
    'Bearer authentication is used',
    'https://example.com:8080/@scope/name',
    'git@github.com:owner/repository.git',
    'postgres://app:\x24{PASSWORD}@db/x',
    'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'sk-proj-settings and npm_config_registry',
    'SyntaxKind.OpenBraceToken, SyntaxKind.CloseBraceToken',
    'sessionStorage.getItem("accessToken")',
    'Unexpected_token_A_constructor_was_expected_1068',
    'Ed25519PrivateKey, Ed25519PublicKey',
    'base64,{words:4}',
  ])('%s', (template) => {
    expect(spansIn(expandExample(template, 'harmless')).map(({ id }) => id)).toEqual([]);
  });
});

describe('no secret-shaped text stands', () => {
  const files = [
    ...readdirSync(FOLDER).map((name) => FOLDER.concat('/', name)),
    ...readdirSync(TESTS)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => TESTS.concat(name)),
  ];
  it('in the rule files and in these tests: every random part is a template', () => {
    expect(files.length).toBeGreaterThan(8);
    const found = files.flatMap((file) =>
      spansIn(readFileSync(file, 'utf8')).map(
        ({ id, start, end }) => `${file.split('/').at(-1)} ${id} ${start}-${end}`,
      ),
    );
    expect(found).toEqual([]);
  }, 60_000);
});
