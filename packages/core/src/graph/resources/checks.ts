import { addressRange } from '../values/address-range.ts';
import { quoted, unprintable } from '../values/go.ts';
import { metadataAbout, metadataNameProblem, metadataProblem } from '../values/metadata.ts';
import { certificatesProblem, publicKeyProblem } from '../values/pem.ts';

/** What servers refuse in a field, or what fails later because of it. */
export interface Check {
  /** What it must be, for the documentation: `a PEM public key: RSA, EC or Ed25519`. */
  about: string;
  /** What is wrong with a value, and what to do; undefined where servers take it. Never repeats a secret. */
  problem(value: never): string | undefined;
}

/** Keys that verify tokens. */
export const publicKey = {
  about: 'the PEM text of one public key or certificate each: RSA, EC on a NIST curve, or Ed25519',
  problem: publicKeyProblem,
} satisfies Check;

/** Certificates of authorities. */
export const certificates = {
  about: 'PEM certificates, at least one that can be read',
  problem: (pem: string) => (pem.trim() === '' ? undefined : certificatesProblem(pem)),
} satisfies Check;

/** Pairs of a JWKS address and its certificates. */
export const keySet = {
  about: 'an address as of `jwksUrl`, and PEM certificates',
  problem: ({ jwks_url: url = '', jwks_ca_pem: pem }: Record<string, string>) =>
    addressProblem(url) ?? (pem ? certificatesProblem(pem) : undefined),
} satisfies Check;

/** Addresses of documents, which may have a query. */
export const address = {
  about: 'an http or https URL without a user, a password or a fragment',
  problem: addressProblem,
} satisfies Check;

/** Issuers, and where their discovery documents are. */
export const issuer = {
  about: 'an http or https URL without a user, a password, a query, a fragment or the well-known suffix',
  problem: (url: string) =>
    addressProblem(url) ??
    (url.includes('?') ? 'an issuer has no query: leave `?` and what follows out' : undefined) ??
    (url.includes('/.well-known/') ? 'give the URL without its /.well-known/… suffix' : undefined),
} satisfies Check;

/** Source addresses. */
export const addressRanges = {
  about: 'IP addresses, or ranges such as `10.0.0.0/8`',
  problem(range: string) {
    // The schema says that a text of a list holds no comma.
    if (addressRange(range) !== undefined || range.includes(',')) return undefined;
    // Servers take what begins with a slash, and much else, for the path of a Unix socket, which no one signs in from.
    return `${JSON.stringify(range)} is no IP address or range: 10.0.0.1, 10.0.0.0/8, fd00::/8`;
  },
} satisfies Check;

/** The longest duration that Go has: 292 years. */
const longest = 9_223_372_036;

/** Durations, and leeways. */
export const durations = {
  about: 'at most 292 years',
  problem: (seconds: number) => (seconds > longest ? 'no service counts more than 292 years' : undefined),
} satisfies Check;

/** The algorithms of signatures that a token may have; none with a shared secret. */
export const signingAlgorithms = [
  ...['RS', 'ES', 'PS'].flatMap((family) => [256, 384, 512].map((bits) => `${family}${bits}`)),
  'EdDSA',
];

/** Algorithms of signatures. */
export const algorithms = {
  about: signingAlgorithms.join(', '),
  problem: (given: string) =>
    signingAlgorithms.includes(given)
      ? undefined
      : `${JSON.stringify(given)} is not a supported algorithm; use one of ${signingAlgorithms.join(', ')}`,
} satisfies Check;

/** What the service keeps of a group or an entity. */
export const metadata = {
  about: metadataAbout,
  problem: (given: Record<string, string>) => metadataProblem('group', given),
} satisfies Check;

/** Claims that go into the metadata of who signs in: a service takes them, and then fails the first sign-in of each. */
export const mappedNames = {
  about: 'at most 63 claims; each name as one of metadata, or no one signs in for the first time',
  problem(mappings: Record<string, string>) {
    const names = Object.values(mappings);
    // The name of the role is one more.
    if (names.length > 63) return 'metadata has at most 64 names, the role among them: map fewer claims';
    for (const name of names) {
      const problem = name === '' ? undefined : metadataNameProblem(name);
      if (problem !== undefined)
        return `no one could sign in for the first time with ${quoted(name)}: ${problem}`;
    }
    return undefined;
  },
} satisfies Check;

/** Names that stand in the paths of requests, where servers and proxies take some parts out. */
const inPaths = (name: string) =>
  name.split('/').some((part) => ['', '.', '..'].includes(part))
    ? 'a name has something other than `.` or `..` before and after each slash'
    : unprintable(name) !== undefined
      ? `${quoted(unprintable(name) ?? '')} cannot be in the path of a request: leave it out of the name`
      : undefined;

/** Names of groups. A service takes any, and does not find some again. */
export const groupName = {
  about: 'a name with something other than `.` or `..` before and after each slash, all of it printable',
  problem: inPaths,
} satisfies Check;

/** Names of policies. */
export const policyName = {
  about: 'a name as of a group; not `root` or `response-wrapping`',
  problem(name: string) {
    const kept = name.trim().toLowerCase();
    if (kept === 'root') return 'the policy root is the service’s own and cannot be declared';
    if (kept === 'response-wrapping')
      return 'the policy response-wrapping is the service’s own and cannot be written';
    return inPaths(name);
  },
} satisfies Check;

/** Paths of auth methods, which stand in the addresses of requests and pages (tried with OpenBao 2.7.2). */
export const methodPath = {
  about: 'a path without blanks, `.`, `..`, `?`, `#` or `%`; not `token`, `sys`, or below `token`',
  problem(path: string) {
    const first = path.split('/')[0];
    if (first === 'token') return '`token` is the service’s own auth method: choose another path';
    // No other method can then be enabled: "existing mount at auth/".
    if (path === 'sys') return 'once a method is at `sys`, OpenBao enables no other: choose another path';
    if (path.split('/').some((part) => part === '.' || part === '..'))
      return 'a path has no `.` or `..` between its slashes';
    const odd = /[?#%]/.exec(path)?.[0] ?? unprintable(path);
    return odd === undefined
      ? undefined
      : `${quoted(odd)} has a meaning of its own in addresses: leave it out of the path`;
  },
} satisfies Check;

function addressProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text)) return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '')
    return 'a user and a password in an address are shown to everyone who may read the method: leave them out';
  return text.includes('#') ? 'an address has no fragment: leave `#` and what follows out' : undefined;
}
