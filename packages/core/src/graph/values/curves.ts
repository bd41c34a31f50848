import type { ECDSA } from '@noble/curves/abstract/weierstrass.js';
import { curvesLibrary, hashesLibrary, weierstrassLibrary } from './key-libraries.ts';

/** Curves that Go's crypto/x509 knows. */
export type NamedCurve = 'P-224' | 'P-256' | 'P-384' | 'P-521';

/** FIPS 186-4, D.1.2.2. */
const p224Numbers = {
  p: 0xffffffffffffffffffffffffffffffff000000000000000000000001n,
  n: 0xffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3dn,
  h: 1n,
  a: 0xfffffffffffffffffffffffffffffffefffffffffffffffffffffffen,
  b: 0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4n,
  Gx: 0xb70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21n,
  Gy: 0xbd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34n,
};
let p224: ECDSA | undefined;

/** Signatures with a curve. */
export function curveOf(name: NamedCurve): ECDSA {
  if (name === 'P-224') {
    const { ecdsa, weierstrass } = weierstrassLibrary();
    p224 ??= ecdsa(weierstrass(p224Numbers), hashesLibrary().sha224);
    return p224;
  }
  const { p256, p384, p521 } = curvesLibrary();
  return { 'P-256': p256, 'P-384': p384, 'P-521': p521 }[name];
}

/** Whether bytes, compressed or in full, are a point of a curve. */
export function isPointOf(name: NamedCurve, bytes: Uint8Array): boolean {
  try {
    curveOf(name).Point.fromBytes(bytes);
    return true;
  } catch {
    return false;
  }
}
