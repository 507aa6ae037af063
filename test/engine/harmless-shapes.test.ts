/**
 * What models must still be able to read (engine.md section 1.7), through the built thread with every view on: a shape in
 * every place where a value would stand is left alone, and the very same places give up a value. Values are drawn from a
 * seed when the test runs.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeReviewProfile, openPool } from '../../bench/support/memory-assembly.js';
import type { Finding } from '../../src/contract/finding.js';
import type { ScanPool } from '../../src/pool/scan-pool.js';
import { expandExample } from '../../src/rules/expand-example.js';
import { projectFolder } from '../support/run-coldseal.js';
import { batchOf } from '../support/scan-fixtures.js';

let pool: ScanPool;

beforeAll(async () => {
  pool = await openPool(join(projectFolder, 'dist'), 1);
});

afterAll(() => pool.close());

const scanAll = async (texts: readonly string[]): Promise<readonly (readonly Finding[])[]> => {
  const profile = { ...changeReviewProfile(`${pool.rulesDigest} secret`), families: ['secret'] as const };
  const { outcomes } = await pool.scan(batchOf(texts, profile));
  return outcomes.map((outcome) => {
    if (!outcome.ok) throw new Error(`not scanned: ${outcome.detail}`);
    return outcome.findings;
  });
};

/** Where a value stands without quotes. */
const BARE = [
  'password = §',
  'password: §',
  'const apiKey = §;',
  'api_key := §',
  'self.secret_key = §',
  'client_secret=§,',
  'export AUTH_TOKEN=§',
  '  - name: DB_PASSWORD\n    value: §\n',
  'login(user, password=§)',
  'curl -H "Authorization: Bearer §"',
  'tool --token §',
  'tool --api-key=§ run',
];

/** Where it stands in quotes or markup of its own. */
const QUOTED = [
  'password = "§"',
  "secret: '§'",
  '{"password": "§", "user": "ada"}',
  '{"name": "API_TOKEN", "value": "§"}',
  'const token: string = "§";',
  '<password>§</password>',
  '<add key="ApiSecret" value="§" />',
  'https://ada:§@db.example.org/x',
  'https://api.example.org/?api_key=§&v=1',
  'X-Api-Key: §',
  'API_KEY="§"',
  '<apiToken>\n    §\n</apiToken>',
  'api_token: |\n  §\n',
  '<key>ApiToken</key>\n<string>§</string>',
  'var apiToken string = "§"',
  'const API_TOKEN: &str = "§";',
  "ENV['API_TOKEN'] ||= '§'",
  '#define API_TOKEN "§"',
  '| API token | § |',
  'API token (production): §',
];

/** Written in code as they are. */
const CODE_SHAPES = [
  '\x24{DB_PASSWORD}',
  '$DB_PASSWORD',
  '{{ db_password }}',
  '$(cat /run/secrets/db)',
  'process.env.DB_PASSWORD',
  'process.env["DB_PASSWORD"]',
  'os.getenv("DB_PASSWORD")',
  'os.environ["DB_PASSWORD"]',
  'System.getenv("DB_PASSWORD")',
  'credentials?.password',
  'config.auth.token',
  'getPassword()',
  'true',
  'null',
  'undefined',
  'None',
  '12345',
  'string',
  'String',
  'SecretStr',
];

/** Written inside quotes or markup. */
const TEXT_SHAPES = [
  '\x24{DB_PASSWORD}',
  '\x24{{ secrets.DB_PASSWORD }}',
  '{{ db_password }}',
  '{{ .Values.auth.password }}',
  '$(DB_PASSWORD)',
  '%(password)s',
  '<%= ENV["DB_PASSWORD"] %>',
  '<YOUR_KEY>',
  '<your-password-here>',
  'YOUR_API_KEY',
  'xxxxxxxx',
  'XXXXXXXXXXXXXXXX',
  '********',
  'changeme',
  'string',
];

const placed = (frames: readonly string[], shapes: readonly string[]): readonly string[] =>
  frames.flatMap((frame) => shapes.map((shape) => frame.replace('§', () => shape)));

describe('a shape that is no value is left alone', () => {
  test.each([
    ['without quotes', placed(BARE, CODE_SHAPES)],
    ['in quotes and markup', placed(QUOTED, TEXT_SHAPES)],
  ])('%s, wherever a value would stand', async (_name, texts) => {
    const found = await scanAll(texts);
    const taken = texts.flatMap((text, at) => (found[at] ?? []).map(({ ruleId }) => `${ruleId}: ${text}`));
    expect(taken).toEqual([]);
    expect(texts.length).toBeGreaterThan(150);
  });

  test('in a whole file of such lines', async () => {
    const text = placed(BARE, CODE_SHAPES).join('\n');
    expect((await scanAll([text])).flat().map(({ ruleId, line }) => `${ruleId} line ${line}`)).toEqual([]);
  });
});

describe('the same places give up a value', () => {
  test.each([...BARE, ...QUOTED])('%s', async (frame) => {
    const value = expandExample('{mixed:32}', frame);
    const text = frame.replace('§', () => value);
    const [found = []] = await scanAll([text]);
    const start = Buffer.byteLength(text.slice(0, text.indexOf(value)));
    const whole = found.some((one) => one.start <= start && one.end >= start + value.length);
    expect(whole).toBe(true);
  });

  test.each([
    'password = os.getenv("DB_PASSWORD", "§")',
    "password = process.env.DB_PASSWORD || '§'",
    'password: \x24{DB_PASSWORD:-§}',
    'password = os.environ.get("DB_PASSWORD", "§")',
    'const token = config?.token ?? "§";',
  ])('a fallback is one: %s', async (frame) => {
    const value = expandExample('{mixed:32}', frame);
    const text = frame.replace('§', () => value);
    const [found = []] = await scanAll([text]);
    const start = text.indexOf(value);
    expect(found.map((one) => [one.start, one.end])).toContainEqual([start, start + value.length]);
  });
});

describe('ordinary text is left alone', () => {
  test.each([
    [
      'hashes of a lock file',
      '"integrity": "sha512-{base64:86}==",\n"resolved": "https://r.example.org/a.tgz#{hex:40}"',
    ],
    ['hashes of commits and objects', 'commit {hex:40}\ntree {hex:40}\nindex {hex:7}..{hex:7} 100644'],
    ['checksums beside file names', '{hex:64}  release.tar.gz\nSHA256 (a.iso) = {hex:64}\nmd5: {hex:32}'],
    ['UUIDs', 'id = "{uuid}"\n<guid>{uuid}</guid>\nrequest {uuid} took 3 ms'],
    ['a picture', 'background:url(data:image/png;base64,iVBORw0KGgo{base64:400})'],
    ['a source map', '{"version":3,"mappings":"AAAA,{letters:300};AACA","names":["token","password"]}'],
    ['a minified line', 'function a(t){return t.password===e.password&&(t.token=n(e.token),!0)}var b=a;'],
    ['prose', 'The secret of a good password is its length; a token expires, a key is rotated every 90 days.'],
    ['a regular expression', 'const TOKEN = /^(?:ghp|gho)_[A-Za-z0-9]{36}$/;'],
    ['a type', 'interface Login { password: string; token?: SecretString; apiKey: Record<string, unknown> }'],
    ['a form', '<input type="password" name="password" placeholder="Enter your password" autocomplete="new-password">'],
    ['dependencies', '"jsonwebtoken": "^9.0.2",\n"password-hash": "1.2.2",\n"@scope/secret-store": "~4.1.0"'],
    ['a lock file of Yarn', '  version: 3.1.2\n  checksum: 10c0/{hex:128}\n  languageName: node'],
    ['a lock file of Cargo', 'name = "secret-key"\nchecksum = "{hex:64}"\nsource = "git+https://x.example/y#{hex:40}"'],
    ['a lock file of Go', 'example.org/auth v1.2.3 h1:{base64:43}=\nexample.org/auth v1.2.3/go.mod h1:{base64:43}='],
    ['pinned Python packages', 'token-auth==1.2.3 \\\n    --hash=sha256:{hex:64} \\\n    --hash=sha256:{hex:64}'],
    ['sources of a build', 'rev = "{hex:40}";\nsha256 = "{base32:52}";\nhash = "sha256-{base64:43}=";'],
    ['images by digest', 'FROM node@sha256:{hex:64}\nimage: example.org/app:{hex:40}'],
    ['a cache in CI', "key: linux-\x24{{ hashFiles('**/lock') }}\nrestore-keys: linux-{hex:40}\ncache-key: {hex:40}"],
    ['a handshake', 'Sec-WebSocket-Key: {base64:22}==\nSec-WebSocket-Accept: {base64:27}='],
    ['public keys', 'publicKey: "{base64:43}="\nssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{base64:372} a@b'],
    ['proof keys', 'GET /authorize?code_challenge={base64url:43}&code_challenge_method=S256'],
    ['ids of a type and a time', "{ session_id: 'sess_01{base58:22}', slack_channel_id: 'slch_01{base58:22}' }"],
    ['an inlined module', 'const wasm="{base64:4000}";'],
    ['a payload', '"payload": "{base64url:2000}"'],
    ['elements of a page', '<div class="css-{alnum:6} app_root__{base62:6}" data-key="{uuid}">'],
    ['a default of a message queue', 'amqp://guest:guest@localhost:5672/'],
    ['a JSON pointer', "mapping:\n  password: '#/components/schemas/password'"],
    ['a place that goes by PWD', "USER: 'ann{lower:5}',\nPWD: '/Users/ann{lower:5}'"],
    ['a hash of a tokenizer', 'tokenizer_hash: {hex:64}'],
    ['an encoded word', 'location=%2Fdocs%2Fpasswords%2Freset%3Fnext%3D%252Fhome'],
    ['escaped prose', '"message": "The \\"token\\" is missing\\n\\tpass --token or set TOKEN"'],
  ])('%s', async (_name, template) => {
    const texts = ['ordinary', 'plain', 'common'].map((seed) => expandExample(template, seed));
    expect((await scanAll(texts)).flat().map(({ ruleId }) => ruleId)).toEqual([]);
  });
});
