/**
 * Which proxy a call goes through, from environment settings that somebody else read.
 *
 * `HTTPS_PROXY` and `NO_PROXY` are honoured in both cases of letters, lower case first as in curl. `HTTP_PROXY` is not
 * looked at: plain http goes to this machine only, and a call to this machine is never proxied.
 */
import { BlockList, isIP } from 'node:net';
import type { Endpoint } from '../contract/route.js';
import { callFailure } from './call-failure.js';

/** As typed in the environment; `null` where nothing is set. */
export interface ProxySettings {
  readonly httpsProxy: string | null;
  readonly noProxy: string | null;
}

/** Picks the proxy variables out of an environment. An empty value is no value. */
export const proxySettings = (environment: Readonly<Record<string, string | undefined>>): ProxySettings => ({
  httpsProxy: environment['https_proxy'] || environment['HTTPS_PROXY'] || null,
  noProxy: environment['no_proxy'] || environment['NO_PROXY'] || null,
});

export interface ProxyServer {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  /** What is named on stderr and in the record: scheme, host and port, never its credential. */
  readonly shown: string;
  /** Value of `Proxy-Authorization`, or `null`. */
  readonly authorization: string | null;
  /** Parts of the proxy's credential, to be scrubbed like the provider's. */
  readonly secrets: readonly string[];
}

/** The proxy for a call to the endpoint, or `null` for a direct one. A setting that cannot be used fails the call. */
export const proxyFor = (endpoint: Endpoint, settings: ProxySettings): ProxyServer | null => {
  if (!endpoint.remote || settings.httpsProxy === null || bypasses(endpoint, settings.noProxy ?? '')) {
    return null;
  }
  const typed = settings.httpsProxy.includes('://') ? settings.httpsProxy : `http://${settings.httpsProxy}`;
  const url = URL.canParse(typed) ? new URL(typed) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw callFailure(
      'PROVIDER_UNREACHABLE',
      'HTTPS_PROXY is not an http or https address; correct it, unset it, or name the host in NO_PROXY.',
    );
  }
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  const user = decoded(url.username);
  const password = decoded(url.password);
  return {
    secure,
    host: bareHost(url.hostname),
    port,
    shown: `${url.protocol}//${url.hostname}:${port}`,
    authorization:
      user === '' && password === '' ? null : `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    secrets: [password, `${user}:${password}`].filter((part) => part.length > 1),
  };
};

/** A host without the brackets of an IPv6 literal. */
export const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** `NO_PROXY`: `*`, host names with everything below them, addresses, ranges in CIDR form, each with an optional port. */
const bypasses = (endpoint: Endpoint, list: string): boolean => {
  const host = bareHost(endpoint.host).toLowerCase();
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const { name, port } = splitPort(entry.toLowerCase());
      return (port === null || port === endpoint.port) && namesHost(name, host);
    });
};

const namesHost = (name: string, host: string): boolean => {
  if (name === '*') {
    return true;
  }
  const [address = '', prefix] = name.split('/');
  if (prefix !== undefined) {
    return inRange(host, address, Number(prefix));
  }
  const domain = name.replace(/^\*?\./, '');
  return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
};

const inRange = (host: string, network: string, prefix: number): boolean => {
  const family = isIP(network);
  const most = family === 4 ? 32 : 128;
  if (family === 0 || isIP(host) !== family || !Number.isInteger(prefix) || prefix < 0 || prefix > most) {
    return false;
  }
  const range = new BlockList();
  const name = family === 4 ? 'ipv4' : 'ipv6';
  range.addSubnet(network, prefix, name);
  return range.check(host, name);
};

const splitPort = (entry: string): { readonly name: string; readonly port: number | null } => {
  const parts = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry);
  return parts === null
    ? { name: bareHost(entry), port: null }
    : { name: bareHost(parts[1] ?? ''), port: parts[2] === undefined ? null : Number(parts[2]) };
};
