import type { BaseBlock, Integer, Sequence } from 'asn1js';
import { isSameBytes } from './bytes.ts';
import { isPointOf, type NamedCurve } from './curves.ts';
import { asn1Library } from './key-libraries.ts';

/** What a certificate is made of, as far as a signature and a key go. */
export interface Certificate {
  /** All of it. */
  der: Uint8Array;
  /** What is signed. */
  signed: Uint8Array;
  algorithm: SignatureAlgorithm;
  /** Whether what is signed names the same algorithm, and the signature is of whole bytes. Without that, no one takes it. */
  isSignatureWhole: boolean;
  signature: Uint8Array;
  /** Names in DER: of who signed it, and of whom it is. */
  issuer: Uint8Array;
  subject: Uint8Array;
  /** Absent where it is of a type that servers do not read. */
  key?: PublicKey;
}

/** How something is signed: an identifier of ASN.1, and what comes with it. */
export interface SignatureAlgorithm {
  id: string;
  parameters?: BaseBlock;
}

/** A public key of a type that servers read (Go's crypto/x509). */
export type PublicKey =
  | { type: 'rsa'; n: bigint; e: bigint }
  | { type: 'ec'; curve: NamedCurve; point: Uint8Array }
  | { type: 'ed25519'; bytes: Uint8Array };

const ids = { rsa: '1.2.840.113549.1.1.1', ec: '1.2.840.10045.2.1', ed25519: '1.3.101.112' } as const;

/** Curves by their identifiers. */
const curves: Readonly<Record<string, NamedCurve>> = {
  '1.3.132.0.33': 'P-224',
  '1.2.840.10045.3.1.7': 'P-256',
  '1.3.132.0.34': 'P-384',
  '1.3.132.0.35': 'P-521',
};

/** Reads a certificate in DER; undefined for what is none. */
export function readCertificate(der: Uint8Array): Certificate | undefined {
  const { BitString, Sequence } = asn1Library();
  const [content, algorithm, signature, ...rest] = partsOf(blockIn(der)) ?? [];
  if (!(signature instanceof BitString) || !(content instanceof Sequence) || rest.length > 0)
    return undefined;
  const signatureAlgorithm = algorithmIn(algorithm);
  const parts = contentParts(content);
  if (signatureAlgorithm === undefined || parts === undefined) return undefined;
  const key = keyOf(parts.keyInfo);
  return {
    der,
    signed: content.valueBeforeDecodeView,
    algorithm: signatureAlgorithm,
    isSignatureWhole:
      signature.valueBlock.unusedBits === 0 && isSameBytes(derOf(algorithm), derOf(parts.algorithm)),
    signature: signature.valueBlock.valueHexView,
    issuer: derOf(parts.issuer),
    subject: derOf(parts.subject),
    ...(key && { key }),
  };
}

/** Reads a public key in DER (SubjectPublicKeyInfo); undefined for what is none that servers read. */
export function readPublicKey(der: Uint8Array): PublicKey | undefined {
  const block = blockIn(der);
  return block && keyOf(block);
}

function blockIn(der: Uint8Array): BaseBlock | undefined {
  try {
    const { offset, result } = asn1Library().fromBER(Uint8Array.from(der));
    return offset === -1 ? undefined : result;
  } catch {
    // A time that is none, or nested deeper than a certificate is.
    return undefined;
  }
}

function partsOf(block: BaseBlock | undefined): BaseBlock[] | undefined {
  const isList = block instanceof asn1Library().Sequence && block.idBlock.isConstructed;
  return isList ? block.valueBlock.value : undefined;
}

function derOf(block: BaseBlock | undefined): Uint8Array {
  return block?.valueBeforeDecodeView ?? new Uint8Array();
}

/** Whether two certificates are of one key. */
export function isSameKey({ key }: Certificate, { key: other }: Certificate): boolean {
  if (key?.type === 'rsa') return other?.type === 'rsa' && key.n === other.n && key.e === other.e;
  if (key?.type === 'ed25519') return other?.type === 'ed25519' && isSameBytes(key.bytes, other.bytes);
  return (
    key !== undefined &&
    other?.type === 'ec' &&
    key.curve === other.curve &&
    isSameBytes(key.point, other.point)
  );
}

/** The algorithm, the names and the key in the signed part of a certificate, whose other parts have their forms (RFC 5280, section 4.1). */
function contentParts(
  content: Sequence,
): (Record<'algorithm' | 'issuer' | 'subject', BaseBlock | undefined> & { keyInfo: BaseBlock }) | undefined {
  const { Integer, Sequence } = asn1Library();
  const [first, ...others] = content.valueBlock.value;
  const parts = first !== undefined && isTagged(first, [0]) ? others : [first, ...others];
  const [serial, algorithm, issuer, validity, subject, keyInfo, ...rest] = parts;
  const isRead =
    serial instanceof Integer &&
    algorithmIn(algorithm) !== undefined &&
    [issuer, subject].every(isName) &&
    partsOf(validity)?.length === 2 &&
    keyInfo instanceof Sequence &&
    rest.every((part) => part !== undefined && isTagged(part, [1, 2, 3]));
  return isRead ? { algorithm, issuer, subject, keyInfo } : undefined;
}

function isTagged({ idBlock }: BaseBlock, tags: readonly number[]): boolean {
  return idBlock.tagClass === 3 && tags.includes(idBlock.tagNumber);
}

/** A list of sets of pairs: an identifier and its value. */
function isName(block: BaseBlock | undefined): boolean {
  const { ObjectIdentifier, Set: SetBlock } = asn1Library();
  return (partsOf(block) ?? [undefined]).every(
    (set) =>
      set instanceof SetBlock &&
      set.valueBlock.value.every((pair) => {
        const [id, , ...more] = partsOf(pair) ?? [];
        return id instanceof ObjectIdentifier && more.length === 0;
      }),
  );
}

export function algorithmIn(block: BaseBlock | undefined): SignatureAlgorithm | undefined {
  const [id, parameters, ...rest] = partsOf(block) ?? [];
  if (!(id instanceof asn1Library().ObjectIdentifier) || rest.length > 0) return undefined;
  return { id: id.valueBlock.toString(), ...(parameters && { parameters }) };
}

function keyOf(block: BaseBlock): PublicKey | undefined {
  const { BitString, ObjectIdentifier } = asn1Library();
  const [first, bits, ...rest] = partsOf(block) ?? [];
  const algorithm = algorithmIn(first);
  if (algorithm === undefined || !(bits instanceof BitString) || rest.length > 0) return undefined;
  const bytes = bits.valueBlock.valueHexView;
  const { id, parameters } = algorithm;
  if (id === ids.rsa) return rsaKeyIn(bytes);
  if (id === ids.ed25519) return bytes.length === 32 ? { type: 'ed25519', bytes } : undefined;
  if (id !== ids.ec || !(parameters instanceof ObjectIdentifier)) return undefined;
  const curve = curves[parameters.valueBlock.toString()];
  const point = uniform(bytes);
  return curve !== undefined && isPointOf(curve, point) ? { type: 'ec', curve, point } : undefined;
}

function rsaKeyIn(bytes: Uint8Array): PublicKey | undefined {
  const { Integer: IntegerBlock } = asn1Library();
  const isInteger = (block: BaseBlock | undefined): block is Integer => block instanceof IntegerBlock;
  const [n, e, ...rest] = partsOf(blockIn(bytes)) ?? [];
  if (!isInteger(n) || !isInteger(e) || rest.length > 0) return undefined;
  return { type: 'rsa', n: n.toBigInt(), e: e.toBigInt() };
}

/** A point in the hybrid form as one that is written in full: its first byte only repeats the last bit. */
function uniform(point: Uint8Array): Uint8Array {
  const [form = 0] = point;
  const last = point.at(-1) ?? 0;
  if ((form !== 6 && form !== 7) || form % 2 !== last % 2) return point;
  const full = Uint8Array.from(point);
  full[0] = 4;
  return full;
}
