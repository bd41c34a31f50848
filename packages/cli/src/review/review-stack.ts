import { type Environment, stackPositions } from '@gatehouse/core/environment';
import { type Graph, namespaceWithin, subjectWithin, trimmed } from '@gatehouse/core/graph';
import {
  type Review,
  type ReviewOptions,
  readPulumiPreview,
  ruleOptions,
  ruleOptionsElsewhere,
} from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';
import { type DeploymentResult, plannedPreview, type Stack } from '@gatehouse/engine';
import { namespaceOf, readOwnToken } from '@gatehouse/service-client';
import { gateAtBase } from '../open/at-revision.ts';
import { openNamespaceClient } from '../open/open-client.ts';
import { openEnvironment, openNamespaces, sourceOf } from '../open/open-environment.ts';
import { type ReadLimits, readNamespaces } from '../open/open-graph.ts';
import { type ReplayRequest, reviewReplayed } from '../usage/replay-plan.ts';
import { type ReviewSettings, settingsWithoutStack } from './review-settings.ts';

/**
 * Reviews what an engine has planned. Its steps are read as those of any preview: one reader, one judgment. If a preview
 * hides values of the program's own resources, the declared values count.
 *
 * @param replaying logs whose requests are sent again. Defaults to none.
 */
export async function reviewDeployment(
  stack: Stack,
  deployment: DeploymentResult,
  options: ReviewOptions,
  env: NodeJS.ProcessEnv,
  replaying?: ReplayRequest,
): Promise<Review> {
  const plan = readPulumiPreview(plannedPreview(deployment));
  const hidesValues = plan.resources.some(({ after }) => after !== undefined && after.unknown.length > 0);
  const declared = hidesValues ? await declaredGraphs(stack, env) : undefined;
  return reviewReplayed({ ...plan, tool: 'gatehouse', ...(declared && { declared }) }, options, replaying);
}

/** What a stack declares by namespace; undefined if that cannot be worked out. Then only the values in the plan count. */
async function declaredGraphs(
  stack: Stack,
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, Graph> | undefined> {
  try {
    const all = await openNamespaces(stack, env);
    return new Map(
      all.map(({ environment, graph }) => [trimmed(environment.service.namespace ?? ''), graph]),
    );
  } catch (error) {
    if (error instanceof GatehouseError) return undefined;
    throw error;
  }
}

/**
 * @param stack the stack that the plan is for; without one nothing is turned off, and nothing has a line
 * @param reads whether to read what the stack's service has, and how much. Defaults to no.
 * @param base the revision from which exceptions count; false where the review reads it itself. Defaults to what `gateAtBase`
 *   finds.
 * @throws GatehouseError what `openEnvironment` and `gateAtBase` throw
 */
export async function reviewSettings(
  stack: Stack | undefined,
  env: NodeJS.ProcessEnv,
  reads: ReadLimits | undefined = undefined,
  base?: string | false,
): Promise<ReviewSettings> {
  const environment = stack && openEnvironment(stack, env);
  const settings = settingsWithoutStack();
  if (stack === undefined || environment === undefined) return settings;
  const [gate, deployer, live] = await Promise.all([
    base === false ? undefined : gateAtBase(stack, env, base),
    readDeployer(environment, env),
    reads && env['VAULT_TOKEN']
      ? declaredGraphs(stack, env).then((known) => readNamespaces(environment, env, reads, known))
      : undefined,
  ]);
  const positionOf = stackPositions(sourceOf(stack, {}));
  const own = trimmed(environment.service.namespace ?? '');
  return {
    options: {
      ...settings.options,
      ...ruleOptions(environment, gate),
      deployer,
      namespaces: ruleOptionsElsewhere(environment, gate),
      ...(live && { live }),
    },
    positionOf: (subject, namespace = '') =>
      positionOf(subjectWithin(namespaceWithin(own, trimmed(namespace)), subject)),
  };
}

/**
 * Who applies a change: the policies of the token, and the role it was signed in with.
 *
 * @returns undefined if there is no token, the service does not answer, it is a root token, which needs no guard, or a token
 *   of another namespace, whose policies and role the change has others of the same name for
 */
async function readDeployer(
  { service }: Environment,
  env: NodeJS.ProcessEnv,
): Promise<ReviewOptions['deployer']> {
  if (!env['VAULT_TOKEN']) return undefined;
  const client = openNamespaceClient(service, env);
  try {
    const { namespace, policies, role } = await readOwnToken(client);
    const names = policies.map(({ name }) => name);
    if (names.includes('root') || namespace !== namespaceOf(service.namespace ?? '')) return undefined;
    return { policies: names, role };
  } catch (error) {
    if (error instanceof GatehouseError) return undefined;
    throw error;
  } finally {
    client.close();
  }
}
