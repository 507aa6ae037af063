/**
 * Named judgements of a value that a pattern cannot make: which addresses and host names say something about a network.
 *
 * The documentation ranges (RFC 5737, RFC 3849, RFC 2606, RFC 7042) stay quiet, as do loopback, wildcard, broadcast and
 * multicast: they are the same in every network and a reviewer reads them.
 */
import { isPasswordLike, isTokenLike, isVendorValue, isWordPassword } from './value-judgements.js';

type Octets = readonly [number, number, number, number];

const octetsOf = (text: string): Octets | null => {
  const parts = text.split('.').map(Number);
  const [a, b, c, d] = parts;
  if (parts.length !== 4 || a === undefined || b === undefined || c === undefined || d === undefined) return null;
  return parts.every((part) => part >= 0 && part <= 255) ? [a, b, c, d] : null;
};

/** Parts of version and section numbers stay below this. */
const SMALL_PART = 32;

const isDocumentationIpv4 = ([a, b, c]: Octets): boolean =>
  (a === 192 && b === 0 && c === 2) || (a === 198 && b === 51 && c === 100) || (a === 203 && b === 0 && c === 113);

const isPrivateIpv4 = ([a, b]: Octets): boolean =>
  a === 10 ||
  (a === 172 && b >= 16 && b <= 31) ||
  (a === 192 && b === 168) ||
  (a === 169 && b === 254) ||
  (a === 100 && b >= 64 && b <= 127);

/**
 * Loopback, "this network", benchmarking, multicast, reserved, broadcast; and what only looks like an address: versions such
 * as 1.0.0.0, section numbers and object identifiers, whose parts are all small.
 */
const isQuietIpv4 = (octets: Octets): boolean => {
  const [a, b, c, d] = octets;
  if (a === 0 || a === 127 || a >= 224 || (a === 198 && (b === 18 || b === 19))) return true;
  // Arcs of X.500 and ISO object identifiers.
  if ((a === 1 && b <= 3) || (a === 2 && b === 5)) return true;
  if (a !== 10 && octets.every((octet) => octet <= SMALL_PART)) return true;
  return (b === 0 && c === 0 && d === 0) || isDocumentationIpv4(octets);
};

/** Well-known resolvers, named in every manual. */
const KNOWN_RESOLVERS = new Set(['1.1.1.1', '1.0.0.1', '8.8.8.8', '8.8.4.4', '9.9.9.9']);

const expandIpv6 = (text: string): readonly number[] | null => {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const groupsOf = (half: string): number[] =>
    half === '' ? [] : half.split(':').map((one) => Number.parseInt(one, 16));
  const head = groupsOf(halves[0] ?? '');
  const tail = halves.length === 2 ? groupsOf(halves[1] ?? '') : [];
  const gap = 8 - head.length - tail.length;
  if (halves.length === 1 ? gap !== 0 : gap < 1) return null;
  const groups = [...head, ...new Array<number>(Math.max(gap, 0)).fill(0), ...tail];
  return groups.every((one) => one >= 0 && one <= 0xffff) ? groups : null;
};

/** An IPv6 address that names a host or a network: global unicast, unique local or link local. */
const isTellingIpv6 = (text: string): boolean => {
  const groups = expandIpv6(text);
  if (groups === null) return false;
  const [first = 0, second = 0] = groups;
  const isDocumentation = (first === 0x2001 && second === 0x0db8) || (first === 0x3fff && second < 0x1000);
  const isUnicast = (first & 0xe000) === 0x2000 || (first & 0xfe00) === 0xfc00 || (first & 0xffc0) === 0xfe80;
  return isUnicast && !isDocumentation && groups.slice(1).some((one) => one !== 0);
};

/** A hardware address that is neither empty, broadcast, a documentation one (00-00-5E-00-53-xx) nor a counting example. */
const isTellingMac = (text: string): boolean => {
  const digits = text.replace(/[:.-]/g, '').toLowerCase();
  if (digits.startsWith('00005e0053') || digits.startsWith('01005e')) return false;
  if (/^(.)\1+$/.test(digits) || /^(..)\1+$/.test(digits)) return false;
  return !['001122334455', '0123456789ab', 'aabbccddeeff', '112233445566', '123456789abc', 'deadbeefcafe'].includes(
    digits,
  );
};

const ipv4 =
  (judge: (octets: Octets, text: string) => boolean) =>
  (text: string): boolean => {
    const octets = octetsOf(text);
    return octets !== null && judge(octets, text);
  };

const JUDGEMENTS = {
  'public-ipv4': ipv4((octets, text) => !isQuietIpv4(octets) && !isPrivateIpv4(octets) && !KNOWN_RESOLVERS.has(text)),
  'private-ipv4': ipv4((octets) => isPrivateIpv4(octets) && !isQuietIpv4(octets)),
  'telling-ipv6': isTellingIpv6,
  'telling-mac': isTellingMac,
  'token-like': isTokenLike,
  'password-like': isPasswordLike,
  'vendor-value': isVendorValue,
  'word-password': isWordPassword,
} as const satisfies Readonly<Record<string, (text: string) => boolean>>;

/** Names that a rule's `judge` filter may give. */
export const JUDGEMENT_NAMES: readonly string[] = Object.keys(JUDGEMENTS);

const isJudgement = (name: string): name is keyof typeof JUDGEMENTS => Object.hasOwn(JUDGEMENTS, name);

/** The judgement called `name`; an unknown name lets everything through, since it must never hide a finding. */
export const judgementOf = (name: string): ((text: string) => boolean) =>
  isJudgement(name) ? JUDGEMENTS[name] : () => true;
