import { createPublicKey } from 'node:crypto';
import { bundleFromJSON, isBundleWithDsseEnvelope, isBundleWithPublicKey } from '@sigstore/bundle';
import { toSignedEntity, VerificationError, Verifier } from '@sigstore/verify';
import { type ReviewPolicy, type ReviewSigner, reviewKeyId } from '../environment/review-settings.ts';
import { isObject } from '../graph/values/json.ts';
import { parseStrictJson } from '../graph/values/strict-json.ts';
import {
  payloadType,
  predicateType,
  type ReviewStatement,
  reviewStatement,
  statementType,
} from './predicate.ts';

/** A statement whose signature is right, and who signed it. */
export interface OpenedStatement {
  /** The signed text, unchanged. */
  text: string;
  signer: ReviewSigner;
  statement: ReviewStatement;
}

/** Characters. The statement of a change of 20,000 roles has 4 million. */
const largest = 32 * 1024 * 1024;

/**
 * Reads a signed statement, and believes nothing of it before its signature is right.
 *
 * @returns what it says, or why it does not count
 */
export function openStatement(
  text: string,
  { signers }: Pick<ReviewPolicy, 'signers'>,
): OpenedStatement | string {
  const bundle = bundleIn(text);
  if (typeof bundle === 'string') return bundle;
  const signer = signers.find(({ key }) => reviewKeyId(createPublicKey(key)) === bundle.keyId);
  if (signer === undefined) return 'its key is not of one of the signers';
  const trust = {
    certificateAuthorities: [],
    timestampAuthorities: [],
    tlogs: [],
    ctlogs: [],
    publicKey: () => ({ publicKey: createPublicKey(signer.key), validFor: () => true }),
  };
  const verifier = new Verifier(trust, { ctlogThreshold: 0, tlogThreshold: 0, timestampThreshold: 0 });
  try {
    verifier.verify(toSignedEntity(bundle.bundle));
  } catch (error) {
    if (error instanceof VerificationError)
      return 'its signature is wrong: it was changed, or signed by another key';
    throw error;
  }
  const statement = readStatement(bundle.payload);
  return typeof statement === 'string' ? statement : { text, signer, statement };
}

/**
 * Reads a statement without its signature: anyone may have written it.
 *
 * @returns what it says, and the id of the key that it names; or why it says nothing
 */
export function uncheckedStatement(text: string): { keyId: string; statement: ReviewStatement } | string {
  const bundle = bundleIn(text);
  if (typeof bundle === 'string') return bundle;
  const statement = readStatement(bundle.payload);
  return typeof statement === 'string' ? statement : { keyId: bundle.keyId, statement };
}

function bundleIn(text: string) {
  if (text.length > largest) return 'it is too large';
  const bundle = quietly(() => bundleFromJSON(parseStrictJson(text)));
  if (bundle === undefined) return 'it is no bundle of Sigstore as JSON, or not all of one';
  if (!isBundleWithDsseEnvelope(bundle) || !isBundleWithPublicKey(bundle))
    return 'it is not signed as reviews are: an in-toto statement, with a key';
  const { dsseEnvelope } = bundle.content;
  if (dsseEnvelope.payloadType !== payloadType) return `its payload is ${dsseEnvelope.payloadType}`;
  const { hint: keyId } = bundle.verificationMaterial.content.publicKey;
  return { bundle, keyId, payload: dsseEnvelope.payload.toString('utf8') };
}

function readStatement(payload: string): ReviewStatement | string {
  const json = quietly<unknown>(() => JSON.parse(payload));
  // Written as `StatementSigner` writes it, no name is there twice.
  if (!isObject(json) || JSON.stringify(json) !== payload)
    return 'its payload is no JSON object, or names something twice';
  if (json['_type'] !== statementType) return 'its payload is no in-toto statement of version 1';
  const type = json['predicateType'];
  if (type !== predicateType) return `it states ${JSON.stringify(type)}, and reviews are ${predicateType}`;
  const read = reviewStatement.safeParse(json);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  return `it says something of a review that is not known: ${issue?.path.join('.')}: ${issue?.message}`;
}

function quietly<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
