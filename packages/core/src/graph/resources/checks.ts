import { addressRange } from '../values/address-range.ts';
import { certificatesProblem, publicKeyProblem } from '../values/pem.ts';
import type { Check } from './field.ts';

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
    const odd = /[?#%\p{Cc}]/u.exec(path)?.[0];
    return odd === undefined
      ? undefined
      : `${JSON.stringify(odd)} has a meaning of its own in addresses: leave it out of the path`;
  },
} satisfies Check;

function addressProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text)) return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '')
    return 'a user and a password in an address are shown to everyone who may read the method: leave them out';
  return text.includes('#') ? 'an address has no fragment: leave `#` and what follows out' : undefined;
}
