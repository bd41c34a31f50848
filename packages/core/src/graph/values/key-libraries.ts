// Libraries that make digests, read certificates and check signatures. Each is loaded when it is first needed, which is in few reviews:
// together they would take as long as a review of a small plan.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** ASN.1, in which keys and certificates are written. */
export function asn1Library(): typeof import('asn1js') {
  return require('asn1js') as typeof import('asn1js');
}

/** The curves P-256, P-384 and P-521. */
export function curvesLibrary(): typeof import('@noble/curves/nist.js') {
  return require('@noble/curves/nist.js') as typeof import('@noble/curves/nist.js');
}

/** Any other curve, by its numbers. */
export function weierstrassLibrary(): typeof import('@noble/curves/abstract/weierstrass.js') {
  return require('@noble/curves/abstract/weierstrass.js') as typeof import('@noble/curves/abstract/weierstrass.js');
}

/** Signatures with Ed25519. */
export function edwardsLibrary(): typeof import('@noble/curves/ed25519.js') {
  return require('@noble/curves/ed25519.js') as typeof import('@noble/curves/ed25519.js');
}

/** Signatures with RSA. */
export function rsaLibrary(): typeof import('micro-rsa-dsa-dh/rsa.js') {
  return require('micro-rsa-dsa-dh/rsa.js') as typeof import('micro-rsa-dsa-dh/rsa.js');
}

/** SHA-2. */
export function hashesLibrary(): typeof import('@noble/hashes/sha2.js') {
  return require('@noble/hashes/sha2.js') as typeof import('@noble/hashes/sha2.js');
}

/** SHA-1, with which old authorities sign. */
export function oldHashesLibrary(): typeof import('@noble/hashes/legacy.js') {
  return require('@noble/hashes/legacy.js') as typeof import('@noble/hashes/legacy.js');
}

/** Digests with a key. */
export function macsLibrary(): typeof import('@noble/hashes/hmac.js') {
  return require('@noble/hashes/hmac.js') as typeof import('@noble/hashes/hmac.js');
}
