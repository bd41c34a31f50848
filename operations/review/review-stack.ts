import { ServiceClient } from '../../client/service-client.ts';
import { tlsOptions } from '../../client/tls-options.ts';
import type { Environment } from '../../core/model/environment.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { Deployer } from '../../core/review/access/lock-out.ts';
import { planResources } from '../../core/review/plan/read-plan.ts';
import type { Position } from '../../core/review/reports/sarif.ts';
import { type Review, type ReviewOptions, reviewPlan } from '../../core/review/review.ts';
import type { Subject } from '../../core/rules/finding.ts';
import { ruleOptions } from '../../core/rules/rule-options.ts';
import type { DeploymentResult, Engine } from '../../engine/engine.ts';
import type { Stack } from '../../engine/stack.ts';
import { planStack } from '../deployment.ts';
import { digest } from '../description/digest.ts';
import { openEnvironment } from '../open-environment.ts';
import { stackPositions } from './stack-positions.ts';

/**
 * Plans a stack and reviews the plan.
 *
 * @throws GatehouseError what `planStack` throws
 */
export async function reviewStack(
  stack: Stack,
  engine: Engine,
  options: ReviewOptions,
  env: NodeJS.ProcessEnv,
): Promise<Review> {
  return reviewDeployment(stack, await planStack(stack, engine, env), options);
}

/** Reviews what an engine has planned. The plan is read as anybody's preview: one reader, one judgement. */
export function reviewDeployment(stack: Stack, deployment: DeploymentResult, options: ReviewOptions): Review {
  const review = reviewPlan(planResources(digest(stack, deployment, { unchanged: true })), options);
  return { ...review, tool: 'gatehouse' };
}

/** What a stack says for a review: the rules it turns off, its service, where things are declared. */
export interface ReviewSettings {
  options: ReviewOptions;
  positionOf(subject: Subject): Position | undefined;
}

/**
 * @param stack the stack that the plan is for; without one nothing is turned off, and nothing has a line
 * @throws GatehouseError what `openEnvironment` throws
 */
export async function reviewSettings(
  stack: Stack | undefined,
  env: NodeJS.ProcessEnv,
): Promise<ReviewSettings> {
  const now = BigInt(Date.now()) * 1_000_000n;
  const environment = stack && openEnvironment(stack, env);
  if (stack === undefined || environment === undefined)
    return { options: { now }, positionOf: () => undefined };
  const deployer = await readDeployer(environment, env);
  return {
    options: { now, ...ruleOptions(environment), deployer },
    positionOf: await stackPositions(stack),
  };
}

/**
 * Who applies a change: the policies of the token, and the role it was signed in with.
 *
 * @returns undefined where there is no token, or the service does not say. A root token needs no guard.
 */
export async function readDeployer(
  { service }: Environment,
  env: NodeJS.ProcessEnv,
): Promise<Deployer | undefined> {
  const token = env['VAULT_TOKEN'];
  if (token === undefined || token === '') return undefined;
  const { address, dialect, namespace } = service;
  const root = new ServiceClient({ address, dialect, token, ...tlsOptions(env) });
  const client = namespace === undefined ? root : root.with({ namespace });
  try {
    const data = (await client.read('auth/token/lookup-self'))?.data ?? {};
    const policies = [...texts(data['policies']), ...texts(data['identity_policies'])];
    if (policies.includes('root')) return undefined;
    const name = (data['meta'] as { role?: unknown } | null | undefined)?.role;
    const [, method] = /^auth\/(.+?)\/(?:oidc\/callback|login)$/.exec(String(data['path'] ?? '')) ?? [];
    return {
      policies,
      ...(typeof name === 'string' && method !== undefined ? { role: { method, name } } : {}),
    };
  } catch (error) {
    if (error instanceof GatehouseError) return undefined;
    throw error;
  } finally {
    root.close();
  }
}

function texts(given: unknown): string[] {
  return Array.isArray(given) ? given.map(String) : [];
}
