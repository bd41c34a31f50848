import type { Environment } from '@gatehouse/core/environment';
import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { type Contained, whyNotContained } from '@gatehouse/engine/local';
import { isPulumiInstalled } from '../open/engines.ts';
import { openClient } from '../open/open-client.ts';
import { openEnvironment } from '../open/open-environment.ts';
import { gateAtBase } from '../review/at-revision.ts';

/** The variable with a token that may read what a plan reads. */
export const planTokenVariable = 'GATEHOUSE_PLAN_TOKEN';

/** Seconds that a token for one plan lives; it is revoked as soon as the plan is made. */
const planSeconds = 30 * 60;

/**
 * Plans with a token of less than the one that applies: that of `GATEHOUSE_PLAN_TOKEN`, or a child with the policies that
 * `gatehouse:deployments.planPolicies` named at the base revision, as a change may name others. Without either, with the token
 * that applies.
 *
 * @param env of the stack's service, with the token that applies
 * @throws GatehouseError `plan_policies_unknown`, and what the service answers
 */
export async function withPlanToken<Planned>(
  stack: Stack,
  env: NodeJS.ProcessEnv,
  plan: (env: NodeJS.ProcessEnv) => Promise<Planned>,
): Promise<Planned> {
  const { [planTokenVariable]: token, ...own } = env;
  if (token) return await plan(readingWith(token, own));
  const environment = openEnvironment(stack, own);
  const policies = environment && (await planPolicies(environment, stack, own));
  if (environment === undefined || policies === undefined) return await plan(own);
  const client = openClient(environment.service, own).with({ namespace: environment.service.namespace });
  try {
    const { auth } = await client.post('auth/token/create', {
      ...{ policies, display_name: 'gatehouse-plan', renewable: false },
      ttl: `${planSeconds}s`,
    });
    const child = String(auth?.['client_token']);
    try {
      return await plan(readingWith(child, own));
    } finally {
      // One that cannot be revoked ends by itself.
      await client
        .with({ token: child })
        .post('auth/token/revoke-self', {})
        .catch(() => {});
    }
  } finally {
    client.close();
  }
}

/** A token that reads needs no child for its writes, and may not make one. */
function readingWith(token: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, VAULT_TOKEN: token, TERRAFORM_VAULT_SKIP_CHILD_TOKEN: 'true' };
}

async function planPolicies(
  { deployments: { planPolicies: now } }: Environment,
  stack: Stack,
  env: NodeJS.ProcessEnv,
): Promise<string[] | undefined> {
  const was = await gateAtBase(stack, env);
  if (was === undefined) return now;
  if (was !== 'unknown') return was.deployments.planPolicies;
  if (now === undefined) return undefined;
  throw new GatehouseError('plan_policies_unknown', { where: 'gatehouse:deployments.planPolicies' });
}

/** A program that reads the keys of a cluster does so itself: it is planned with the network. */
export function containedAs(stack: Stack, env: NodeJS.ProcessEnv): Contained {
  const { providers = [] } = openEnvironment(stack, env) ?? {};
  return providers.some((one) => 'apiServer' in one && one.apiServer !== undefined) ? 'online' : 'offline';
}

/** What planning can reach that it need not, for the log of a platform's start. */
export function planningReaches(env: NodeJS.ProcessEnv): string[] {
  const why = whyNotContained();
  return [
    ...(why === undefined
      ? []
      : [`programs are planned with the network, and with the processes of this user, as ${why}`]),
    ...(isPulumiInstalled(env)
      ? ['where the Pulumi CLI plans, it runs the program itself, not kept apart']
      : []),
    ...(env[planTokenVariable]
      ? []
      : [`stacks without planPolicies are planned with the token that applies: set ${planTokenVariable}`]),
  ];
}
