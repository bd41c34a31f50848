// Libraries that make digests, read certificates and check signatures. Each is loaded when it is first needed, which is in few reviews:
// together they would take as long as a review of a small plan.
import { createRequire } from 'node:module';

let asn1: typeof import('asn1js') | undefined;
let curves: typeof import('@noble/curves/nist.js') | undefined;
let weierstrass: typeof import('@noble/curves/abstract/weierstrass.js') | undefined;
let edwards: typeof import('@noble/curves/ed25519.js') | undefined;
let rsa: typeof import('micro-rsa-dsa-dh/rsa.js') | undefined;
let hashes: typeof import('@noble/hashes/sha2.js') | undefined;
let oldHashes: typeof import('@noble/hashes/legacy.js') | undefined;
let macs: typeof import('@noble/hashes/hmac.js') | undefined;

/** ASN.1, in which keys and certificates are written. */
export function asn1Library(): typeof import('asn1js') {
  asn1 ??= createRequire(import.meta.url)('asn1js') as typeof import('asn1js');
  return asn1;
}

/** The curves P-256, P-384 and P-521. */
export function curvesLibrary(): typeof import('@noble/curves/nist.js') {
  curves ??= createRequire(import.meta.url)(
    '@noble/curves/nist.js',
  ) as typeof import('@noble/curves/nist.js');
  return curves;
}

/** Any other curve, by its numbers. */
export function weierstrassLibrary(): typeof import('@noble/curves/abstract/weierstrass.js') {
  weierstrass ??= createRequire(import.meta.url)(
    '@noble/curves/abstract/weierstrass.js',
  ) as typeof import('@noble/curves/abstract/weierstrass.js');
  return weierstrass;
}

/** Signatures with Ed25519. */
export function edwardsLibrary(): typeof import('@noble/curves/ed25519.js') {
  edwards ??= createRequire(import.meta.url)(
    '@noble/curves/ed25519.js',
  ) as typeof import('@noble/curves/ed25519.js');
  return edwards;
}

/** Signatures with RSA. */
export function rsaLibrary(): typeof import('micro-rsa-dsa-dh/rsa.js') {
  rsa ??= createRequire(import.meta.url)(
    'micro-rsa-dsa-dh/rsa.js',
  ) as typeof import('micro-rsa-dsa-dh/rsa.js');
  return rsa;
}

/** SHA-2. */
export function hashesLibrary(): typeof import('@noble/hashes/sha2.js') {
  hashes ??= createRequire(import.meta.url)(
    '@noble/hashes/sha2.js',
  ) as typeof import('@noble/hashes/sha2.js');
  return hashes;
}

/** SHA-1, with which old authorities sign. */
export function oldHashesLibrary(): typeof import('@noble/hashes/legacy.js') {
  oldHashes ??= createRequire(import.meta.url)(
    '@noble/hashes/legacy.js',
  ) as typeof import('@noble/hashes/legacy.js');
  return oldHashes;
}

/** Digests with a key. */
export function macsLibrary(): typeof import('@noble/hashes/hmac.js') {
  macs ??= createRequire(import.meta.url)('@noble/hashes/hmac.js') as typeof import('@noble/hashes/hmac.js');
  return macs;
}
