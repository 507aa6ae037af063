/**
 * Remote or on this machine, judged from the text of a `base_url` alone (product.md section 3): no name lookup, no table
 * of private ranges. Whatever is not plainly this machine is remote, so a look-alike (`localhost.`, `0.0.0.0`,
 * `127.0.0.1.example.com`) costs a refusal, never a leak.
 *
 * The raw text is matched first because a bare `?`, `#`, `@` or a backslash vanishes in a parsed URL; only then is the
 * WHATWG parser asked, and only its `hostname` is judged: that is the name the socket is opened to.
 */
import type { Endpoint } from './route.js';

/** The longest `base_url`, in UTF-16 units. */
export const LONGEST_BASE_URL = 2048;

const RAW_BASE_URL = /^https?:\/\/[^\s\p{Cc}\\?#@]+$/u;
const IPV4_THIS_MACHINE = /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;
/** `::ffff:127.0.0.0/104` as the URL parser prints it. */
const MAPPED_THIS_MACHINE = /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/;

export type JudgedEndpoint =
  | { readonly ok: true; readonly endpoint: Endpoint }
  | { readonly ok: false; readonly reason: string };

/** Judges one `base_url`. Never throws; `reason` completes the sentence `"base_url" ...`. */
export function judgeEndpoint(baseUrl: string): JudgedEndpoint {
  if (baseUrl.length > LONGEST_BASE_URL) {
    return refused(`is ${baseUrl.length} characters long; the limit is ${LONGEST_BASE_URL}`);
  }
  if (!RAW_BASE_URL.test(baseUrl)) {
    return refused(
      'must start with http:// or https:// in lower case and hold no blank, control character, backslash, "?", "#" or "@"',
    );
  }
  const url = parse(baseUrl);
  if (url === null || url.hostname === '') return refused('does not parse as a URL');
  const remote = !isThisMachine(url.hostname);
  if (remote && url.protocol === 'http:') {
    return refused(`is plain http to ${url.hostname}, which is not this machine; use https`);
  }
  return { ok: true, endpoint: { baseUrl, host: url.hostname, port: portOf(url), remote } };
}

/** Whether a host name, as the WHATWG parser prints it, is this machine. */
function isThisMachine(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    IPV4_THIS_MACHINE.test(hostname) ||
    MAPPED_THIS_MACHINE.test(hostname)
  );
}

function refused(reason: string): JudgedEndpoint {
  return { ok: false, reason };
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}
