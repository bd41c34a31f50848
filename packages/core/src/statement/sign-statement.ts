import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { bundleToJSON, toDSSEBundle } from '@sigstore/bundle';
import { dsse } from '@sigstore/core';
import { reviewKeyId, reviewKeyProblem } from '../environment/review-settings.ts';
import { GatehouseError } from '../graph/values/errors.ts';
import { openStatement } from './open-statement.ts';
import { payloadType, type ReviewPredicate, type ReviewStatement } from './predicate.ts';

/** Signs bytes, wherever its key is. */
type SignBytes = (bytes: Buffer) => Promise<Buffer>;

/** Signs statements. */
class StatementSigner {
  readonly #publicKey: KeyObject;
  readonly #signBytes: SignBytes;

  constructor(publicKey: KeyObject, signBytes: SignBytes) {
    this.#publicKey = publicKey;
    this.#signBytes = signBytes;
  }

  /**
   * Puts a statement in a DSSE envelope, in a bundle of Sigstore's as JSON: what `cosign verify-blob-attestation` reads, too.
   *
   * @returns what `requireReview` reads
   */
  async sign(statement: ReviewStatement): Promise<string> {
    const artifact = Buffer.from(JSON.stringify(statement));
    const signature = await this.#signBytes(dsse.preAuthEncoding(payloadType, artifact));
    const bundle = toDSSEBundle({
      artifact,
      artifactType: payloadType,
      signature,
      keyHint: reviewKeyId(this.#publicKey),
      certificate: undefined,
      certificateChain: false,
    });
    return `${JSON.stringify(bundleToJSON(bundle))}\n`;
  }

  /**
   * The same review, signed again: someone accepted that a run task did not pass.
   *
   * @param text what this key signed
   * @throws GatehouseError `review_missing` where it did not
   */
  async accept(text: string, accepted: NonNullable<ReviewPredicate['accepted']>[number]): Promise<string> {
    const key = this.#publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const opened = openStatement(text, { signers: [{ name: 'this key', key, until: '9999-12-31' }] });
    if (typeof opened === 'string') throw new GatehouseError('review_missing', { given: opened });
    const { predicate, ...statement } = opened.statement;
    const all = [...(predicate.accepted ?? []), accepted];
    return await this.sign({ ...statement, predicate: { ...predicate, accepted: all } });
  }
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
  // The digest is the key's own: SHA-512 in Ed25519, SHA-256 with P-256.
  return new StatementSigner(createPublicKey(pem), async (bytes) => sign(null, bytes, key));
}
