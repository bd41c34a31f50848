import { requireReview } from '@gatehouse/core/statement';
import { GatehouseError } from '@gatehouse/core/values';
import type { DeploymentResult, Stack } from '@gatehouse/engine';
import type { Work } from '@gatehouse/run-tasks';
import { reviewsAtBase } from '../open/at-revision.ts';
import { requireEnvironment } from '../open/open-environment.ts';
import { changeOfSteps, stackIn, stepsOf } from '../statement/reviewed-change.ts';
import { makeChildToken } from './child-token.ts';

type MakeDeployingToken = Work['deployingToken'];

/**
 * Makes a token that applies a reviewed change: a child of the gate's own, with the policies that
 * `gatehouse:reviews.deployingToken` names at the base revision.
 *
 * @param env of the stack's service, with the token that applies
 * @param plan plans the stack as it is now
 * @throws GatehouseError `review_missing`, `deploying_token_undeclared`, and what `plan` throws and the service answers
 */
export async function reviewedToken(
  stack: Stack,
  env: NodeJS.ProcessEnv,
  { statements, file }: Parameters<MakeDeployingToken>[1],
  { plan, spentAt }: { plan: () => Promise<DeploymentResult>; spentAt: Parameters<MakeDeployingToken>[2] },
): ReturnType<MakeDeployingToken> {
  const requirement = await reviewsAtBase(stack, env);
  if (requirement === undefined) throw new GatehouseError('review_missing.none');
  const { deployingToken } = requirement.policy;
  if (deployingToken === undefined) throw new GatehouseError('deploying_token_undeclared');
  const { service } = requireEnvironment(stack, env);
  const place = stackIn(stack, service);
  const change =
    file === undefined ? changeOfSteps(place, stepsOf(await plan())) : { digest: file, stack: place };
  const spent = await spentAt(change.digest);
  const namedStatements = statements.map((text, at) => ({ name: `statement ${at + 1}`, text }));
  const spentDate = spent === undefined ? undefined : new Date(spent);
  const counted = requireReview(change, namedStatements, { ...requirement, spentAt: spentDate }, new Date());
  const { policies, ttl, uses } = deployingToken;
  const { token, seconds, revoke } = await makeChildToken(service, env, {
    policies,
    num_uses: uses,
    ttl: `${ttl}s`,
    explicit_max_ttl: `${ttl}s`,
    no_default_policy: true,
    display_name: 'gatehouse-deploy',
    meta: { reviewed: change.digest },
  });
  return {
    token,
    expiresAt: Date.now() + seconds * 1000,
    change: change.digest,
    revoke,
    reviews: counted.map((statement) => ({ digest: change.digest, statement: statement.text })),
  };
}
