import { type Digest, digest } from '../../packages/cli/src/deployment/digest.ts';
import type { DeploymentRequest, DeploymentResult } from '../../packages/engine/src/engine.ts';
import type { Stack } from '../../packages/engine/src/stack.ts';
import type { DevConfig, EnvironmentUnderTest } from './environment-under-test.ts';

type Run = (
  verb: DeploymentRequest['verb'],
  stack: Stack,
  options?: Partial<DeploymentRequest>,
) => Promise<DeploymentResult>;

const provider = (config: DevConfig, name: string) =>
  config['providers'].find((one: { name: string }) => one.name === name);

const edits = {
  'without a change': () => {},
  'roles that live longer': (config: DevConfig) => {
    for (const role of provider(config, 'cluster').roles) role.ttl = '15m';
  },
  'a mount at another path': (config: DevConfig) => {
    provider(config, 'cluster').path = 'kubernetes';
  },
} as const;

export const devPlanNames = [
  'the first',
  ...(Object.keys(edits) as (keyof typeof edits)[]),
  'after changes by hand',
] as const;
export type DevPlanName = (typeof devPlanNames)[number];

/** Plans of the dev stack as the platform stores them, by an engine. The stack is applied in between, and stays so. */
export async function devPlans(
  environment: EnvironmentUnderTest,
  run: Run,
): Promise<Record<DevPlanName, Digest>> {
  const planned = async (stack: Stack, refresh = false): Promise<Digest> =>
    JSON.parse(JSON.stringify(digest(stack, await run('preview', stack, { refresh }), { unchanged: true })));
  const first = await planned(environment.stack());
  await run('up', environment.stack());
  const plans: [string, Digest][] = [['the first', first]];
  for (const [name, edit] of Object.entries(edits))
    plans.push([name, await planned(environment.stack(edit))]);
  await changeByHand(environment);
  plans.push(['after changes by hand', await planned(environment.stack(), true)]);
  return Object.fromEntries(plans) as Record<DevPlanName, Digest>;
}

/** Role `web` rewritten, role `backup` deleted. */
export async function changeByHand({ client }: Pick<EnvironmentUnderTest, 'client'>): Promise<void> {
  await client.put('auth/cluster/role/web', {
    role_type: 'jwt',
    user_claim: 'sub',
    bound_audiences: ['evil'],
    token_policies: ['secrets-admin'],
    bound_subject: 'system:serviceaccount:shop:web',
    token_ttl: 900,
  });
  await client.delete('auth/cluster/role/backup');
}
