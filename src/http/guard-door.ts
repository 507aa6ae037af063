/**
 * Who is let in, decided from the request's head alone, before a byte of its body is read. A page of another origin can
 * send requests here and a name it owns can be made to lead here, so neither the connection nor the token is enough: the
 * Host must be ours and an Origin must be our own page's.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Listener } from '../app/service/service-context.js';
import { DoorRefusal } from './problem.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * `open` needs no token: health, and the page’s own files, which hold nothing. Anything else does. `client`: a library
     * of a provider's may say it as it says that provider's key, in `x-api-key`.
     */
    access?: 'open' | 'token' | 'client';
    /** `stream`: the body may take as long as it likes. */
    body?: 'stream' | 'whole';
  }
}

export interface DoorRules {
  readonly token: () => string;
  /** Names of the owner’s, with or without a port. */
  readonly allowHosts: readonly string[];
  readonly listener: () => Listener | null;
}

/** Throws `DoorRefusal`. */
export const guardDoor = (request: FastifyRequest, rules: DoorRules): void => {
  const { headers, rawHeaders, url } = request.raw;
  // Absolute form: the name that counts would not be the Host's.
  if (url?.startsWith('/') !== true) throw new DoorRefusal('NOT_FOUND');
  const host = onlyHost(rawHeaders);
  if (host === null || !isOurs(host, rules)) throw new DoorRefusal('HOST_REFUSED');
  const { origin } = headers;
  if (origin !== undefined && origin !== `${schemeOf(rules.listener())}://${host}`)
    throw new DoorRefusal('ORIGIN_REFUSED');
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new DoorRefusal('ORIGIN_REFUSED');
  const access = request.routeOptions.config?.access;
  if (access === 'open') return;
  if (!holdsToken(tokenIn(headers, access === 'client'), rules.token())) throw new DoorRefusal('UNAUTHORIZED');
};

/** The Host as sent, in lower case; `null` when there is none or more than one. */
const onlyHost = (rawHeaders: readonly string[]): string | null => {
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host');
  const [only] = hosts;
  return hosts.length === 1 && only !== undefined ? only.toLowerCase() : null;
};

const schemeOf = (listener: Listener | null): 'http' | 'https' =>
  listener?.kind === 'tcp' && listener.isTls ? 'https' : 'http';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'] as const;

const isOurs = (host: string, { allowHosts, listener }: DoorRules): boolean => {
  const name = host.replace(/:\d{1,5}$/, '');
  if (allowHosts.some((allowed) => [host, name].includes(allowed.toLowerCase()))) return true;
  const at = listener();
  if (at === null) return false;
  if (at.kind === 'socket') return (LOOPBACK_NAMES as readonly string[]).includes(name);
  const own = [at.host.includes(':') ? `[${at.host}]` : at.host, ...(isLoopback(at.host) ? LOOPBACK_NAMES : [])];
  return own.some((one) => host === `${one}:${at.port}`);
};

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Over digests, so that neither the length nor the first wrong byte can be measured. */
const holdsToken = (sent: string, token: string): boolean => timingSafeEqual(digest(sent), digest(token));

const tokenIn = (headers: IncomingHttpHeaders, mayBeKey: boolean): string => {
  const key = headers['x-api-key'];
  if (mayBeKey && typeof key === 'string') return key.trim();
  return (/^bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '').trim();
};
