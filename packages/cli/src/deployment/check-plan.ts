import type { ServiceSettings } from '@gatehouse/core/environment';
import { group, namespaceBelow, needsSudo, roleAt, trimmed } from '@gatehouse/core/graph';
import { GatehouseError, isTexts, nameKey, shortened } from '@gatehouse/core/values';
import type { DeploymentResult, Stack, Step } from '@gatehouse/engine';
import { rehearse } from '@gatehouse/engine/vault-plugin';
import type { ServiceClient } from '@gatehouse/service-client';
import { openNamespaceClient } from '../open/open-client.ts';
import { openEnvironment } from '../open/open-environment.ts';
import { checkDescriptions, checkIssuers, checkMounts, checkPeriods } from './check-methods.ts';
import { isCreate, namespaceIn, newTextIn, oldTextIn, orUndefined, type PlanCheck } from './planned-step.ts';

export type { PlanCheck } from './planned-step.ts';

/**
 * Asks a stack's service what a plan would fail on, without a write: whether the token may do each step, and whether paths and
 * names are free. A plan of any size takes a few requests.
 */
export async function checkPlan(
  stack: Stack,
  { steps, byOfficialPlugin }: Pick<DeploymentResult, 'steps' | 'byOfficialPlugin'>,
  env: NodeJS.ProcessEnv,
): Promise<PlanCheck> {
  const rehearsed = await rehearse(steps.filter(({ refreshed }) => !refreshed));
  // Most plans change nothing: the environment need not be read for them.
  const environment = rehearsed.length === 0 ? undefined : openEnvironment(stack, env);
  if (environment === undefined) return { failures: [], notes: [] };
  const here = stepsAt(environment.service, steps);
  // Steps in a namespace that the plan makes first are not checked: nothing in it is taken, and what
  // the token may do there is what its policies say of the path.
  const own = here.filter(({ newState, oldState }) => {
    const { namespace = '' } = (newState ?? oldState)?.inputs ?? {};
    return namespace === null || typeof namespace === 'string';
  });
  const isOwn = new Set(own);
  const requests = rehearsed.filter(({ step }) => isOwn.has(step));
  const client = openNamespaceClient(environment.service, env);
  try {
    const all = await Promise.all([
      checkMounts(client, own),
      ...(byOfficialPlugin ? [checkDescriptions(client, own)] : []),
      checkPeriods(client, here),
      checkIssuers(here),
      checkGroups(client, own),
      checkNewNamespaces(client, requests),
      checkCapabilities(client, requests),
    ]);
    return {
      failures: all.flatMap(({ failures }) => failures),
      notes: all.flatMap(({ notes }) => notes),
    };
  } finally {
    client.close();
  }
}

/** The steps on this service. What other services would say is not asked. */
function stepsAt({ address, namespace = '' }: ServiceSettings, steps: readonly Step[]): Step[] {
  const elsewhere = new Set(
    steps.flatMap(({ type, urn, newState, oldState }) => {
      if (type !== 'pulumi:providers:vault') return [];
      const { address: at, namespace: within } = (newState ?? oldState)?.inputs ?? {};
      const isHere = typeof at === 'string' && URL.parse(at)?.origin === URL.parse(address)?.origin;
      const isWithin = trimmed(typeof within === 'string' ? within : '') === trimmed(namespace);
      return isHere && isWithin ? [] : [urn];
    }),
  );
  return steps.filter(({ provider = '', refreshed }) => {
    const urn = provider.slice(0, provider.lastIndexOf('::'));
    return !refreshed && !elsewhere.has(urn);
  });
}

type PlannedRequest = Awaited<ReturnType<typeof rehearse>>[number];

/** Paths of one request: a service takes lists of some thousand entries. */
const mostPaths = 1000;

async function checkCapabilities(
  client: ServiceClient,
  requests: readonly PlannedRequest[],
): Promise<PlanCheck> {
  const needed = new Map<string, Set<string>>();
  for (const request of requests) {
    // The official plugin does not read a method's mount at this path.
    if (request.operation === 'read' && request.path.startsWith('sys/auth/')) continue;
    const path = namespaceBelow(request.namespace, request.path);
    const capabilities = needed.get(path) ?? new Set();
    capabilities.add(capabilityOf(request));
    if (needsSudo(request) === 'yes') capabilities.add('sudo');
    needed.set(path, capabilities);
  }
  const lacking = new Map<string, string[]>();
  const paths = [...needed.keys()];
  for (let at = 0; at < paths.length; at += mostPaths) {
    const batch = paths.slice(at, at + mostPaths);
    let answer: Record<string, unknown>;
    try {
      answer = (await client.post('sys/capabilities-self', { paths: batch })).data;
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      const note = `Not checked: what the token may write (${asSentencePart(error)}).`;
      return { failures: [], notes: [note] };
    }
    for (const path of batch) {
      const granted = answer[path];
      if (!isTexts(granted) || granted.includes('root')) continue;
      const lacks = [...(needed.get(path) ?? [])].filter((capability) => !granted.includes(capability));
      if (lacks.length === 0) continue;
      const key = lacks.sort().join(', ');
      lacking.set(key, [...(lacking.get(key) ?? []), path]);
    }
  }
  const failures = [...lacking].map(
    ([capabilities, at]) =>
      `The token lacks ${capabilities} on ${shortened(at, 8)}. Add it to a policy of the token: docs/stacks.md#the-deploying-token.`,
  );
  return { failures, notes: [] };
}

/** Roles are the only paths written here where a service asks whether they exist already. */
function capabilityOf({ step, operation, path }: PlannedRequest): string {
  if (operation !== 'write') return operation;
  return step.op.startsWith('create') && roleAt(path) !== undefined ? 'create' : 'update';
}

function asSentencePart({ code, parts }: GatehouseError): string {
  return code === 'permission_denied'
    ? 'it may not ask at sys/capabilities-self'
    : parts.what.replace(/\.$/, '');
}

/** The type of external and of internal groups. */
const groupToken = group.official?.pulumi;

/** Whether the names of new groups are free: the service would change an existing group of this name. */
async function checkGroups(client: ServiceClient, steps: readonly Step[]): Promise<PlanCheck> {
  const failures: string[] = [];
  const groups = steps.filter(({ type }) => type === groupToken);
  for (const [namespace, all] of Map.groupBy(groups, namespaceIn)) {
    const created = all.filter(isCreate);
    if (created.length === 0) continue;
    const answer = await orUndefined(client.with({ namespace }).list('identity/group/name'));
    const keys = answer?.data['keys'];
    const taken = new Set(isTexts(keys) ? keys.map(nameKey) : []);
    const ownNames = all.filter((step) => !isCreate(step)).map((step) => nameKey(oldTextIn(step, 'name')));
    for (const name of ownNames) taken.delete(name);
    for (const name of created.map((step) => newTextIn(step, 'name'))) {
      if (!taken.has(nameKey(name))) continue;
      failures.push(
        `Group ${namespaceBelow(namespace, name)} cannot be made: the service has one of this name. Choose another name, or import it: docs/adopt.md.`,
      );
    }
  }
  return { failures, notes: [] };
}

/** Whether new namespaces are free: a write to an existing one would change it. */
async function checkNewNamespaces(
  client: ServiceClient,
  requests: readonly PlannedRequest[],
): Promise<PlanCheck> {
  const failures: string[] = [];
  for (const { step, operation, path, namespace } of requests) {
    if (!isCreate(step) || operation !== 'write' || !path.startsWith('sys/namespaces/')) continue;
    const existing = await orUndefined(client.with({ namespace }).read(path));
    if (existing === undefined) continue;
    const name = namespaceBelow(namespace, path.slice('sys/namespaces/'.length));
    failures.push(
      `Namespace ${name} cannot be made: the service has it. List it with \`exists: true\` if others make it.`,
    );
  }
  return { failures, notes: [] };
}
