import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { bundleToJSON, toDSSEBundle } from '@sigstore/bundle';
import { dsse } from '@sigstore/core';
import { reviewKeyId, reviewKeyProblem } from '../environment/review-settings.ts';
import { GatehouseError } from '../graph/values/errors.ts';
import type { Review } from '../review/review.ts';
import { payloadType, type ReviewStatement } from './predicate.ts';
import { type ReviewCircumstances, type ReviewedChange, statementOf } from './statement.ts';

/** Signs bytes, wherever its key is. */
interface StatementSigner {
  /** As `reviewKeyId` names its key. */
  keyId: string;
  sign(bytes: Buffer): Promise<Buffer>;
}

/**
 * Signs with a private key in PEM.
 *
 * @throws GatehouseError `signing_key_unusable`
 */
export function signerOf(pem: string): StatementSigner {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    const reason = /ENCRYPTED/.test(pem) ? 'it has a passphrase' : 'it is no private key in PEM';
    throw new GatehouseError('signing_key_unusable', { values: { reason } });
  }
  const reason = reviewKeyProblem(key);
  if (reason !== undefined) throw new GatehouseError('signing_key_unusable', { values: { reason } });
  return {
    keyId: reviewKeyId(createPublicKey(pem)),
    // The digest is the key's own: SHA-512 in Ed25519, SHA-256 with P-256.
    sign: async (bytes) => sign(null, bytes, key),
  };
}

/**
 * States which change was reviewed and with which answer, and signs that.
 *
 * @returns what `requireReview` reads
 */
export function signReview(
  change: ReviewedChange,
  review: Review,
  circumstances: ReviewCircumstances,
  signer: StatementSigner,
): Promise<string> {
  return signStatement(statementOf(change, review, circumstances), signer);
}

/** A statement in a DSSE envelope, in a bundle of Sigstore's as JSON: what `cosign verify-blob-attestation` reads, too. */
export async function signStatement(statement: ReviewStatement, signer: StatementSigner): Promise<string> {
  const artifact = Buffer.from(JSON.stringify(statement));
  const signature = await signer.sign(dsse.preAuthEncoding(payloadType, artifact));
  const bundle = toDSSEBundle({
    ...{ artifact, artifactType: payloadType, signature, keyHint: signer.keyId },
    ...{ certificate: undefined, certificateChain: false },
  });
  return `${JSON.stringify(bundleToJSON(bundle))}\n`;
}
