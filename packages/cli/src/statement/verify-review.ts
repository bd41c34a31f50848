import { basename } from 'node:path';
import { reviewSettings } from '@gatehouse/core/environment';
import { requireReview } from '@gatehouse/core/statement';
import { GatehouseError } from '@gatehouse/core/values';
import { reviewsAtBase } from '../open/at-revision.ts';
import { requireEnvironment } from '../open/open-environment.ts';
import { openStack } from '../open/open-stack.ts';
import { readText } from '../open/read-text.ts';
import { readStatements } from './require-reviewed.ts';
import { fileDigest, stackIn } from './reviewed-change.ts';

interface VerifyReviewRequest {
  plan: string;
  /** Files with statements. */
  files: string[];
  /** Files with public keys that are trusted. Default to those that the stack names. */
  keys: string[] | undefined;
  maxAge: string;
  cwd: string;
  stack?: string;
  base?: string;
}

interface VerifiedReview {
  /** Why the plan is not one that was reviewed; undefined where it is. */
  problem?: string;
  signed: { signer: string; at: string; verdict: string; gains: string }[];
}

/** @throws GatehouseError `review_missing.none`, `review_missing.policy`, and what reading the files throws */
export async function verifyReview(
  request: VerifyReviewRequest,
  env: NodeJS.ProcessEnv,
): Promise<VerifiedReview> {
  const { plan, files, keys, cwd, base, stack: name } = request;
  const stack = keys === undefined || name !== undefined ? await openStack(cwd, name, env) : undefined;
  const requirement =
    keys === undefined
      ? stack && (await reviewsAtBase(stack, env, base))
      : await requirementOf(keys, request.maxAge);
  if (requirement === undefined) throw new GatehouseError('review_missing.none');
  const place = stack && stackIn(stack, requireEnvironment(stack, env).service);
  const change = { digest: await fileDigest(plan, 'plan'), ...(place && { stack: place }) };
  try {
    const signed = requireReview(change, await readStatements(files), requirement, new Date());
    return {
      signed: signed.map(({ signer, statement: { predicate } }) => ({
        signer: signer.name,
        at: predicate.timeCreated,
        verdict: predicate.verdict,
        gains: predicate.gains,
      })),
    };
  } catch (error) {
    if (!(error instanceof GatehouseError) || error.code !== 'review_missing') throw error;
    return { problem: error.message, signed: [] };
  }
}

async function requirementOf(keys: string[], maxAge: string) {
  const signers = await Promise.all(
    keys.map(async (file) => ({
      name: basename(file),
      key: await readText(file, 'key'),
      until: '9999-12-31',
    })),
  );
  const read = reviewSettings.safeParse({ signers, maxAge });
  if (read.success) return { policy: read.data };
  const [issue] = read.error.issues;
  throw new GatehouseError('signing_key_unusable', { values: { reason: issue?.message ?? '' } });
}
