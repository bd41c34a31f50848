import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { policyNames } from '../graph/resources/policy.ts';
import { day } from '../graph/values/day.ts';
import { duration } from '../graph/values/duration.ts';
import { publicKeyProblem } from '../graph/values/pem.ts';

/** Why a key, public or private, cannot sign reviews; undefined if it can. */
export function reviewKeyProblem({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | undefined {
  const keyType = [asymmetricKeyType, asymmetricKeyDetails?.namedCurve].filter(Boolean).join(' ');
  if (['ed25519', 'ec prime256v1'].includes(keyType)) return undefined;
  return `a key of type ${keyType}; allowed: Ed25519 (openssl genpkey -algorithm ed25519), EC with P-256`;
}

/** Names a key, wherever it is written: the SHA-256 of its public part, in hexadecimal digits. */
export function reviewKeyId(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

const publicKey = z.string().superRefine((text, { addIssue }) => {
  const problem = publicKeyProblem(text) ?? reviewKeyProblem(createPublicKey(text));
  if (problem !== undefined) addIssue({ code: 'custom', message: problem, continue: false });
});

const signer = z.strictObject({
  /** The name of the signer in reports. Unique. */
  name: z.string().trim().min(1, 'give the name of who signs'),
  /** The public key, as PEM. Unique: two names with one key would be one person twice. */
  key: publicKey,
  /** The first day on which it counts, in UTC. Defaults to every day before `until`. */
  from: day.optional(),
  /** The last day on which it counts, in UTC. */
  until: day,
});

/** The token that a gate gives for signed reviews. */
const deployingToken = z.strictObject({
  /** Policies of the token. The gate's own token must have them as well. */
  policies: policyNames.refine((names) => names.length > 0, 'name at least one policy'),
  /** How long it lives, in seconds. Defaults to `15m`. */
  ttl: duration
    .refine((seconds) => seconds >= 60 && seconds <= 60 * 60, 'must be 60 to 3600 seconds')
    .default(15 * 60),
  /** How often it can be used: a request is a use. Defaults to 500. */
  uses: z.int().min(1).max(100_000).default(500),
});

/** Which signed reviews let a change of this stack be applied: docs/pull-requests.md. Counts as the base revision has it. */
export const reviewSettings = z.strictObject({
  /** Who may sign. */
  signers: z
    .array(signer)
    .min(1, 'name at least one signer')
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'a name is there twice')
    .refine(
      (all) => new Set(all.map(({ key }) => reviewKeyId(createPublicKey(key)))).size === all.length,
      'a key is there twice',
    ),
  /** How old a statement may be, in seconds. Defaults to `24h`. */
  maxAge: duration
    .refine((seconds) => seconds >= 60 && seconds <= 30 * 24 * 60 * 60, 'must be 60 to 2592000 seconds')
    .default(24 * 60 * 60),
  /** Whether a review with errors counts, too. Defaults to false. */
  failed: z.boolean().default(false),
  /** How many signers a change needs that gives administration, or changes `gatehouse:reviews`. Defaults to 1. */
  administration: z.int().min(1).max(9).default(1),
  /** The token that a gate gives for them: docs/deploy.md. Defaults to none. */
  deployingToken: deployingToken.optional(),
});
/** The signed reviews that an environment requires. */
export type ReviewPolicy = z.output<typeof reviewSettings>;
/** A person who may sign reviews. */
export type ReviewSigner = ReviewPolicy['signers'][number];
