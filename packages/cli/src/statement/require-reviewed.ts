import { requireReview } from '@gatehouse/core/statement';
import { GatehouseError } from '@gatehouse/core/values';
import type { DeploymentResult, Stack } from '@gatehouse/engine';
import { reviewsAtBase } from '../open/at-revision.ts';
import { requireEnvironment } from '../open/open-environment.ts';
import { readText } from '../open/read-text.ts';
import { changeOfSteps, stackIn, stepsOf } from './reviewed-change.ts';

/**
 * Holds a plan to its signed reviews, where its stack asks for some or files are given.
 *
 * @param files with statements
 * @param base revision that says who may sign
 * @returns who signed; empty where no review is asked for
 * @throws GatehouseError `review_missing`, and what `reviewsAtBase` throws
 */
export async function requireReviewed(
  stack: Stack,
  plan: DeploymentResult,
  { files, base }: { files: readonly string[]; base?: string | undefined },
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const requirement = await reviewsAtBase(stack, env, base);
  if (requirement === undefined) {
    if (files.length === 0) return [];
    throw new GatehouseError('review_missing.none');
  }
  const { service } = requireEnvironment(stack, env);
  const change = changeOfSteps(stackIn(stack, service), stepsOf(plan));
  const signed = requireReview(change, await readStatements(files), requirement, new Date());
  return signed.map(({ signer }) => signer.name);
}

/** @throws GatehouseError `file_unreadable` */
export async function readStatements(files: readonly string[]): Promise<{ name: string; text: string }[]> {
  return Promise.all(files.map(async (name) => ({ name, text: await readText(name, 'statement') })));
}
