import type { Environment } from '@gatehouse/core/environment';
import type { GateOptions } from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { type Contained, whyNotContained } from '@gatehouse/engine/local';
import { gateAtBase, hasRevisions, isAtBase } from '../open/at-revision.ts';
import { isPulumiInstalled } from '../open/engines.ts';
import { declaredPlace, openEnvironment } from '../open/open-environment.ts';
import { makeChildToken } from './child-token.ts';
import type { ProjectFiles } from './project-files.ts';

/** The variable with a token that may read what a plan reads. */
export const planTokenVariable = 'GATEHOUSE_PLAN_TOKEN';

/** Seconds that a token for one plan lives; it is revoked as soon as the plan is made. */
const planSeconds = 30 * 60;

/** A plan, before it is made: its stack, and what it may have. */
export interface Planning {
  stack: Stack;
  /** Variables of the platform, with those of all stacks. */
  given: NodeJS.ProcessEnv;
  /** Variables for the stack, with the token that applies. */
  env: NodeJS.ProcessEnv;
  isSpeculative: boolean;
  files: ProjectFiles | undefined;
}

/** What a plan is made with. */
export interface PlannedWith {
  env: NodeJS.ProcessEnv;
  contained: Contained;
  /** What the plan is made without, in sentences. */
  limits: string[];
}

/**
 * Plans with what a revision may have that no one has reviewed: the token of `withPlanToken`, its own files, and, where it only
 * plans, placeholders for the secrets of its stack. No token goes to a service that no reviewed revision names.
 *
 * @throws GatehouseError `token_withheld`, and those of `withPlanToken`
 */
export async function asUnreviewed<Planned>(
  { stack, given: platformEnv, env, isSpeculative, files }: Planning,
  plan: (planned: PlannedWith) => Promise<Planned>,
): Promise<Planned> {
  const baseGate = await gateAtBase(stack, env);
  const origin = declaredPlace(stack, env)?.address.origin;
  const services = [
    platformEnv['VAULT_ADDR'],
    platformEnv['GATEHOUSE_SERVICE_ADDRESS'],
    baseGate !== 'unknown' && origin,
  ].flatMap((address) => (address ? (URL.parse(address)?.origin ?? []) : []));
  if (origin !== undefined && !services.includes(origin)) {
    throw new GatehouseError('token_withheld', { given: origin, allowed: services.join(', ') });
  }
  const environment = openEnvironment(stack, env);
  const withholdsSecrets = isSpeculative && hasSecrets(stack) && !(await isAtBase(stack, env));
  const contained = { isOnline: readsCluster(environment), files: files?.shown, services, withholdsSecrets };
  const limits = withholdsSecrets ? [withoutSecrets] : [];
  return await withPlanToken({ stack, environment, baseGate }, env, (own) =>
    plan({ env: own, contained, limits }),
  );
}

const withoutSecrets =
  'Planned with placeholders for the secrets of the stack: no base revision has these files yet. Changes of secrets are not shown.';

function hasSecrets({ config }: Stack): boolean {
  return [...config.values()].some(({ secret }) => secret);
}

interface UnreviewedStack {
  stack: Stack;
  environment: Environment | undefined;
  /** What the base revision declared. */
  baseGate: GateOptions['was'];
}

/**
 * Plans with a token of less than the one that applies: that of `GATEHOUSE_PLAN_TOKEN`, or a child with the policies that
 * `gatehouse:deployments.planPolicies` named at the base revision, as a change may name others. Without either, with the token
 * that applies.
 *
 * @param env of the environment's service, with the token that applies
 * @throws GatehouseError `plan_policies_unknown`, and what the service answers
 */
async function withPlanToken<Planned>(
  { stack, environment, baseGate }: UnreviewedStack,
  env: NodeJS.ProcessEnv,
  plan: (env: NodeJS.ProcessEnv) => Promise<Planned>,
): Promise<Planned> {
  const { [planTokenVariable]: token, ...own } = env;
  if (token) return await plan(readingWith(token, own));
  const policies = environment && planPolicies(environment, baseGate);
  // The base revision may name some: without it, this would be a token that a change chooses.
  if (policies === undefined && baseGate === 'unknown' && (await hasRevisions(stack, env)))
    throw policiesUnknown();
  if (environment === undefined || policies === undefined) return await plan(own);
  const child = await makeChildToken(environment.service, own, {
    policies,
    display_name: 'gatehouse-plan',
    ttl: `${planSeconds}s`,
  });
  try {
    return await plan(readingWith(child.token, own));
  } finally {
    await child.revoke();
  }
}

/** A token that reads needs no child for its writes, and may not make one. */
function readingWith(token: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, VAULT_TOKEN: token, TERRAFORM_VAULT_SKIP_CHILD_TOKEN: 'true' };
}

function planPolicies(
  { deployments: { planPolicies: policies } }: Environment,
  baseGate: GateOptions['was'],
): string[] | undefined {
  if (baseGate === undefined) return policies;
  if (baseGate !== 'unknown') return baseGate.deployments.planPolicies;
  if (policies === undefined) return undefined;
  throw policiesUnknown();
}

function policiesUnknown(): GatehouseError {
  return new GatehouseError('plan_policies_unknown', { where: 'gatehouse:deployments.planPolicies' });
}

/** A program that reads the keys of a cluster does so itself: it is planned with the network. */
function readsCluster({ providers = [] }: Partial<Environment> = {}): boolean {
  return providers.some((provider) => 'apiServer' in provider && provider.apiServer !== undefined);
}

/** What planning can reach that it need not, for the log of a platform's start. */
export function planningReaches(env: NodeJS.ProcessEnv): string[] {
  const why = whyNotContained();
  return [
    ...(why === undefined
      ? []
      : [`programs are planned with the network, and with the files and processes of this user, as ${why}`]),
    ...(isPulumiInstalled(env)
      ? ['where the Pulumi CLI plans, it runs the program itself, not kept apart']
      : []),
    ...(env[planTokenVariable]
      ? []
      : [`stacks without planPolicies are planned with the token that applies: set ${planTokenVariable}`]),
  ];
}
