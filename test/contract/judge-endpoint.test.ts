import { describe, expect, it } from 'vitest';
import { judgeEndpoint, LONGEST_BASE_URL } from '../../src/contract/judge-endpoint.js';

const REMOTE_HTTPS: readonly [url: string, host: string][] = [
  ['https://api.example.com/v1', 'api.example.com'],
  ['https://api.example.com', 'api.example.com'],
  ['https://API.Example.COM/v1', 'api.example.com'],
  ['https://localhost./v1', 'localhost.'],
  ['https://localhost../v1', 'localhost..'],
  ['https://foo.localhost/v1', 'foo.localhost'],
  ['https://localhost.localhost/v1', 'localhost.localhost'],
  ['https://localhost.example.com/v1', 'localhost.example.com'],
  ['https://localhost.localdomain/v1', 'localhost.localdomain'],
  ['https://localhost4/v1', 'localhost4'],
  ['https://localhost6/v1', 'localhost6'],
  ['https://ip6-localhost/v1', 'ip6-localhost'],
  ['https://loopback/v1', 'loopback'],
  ['https://127.0.0.1.example.com/v1', '127.0.0.1.example.com'],
  ['https://127.0.0.1.nip.io/v1', '127.0.0.1.nip.io'],
  ['https://127-0-0-1.example.com/v1', '127-0-0-1.example.com'],
  ['https://l0calhost/v1', 'l0calhost'],
  ['https://locaIhost/v1', 'locaihost'],
  ['https://0.0.0.0/v1', '0.0.0.0'],
  ['https://0/v1', '0.0.0.0'],
  ['https://[::]/v1', '[::]'],
  ['https://126.255.255.255/v1', '126.255.255.255'],
  ['https://128.0.0.1/v1', '128.0.0.1'],
  ['https://10.0.0.1/v1', '10.0.0.1'],
  ['https://172.16.0.1/v1', '172.16.0.1'],
  ['https://192.168.1.1/v1', '192.168.1.1'],
  ['https://169.254.1.1/v1', '169.254.1.1'],
  ['https://100.64.0.1/v1', '100.64.0.1'],
  ['https://[fe80::1]/v1', '[fe80::1]'],
  ['https://[fd00::1]/v1', '[fd00::1]'],
  ['https://[::2]/v1', '[::2]'],
  ['https://[::1:1]/v1', '[::1:1]'],
  ['https://[::127.0.0.1]/v1', '[::7f00:1]'],
  ['https://[::ffff:0:127.0.0.1]/v1', '[::ffff:0:7f00:1]'],
  ['https://[64:ff9b::127.0.0.1]/v1', '[64:ff9b::7f00:1]'],
  ['https://[2002:7f00:1::]/v1', '[2002:7f00:1::]'],
  ['https://[::ffff:128.0.0.1]/v1', '[::ffff:8000:1]'],
  ['https://[::ffff:10.0.0.1]/v1', '[::ffff:a00:1]'],
  ['https://[::ffff:7f:1]/v1', '[::ffff:7f:1]'],
  ['https://host.docker.internal/v1', 'host.docker.internal'],
  ['https://host.containers.internal/v1', 'host.containers.internal'],
  ['https://gateway.docker.internal/v1', 'gateway.docker.internal'],
  ['https://my-machine/v1', 'my-machine'],
  ['https://my-machine.local/v1', 'my-machine.local'],
  ['https:///example.com/v1', 'example.com'],
];

const THIS_MACHINE: readonly [url: string, host: string, port: number][] = [
  ['http://localhost/v1', 'localhost', 80],
  ['https://localhost/v1', 'localhost', 443],
  ['http://localhost:11434/v1', 'localhost', 11434],
  ['http://LocalHost:8080', 'localhost', 8080],
  ['http://%6cocalhost/v1', 'localhost', 80],
  ['http://ｌｏｃａｌｈｏｓｔ/v1', 'localhost', 80],
  ['http://127.0.0.1:8080/v1', '127.0.0.1', 8080],
  ['http://127.0.0.1./v1', '127.0.0.1', 80],
  ['http://127.255.255.254/v1', '127.255.255.254', 80],
  ['http://127.1/v1', '127.0.0.1', 80],
  ['http://127.0.1/v1', '127.0.0.1', 80],
  ['http://0x7f.1/v1', '127.0.0.1', 80],
  ['http://0x7f000001/v1', '127.0.0.1', 80],
  ['http://0177.0.0.1/v1', '127.0.0.1', 80],
  ['http://2130706433/v1', '127.0.0.1', 80],
  ['http://017700000001/v1', '127.0.0.1', 80],
  ['http://[::1]:1234/v1', '[::1]', 1234],
  ['http://[0:0:0:0:0:0:0:1]/v1', '[::1]', 80],
  ['http://[0000::0001]/v1', '[::1]', 80],
  ['http://[::ffff:127.0.0.1]/v1', '[::ffff:7f00:1]', 80],
  ['http://[::ffff:7f00:1]/v1', '[::ffff:7f00:1]', 80],
  ['http://[::FFFF:127.255.0.9]/v1', '[::ffff:7fff:9]', 80],
  ['http://[::ffff:127.0.0.0]/v1', '[::ffff:7f00:0]', 80],
];

const MALFORMED: readonly [what: string, url: string][] = [
  ['no text', ''],
  ['no scheme', 'api.example.com/v1'],
  ['another scheme', 'ftp://api.example.com'],
  ['a file', 'file:///etc/passwd'],
  ['a scheme in capitals', 'HTTPS://api.example.com'],
  ['a scheme without slashes', 'https:api.example.com'],
  ['one slash', 'https:/api.example.com'],
  ['no host', 'https://'],
  ['a user', 'https://user@api.example.com'],
  ['a user that looks like this machine', 'https://localhost@example.com'],
  ['a user and password', 'https://localhost:80@example.com/'],
  ['an empty user', 'https://@example.com'],
  ['a query', 'https://api.example.com/v1?x=1'],
  ['a bare question mark', 'https://api.example.com/v1?'],
  ['a question mark for a host', 'https://example.com?.localhost'],
  ['a fragment', 'https://api.example.com/#x'],
  ['a bare hash', 'https://api.example.com/#'],
  ['a backslash', 'https://localhost\\.example.com'],
  ['a backslash for a slash', 'https:\\\\example.com'],
  ['a blank before', ' https://api.example.com'],
  ['a blank after', 'https://api.example.com '],
  ['a line end after', 'https://api.example.com\n'],
  ['a tab that a parser drops', 'https://exa\tmple.com'],
  ['a line end that a parser drops', 'https://local\nhost'],
  ['a NUL', 'https://example.com\0.localhost'],
  ['an escape character', 'https://example.com\u001b'],
  ['a no-break blank', 'https://example.com\u00a0'],
  ['a port out of range', 'https://api.example.com:65536'],
  ['a port that is no number', 'https://api.example.com:https'],
  ['an IPv4 number out of range', 'http://127.0.0.256'],
  ['an IPv4 of five parts', 'http://127.0.0.0.1'],
  ['an unclosed IPv6', 'http://[::1'],
  ['an IPv6 with a zone', 'http://[::1%25lo0]'],
  ['a percent sign in a host', 'https://exa%mple.com'],
  ['an encoded slash in a host', 'https://localhost%2f.example.com'],
  ['an encoded at sign', 'https://localhost%40example.com'],
];

describe('the judgement of an endpoint', () => {
  it.each(REMOTE_HTTPS)('finds %s remote', (url, host) => {
    expect(judgeEndpoint(url)).toEqual({ ok: true, endpoint: { baseUrl: url, host, port: 443, remote: true } });
  });

  it.each(REMOTE_HTTPS)('takes no plain http to what is remote: %s', (url, host) => {
    const judgement = judgeEndpoint(url.replace(/^https/, 'http'));
    expect(judgement).toEqual({
      ok: false,
      reason: `is plain http to ${host}, which is not this machine; use https`,
    });
  });

  it.each(THIS_MACHINE)('finds %s on this machine', (url, host, port) => {
    expect(judgeEndpoint(url)).toEqual({ ok: true, endpoint: { baseUrl: url, host, port, remote: false } });
  });

  it.each(MALFORMED)('refuses %s', (_what, url) => {
    const judgement = judgeEndpoint(url);
    expect(judgement.ok).toBe(false);
    if (!judgement.ok) expect(judgement.reason).toMatch(/must start with|does not parse/);
  });

  it('keeps the port that was written and bounds the length', () => {
    expect(judgeEndpoint('https://api.example.com:8443/v1')).toMatchObject({ endpoint: { port: 8443 } });
    const long = `https://api.example.com/${'a'.repeat(LONGEST_BASE_URL)}`;
    expect(judgeEndpoint(long)).toEqual({
      ok: false,
      reason: `is ${long.length} characters long; the limit is ${LONGEST_BASE_URL}`,
    });
  });

  it('holds for every text: what it finds on this machine is loopback to the parser as well', () => {
    for (const [url] of [...REMOTE_HTTPS, ...THIS_MACHINE]) {
      const judgement = judgeEndpoint(url);
      if (!judgement.ok || judgement.endpoint.remote) continue;
      expect(new URL(url).hostname).toMatch(/^(localhost|127\.[\d.]+|\[::1\]|\[::ffff:7f..:[\da-f]+\])$/);
    }
  });
});
