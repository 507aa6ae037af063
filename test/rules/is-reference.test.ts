/** What must stay readable, and what must not hide behind it. Values are drawn from a seed. */
import { describe, expect, it } from 'vitest';
import { expandExample } from '../../src/rules/expand-example.js';
import { isReference } from '../../src/rules/is-reference.js';

const judge = (template: string): boolean => {
  const text = Buffer.from(expandExample(template, 'reference'), 'utf8');
  return isReference(text, 0, text.length);
};

describe('a value that is no value stays', () => {
  it.each([
    ['\x24{DB_PASSWORD}'],
    ['$DB_PASSWORD'],
    ['\x24{{ secrets.NPM_TOKEN }}'],
    ['{{ .Values.password }}'],
    ['{{password}}'],
    ['$(cat /run/secrets/db)'],
    ['#{password}'],
    ['<%= password %>'],
    ['%(password)s'],
    ['%PASSWORD%'],
    ['%s'],
    ['<YOUR_KEY>'],
    ['&lt;your key&gt;'],
    ['[Shared Access key goes here]'],
    ['xxxxxxxxxxxxxxxx'],
    ['ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'],
    ['****************'],
    ['........'],
    ['process.env.SECRET_TOKEN'],
    ['os.environ["DB_PASSWORD"]'],
    ['os.getenv("DB_PASSWORD")'],
    ['System.getenv("X")'],
    ['config.database.password'],
    ['credentials?.password'],
    ['this.props.token!'],
    ['self::SECRET'],
    ['user->password'],
    ['getPassword()'],
    ['await fetchToken(user)'],
    ['new SecretString('],
    ['true'],
    ['null'],
    ['undefined'],
    ['None'],
    ['12345678'],
    ['3600s'],
    ['0.75'],
    ['2024-01-31T10:00:00Z'],
    ['/etc/ssl/private/server.key'],
    ['./secrets/token.txt'],
    ['C:\\Users\\Public\\key.pem'],
    ['id_rsa.pub'],
    ['https://example.com/oauth/token'],
    ['YOUR-API-KEY-HERE'],
    ['your_secret_token'],
    ['changeme'],
    ['my-password'],
    ['password123'],
    ['!Ref DatabasePassword'],
    ['[blanked'],
    ['[blanked _____:________ #12]'],
    ['[blanked ___:______]'],
    ['(?:[a-z]+|[0-9]+)*'],
    ['#/components/schemas/password'],
    ['/^[a-zA-Z0-9]{6,}$/'],
    ['\\(\\[\\|{\\)\\|\\(\\]\\|}\\)'],
    ['(A[BW]|AE|AN|AP|AR|[BW]L|BM|CA|CH|CP|CR|DD'],
    ['b3.pass,'],
    ['correct-passphrase'],
    ['foobar'],
  ])('%s', (template) => {
    expect(judge(template)).toBe(true);
  });
});

describe('a secret does not hide behind such a shape', () => {
  it.each([
    ['{mixed:24}'],
    ['{hex:40}'],
    ['{base64:44}'],
    ['{strong:16}'],
    ['{uuid}'],
    ['{jwt}'],
    ['prefix-\x24{STAGE}-{mixed:24}'],
    ['{mixed:12}.{mixed:16}'],
    ['hook{mixed:30}hook'],
    ['#/{mixed:24}'],
    ['{mixed:12}|{mixed:24}'],
    ['[blanked{mixed:20}'],
    ['[blanked _____:___ #1]{mixed:20}'],
    ['[blanked token:{mixed:20} #1]'],
    ['password{mixed:20}'],
  ])('%s', (template) => {
    expect(judge(template)).toBe(false);
  });

  it('and a name that is called outside quotes stays', () => {
    const text = Buffer.from('token = readTheSecretToken(user)');
    expect(isReference(text, 8, 26)).toBe(true);
  });
});
