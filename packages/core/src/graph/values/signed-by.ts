import type { CHash } from '@noble/hashes/utils.js';
import { algorithmIn, type Certificate, type PublicKey, type SignatureAlgorithm } from './certificate.ts';
import { curveOf } from './curves.ts';
import { getOrMake } from './get-or-make.ts';
import { asn1Library, edwardsLibrary, hashesLibrary, oldHashesLibrary, rsaLibrary } from './key-libraries.ts';

type HashName = 'SHA1' | 'SHA224' | 'SHA256' | 'SHA384' | 'SHA512';

const rsaIds: Readonly<Record<string, HashName>> = {
  '1.2.840.113549.1.1.5': 'SHA1',
  '1.2.840.113549.1.1.11': 'SHA256',
  '1.2.840.113549.1.1.12': 'SHA384',
  '1.2.840.113549.1.1.13': 'SHA512',
  '1.2.840.113549.1.1.14': 'SHA224',
};
const ecIds: Readonly<Record<string, HashName>> = {
  '1.2.840.10045.4.1': 'SHA1',
  '1.2.840.10045.4.3.1': 'SHA224',
  '1.2.840.10045.4.3.2': 'SHA256',
  '1.2.840.10045.4.3.3': 'SHA384',
  '1.2.840.10045.4.3.4': 'SHA512',
};
const hashIds: Readonly<Record<string, HashName>> = {
  '1.3.14.3.2.26': 'SHA1',
  '2.16.840.1.101.3.4.2.1': 'SHA256',
  '2.16.840.1.101.3.4.2.2': 'SHA384',
  '2.16.840.1.101.3.4.2.3': 'SHA512',
  '2.16.840.1.101.3.4.2.4': 'SHA224',
};
const pssId = '1.2.840.113549.1.1.10';
const maskId = '1.2.840.113549.1.1.8';
const ed25519Id = '1.3.101.112';

const answers = new WeakMap<Certificate, Map<Certificate, boolean | undefined>>();

/**
 * Whether a certificate is signed with the key of another one, whatever its names; undefined where the signature or the key are of
 * a kind that is not looked into. Two certificates are compared once: that is slow.
 */
export function isSignedBy(issued: Certificate, issuer: Certificate): boolean | undefined {
  const known = getOrMake(answers, issued, () => new Map<Certificate, boolean | undefined>());
  return getOrMake(known, issuer, () => hasSignatureOf(issued, issuer));
}

function hasSignatureOf(issued: Certificate, { key }: Certificate): boolean | undefined {
  const { signed, algorithm, signature } = issued;
  if (!issued.isSignatureWhole) return false;
  if (key === undefined) return undefined;
  try {
    if (key.type === 'rsa') return isRsaSignature(signed, algorithm, signature, key);
    if (key.type === 'ed25519') {
      if (algorithm.id !== ed25519Id) return isKnown(algorithm) ? false : undefined;
      return edwardsLibrary().ed25519.verify(signature, signed, key.bytes, { zip215: false });
    }
    const hash = ecIds[algorithm.id];
    if (hash === undefined) return isKnown(algorithm) ? false : undefined;
    const how = { prehash: false, format: 'der', lowS: false } as const;
    return curveOf(key.curve).verify(signature, hashOf(hash)(signed), key.point, how);
  } catch {
    // Neither the form of the signature nor the numbers of the key are what they are said to be.
    return undefined;
  }
}

function isKnown({ id }: SignatureAlgorithm): boolean {
  return id in rsaIds || id in ecIds || id === pssId || id === ed25519Id;
}

type RsaKey = Extract<PublicKey, { type: 'rsa' }>;

function isRsaSignature(
  signed: Uint8Array,
  algorithm: SignatureAlgorithm,
  signature: Uint8Array,
  key: RsaKey,
): boolean | undefined {
  if (algorithm.id === pssId) return isPssSignature(signed, algorithm, signature, key);
  const hash = rsaIds[algorithm.id];
  if (hash === undefined) return isKnown(algorithm) ? false : undefined;
  return rsaLibrary()[`PKCS1_${hash}`].verify(key, signed, signature);
}

/** RSASSA-PSS, with one hash for the text and the mask (RFC 4055, section 3.1); without parameters it is SHA-1. */
function isPssSignature(
  signed: Uint8Array,
  { parameters }: SignatureAlgorithm,
  signature: Uint8Array,
  key: RsaKey,
): boolean | undefined {
  const { Constructed, Integer, Sequence } = asn1Library();
  if (!(parameters instanceof Sequence)) return undefined;
  const field = (tag: number) => {
    const tagged = parameters.valueBlock.value.find(({ idBlock }) => idBlock.tagNumber === tag);
    return tagged instanceof Constructed ? tagged.valueBlock.value[0] : undefined;
  };
  const hash = hashIds[algorithmIn(field(0))?.id ?? '1.3.14.3.2.26'];
  const mask = algorithmIn(field(1));
  const maskHash = hashIds[algorithmIn(mask?.parameters)?.id ?? '1.3.14.3.2.26'];
  const salt = field(2);
  const isRead =
    (mask?.id ?? maskId) === maskId && hash !== undefined && hash === maskHash && field(3) === undefined;
  if (!isRead || (salt !== undefined && !(salt instanceof Integer))) return undefined;
  const { PSS, mgf1 } = rsaLibrary();
  const hashed = hashOf(hash);
  return PSS(hashed, mgf1(hashed), Number(salt?.toBigInt() ?? 20n)).verify(key, signed, signature);
}

function hashOf(name: HashName): CHash {
  if (name === 'SHA1') return oldHashesLibrary().sha1;
  const { sha224, sha256, sha384, sha512 } = hashesLibrary();
  return { SHA224: sha224, SHA256: sha256, SHA384: sha384, SHA512: sha512 }[name];
}
