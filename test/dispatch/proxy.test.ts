import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/contract/route.js';
import { isLoopback } from '../../src/dispatch/open-socket.js';
import { proxyFor, proxySettings } from '../../src/dispatch/proxy.js';

const endpoint = (host: string, port = 443, remote = true): Endpoint => ({
  baseUrl: `https://${host}:${port}/v1`,
  host,
  port,
  remote,
});

describe('proxy settings', () => {
  it.each([
    [{ HTTPS_PROXY: 'http://a' }, 'http://a', null],
    [{ https_proxy: 'http://b' }, 'http://b', null],
    [{ HTTPS_PROXY: 'http://a', https_proxy: 'http://b' }, 'http://b', null],
    [{ HTTP_PROXY: 'http://a', ALL_PROXY: 'http://c' }, null, null],
    [{ HTTPS_PROXY: '', NO_PROXY: '*' }, null, '*'],
    [{ no_proxy: 'a', NO_PROXY: 'b' }, null, 'a'],
  ])('%j', (environment, httpsProxy, noProxy) => {
    expect(proxySettings(environment)).toEqual({ httpsProxy, noProxy });
  });
});

describe('the proxy for a call', () => {
  it.each([
    ['http://proxy.example', 'http://proxy.example:80', 80, false],
    ['http://proxy.example:3128/', 'http://proxy.example:3128', 3128, false],
    ['https://proxy.example', 'https://proxy.example:443', 443, true],
    ['proxy.example:3128', 'http://proxy.example:3128', 3128, false],
    ['http://[::1]:3128', 'http://[::1]:3128', 3128, false],
  ])('%s', (httpsProxy, shown, port, secure) => {
    expect(proxyFor(endpoint('api.example.com'), { httpsProxy, noProxy: null })).toMatchObject({
      ...{ shown, port, secure, authorization: null, secrets: [] },
    });
  });

  it.each([['socks5://a:1'], ['http://'], ['ftp://a'], ['http://a:99999']])('%s cannot be used', (httpsProxy) => {
    expect(() => proxyFor(endpoint('api.example.com'), { httpsProxy, noProxy: null })).toThrow(/HTTPS_PROXY/);
  });

  it('is none for a provider on this machine', () => {
    expect(proxyFor(endpoint('localhost', 443, false), { httpsProxy: 'http://a', noProxy: null })).toBeNull();
  });

  it('has its credential decoded for the header and listed for scrubbing, and not in what is shown', () => {
    const proxy = proxyFor(endpoint('api.example.com'), { httpsProxy: 'http://me:p%40ss@a:1', noProxy: null });
    expect(proxy).toMatchObject({
      shown: 'http://a:1',
      authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
      secrets: ['p@ss', 'me:p@ss'],
    });
  });

  it.each([
    ['*', 'api.example.com', true],
    ['api.example.com', 'api.example.com', true],
    ['API.example.COM', 'api.example.com', true],
    ['example.com', 'api.example.com', true],
    ['.example.com', 'api.example.com', true],
    ['*.example.com', 'api.example.com', true],
    ['other.com, example.com', 'api.example.com', true],
    ['other.com example.com', 'api.example.com', true],
    ['api.example.com:443', 'api.example.com', true],
    ['api.example.com:8443', 'api.example.com', false],
    ['ample.com', 'api.example.com', false],
    ['api.example.com.org', 'api.example.com', false],
    ['', 'api.example.com', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['2.3', '10.1.2.3', false],
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/16', '10.1.2.3', false],
    ['10.0.0.0/99', '10.1.2.3', false],
    ['10.0.0.0/8', 'ten.example.com', false],
    ['[fd00::1]:443', '[fd00::1]', true],
    ['fd00::/8', '[fd00::1]', true],
    ['fd00::/8', '10.1.2.3', false],
  ])('NO_PROXY=%j passes %s by: %s', (noProxy, host, passes) => {
    expect(proxyFor(endpoint(host), { httpsProxy: 'http://a', noProxy }) === null).toBe(passes);
  });
});

describe('the other end of a socket', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['::FFFF:127.0.0.1', true],
    ['128.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    ['::2', false],
    ['0.0.0.0', false],
    ['::', false],
    ['127.evil', false],
    [undefined, false],
  ])('%s is this machine: %s', (address, loopback) => {
    expect(isLoopback(address)).toBe(loopback);
  });
});
