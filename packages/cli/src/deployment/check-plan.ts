import type { Service } from '@gatehouse/core/environment';
import {
  formatDuration,
  group,
  method,
  namespaceBelow,
  needsSudo,
  roleAt,
  trimmed,
  tuneFields,
} from '@gatehouse/core/graph';
import {
  GatehouseError,
  isObject,
  isTexts,
  nameKey,
  objectIn,
  plainName,
  shortened,
} from '@gatehouse/core/values';
import type { DeploymentResult, Stack, Step } from '@gatehouse/engine';
import { rehearse } from '@gatehouse/engine/vault-plugin';
import {
  DiscoveryError,
  type DocumentSource,
  readDiscovery,
  type ServiceClient,
} from '@gatehouse/service-client';
import { openNamespaceClient } from '../open/open-client.ts';
import { openEnvironment } from '../open/open-environment.ts';

/** What a service says of a plan before anything is written. */
export interface PlanCheck {
  /** What would fail, each with why: one sentence or two. */
  failures: string[];
  /** What could not be asked. */
  notes: string[];
}

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
  // In a namespace that is yet to be made, nothing is taken, and the token has what its own policies say of the path.
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
function stepsAt({ address, namespace = '' }: Service, steps: readonly Step[]): Step[] {
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
    // The official plugin reads a mount elsewhere.
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

const mountToken = method.official?.pulumi;
/** The type of external and of internal groups. */
const groupToken = group.official?.pulumi;
const isMount = ({ type }: Step) => type === mountToken;
const isCreate = ({ op }: Step) => op === 'create' || op === 'create-replacement';
const isDelete = ({ op }: Step) => op === 'delete' || op === 'delete-replaced';

/** A text among the inputs that a step gives its resource; empty where there is none. */
function newTextIn({ newState }: Step, name: string): string {
  const value = newState?.inputs[name];
  return typeof value === 'string' ? value : '';
}

/** A text that the resource of a step had before; empty where there was none. */
function oldTextIn({ oldState }: Step, name: string): string {
  const value = oldState?.outputs[name] ?? oldState?.inputs[name];
  return typeof value === 'string' ? value : '';
}
const namespaceIn = (step: Step) => trimmed(newTextIn(step, 'namespace') || oldTextIn(step, 'namespace'));

/** Whether the paths of new auth methods are free: the service refuses one that is taken, and one below or above another. */
async function checkMounts(client: ServiceClient, steps: readonly Step[]): Promise<PlanCheck> {
  const failures: string[] = [];
  for (const [namespace, all] of Map.groupBy(steps.filter(isMount), namespaceIn)) {
    const created: string[] = [];
    const left: string[] = [];
    const kept: string[] = [];
    for (const step of all) {
      const before = trimmed(oldTextIn(step, 'path'));
      const after = trimmed(newTextIn(step, 'path'));
      if (isDelete(step)) left.push(before);
      else if (isCreate(step)) created.push(after);
      else if (step.op === 'update' && after !== before) {
        created.push(after);
        left.push(before);
      } else if (step.op === 'update') kept.push(after);
    }
    if (created.length === 0 && kept.length === 0) continue;
    const mounts = await readMethodTypes(client.with({ namespace }), [...created, ...kept]);
    const occupied = [...mounts].filter(([path]) => !left.includes(path));
    const whole = (path: string) => `auth/${namespaceBelow(namespace, path)}`;
    for (const path of created) {
      const taken = occupied.find(
        ([other]) =>
          other === path || `${path}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${path}/`),
      );
      if (taken === undefined) continue;
      const [other, type] = taken;
      const how =
        other === path
          ? `the service has one there already, of type ${type}`
          : `the service has ${whole(other)}, of type ${type}, ${path.startsWith(`${other}/`) ? 'around' : 'below'} it`;
      failures.push(
        `Auth method ${whole(path)} cannot be made: ${how}. Give another path, or import it: docs/adopt.md.`,
      );
    }
    for (const path of kept) {
      const type = mounts.get(path);
      if (type === undefined || type === 'oidc' || type === 'jwt') continue;
      failures.push(`Auth method ${whole(path)} is of type ${type} by now. Run again with --refresh.`);
    }
  }
  return { failures, notes: [] };
}

/** Whether the service has the descriptions of methods that change: the official plugin writes one only for a new method. */
async function checkDescriptions(client: ServiceClient, steps: readonly Step[]): Promise<PlanCheck> {
  const changed = steps.filter(
    (step) =>
      isMount(step) &&
      step.op === 'update' &&
      newTextIn(step, 'description') !== oldTextIn(step, 'description'),
  );
  const failures = await Promise.all(
    changed.map(async (step) => {
      const path = trimmed(oldTextIn(step, 'path'));
      const namespace = namespaceIn(step);
      const mount = await orUndefined(client.with({ namespace }).read(`sys/auth/${path}`));
      if ((mount?.data['description'] ?? '') === newTextIn(step, 'description')) return [];
      const place = `auth/${namespaceBelow(namespace, path)}`;
      return `Auth method ${place} would keep its description: the official plugin does not send one that changes. Write it to sys/${place}/tune first, or leave it as it was.`;
    }),
  );
  return { failures: failures.flat(), notes: [] };
}

/** The types of auth methods by path. Where the token may not list all methods, only those at `paths` are read. */
async function readMethodTypes(
  client: ServiceClient,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const typeOf = (mount: unknown) => String(isObject(mount) ? mount['type'] : 'unknown');
  const all = await orUndefined(client.read('sys/auth'));
  const listed = Object.entries(all?.data ?? {}).filter(([path]) => path.endsWith('/'));
  if (all !== undefined) return new Map(listed.map(([path, mount]) => [trimmed(path), typeOf(mount)]));
  const types = new Map<string, string>();
  for (const path of paths) {
    const mount = await orUndefined(client.read(`sys/auth/${path}`));
    if (mount !== undefined) types.set(path, typeOf(mount.data));
  }
  return types;
}

/**
 * Whether the periods of roles are within what the service, or a method that is there, is tuned to: a service refuses the role of
 * a longer one. Where the same plan tunes the method, the declaration has been refused by now.
 */
async function checkPeriods(client: ServiceClient, steps: readonly Step[]): Promise<PlanCheck> {
  const failures: string[] = [];
  const limits = new Map<string, Promise<number>>();
  const limitAt = async (namespace: string, path: string) =>
    (await longestAt(client.with({ namespace }), path)) ??
    (await longestAt(client, 'token')) ??
    Number.POSITIVE_INFINITY;
  const tuned = steps.filter((step) => {
    const { tune } = step.newState?.inputs ?? {};
    const longest = isObject(tune) ? tune['maxLeaseTtl'] : undefined;
    return isMount(step) && longest !== undefined && longest !== tuneFields.maxLeaseTtl.reset;
  });
  for (const step of steps) {
    const period = step.op === 'same' || isDelete(step) ? undefined : periodIn(step);
    if (period === undefined) continue;
    const { path, name, seconds } = period;
    const namespace = namespaceIn(step);
    const reached = step.newState?.dependencies ?? [];
    if (tuned.some(({ urn }) => reached.includes(urn))) continue;
    const place = namespaceBelow(namespace, path);
    const limit = limits.get(place) ?? limitAt(namespace, path);
    limits.set(place, limit);
    const longest = await limit;
    if (seconds <= longest) continue;
    failures.push(
      `Role ${plainName(`${place}/${name}`)} cannot be made: its period, ${formatDuration(seconds)}, is longer than tokens of the method may live, ${formatDuration(longest)}. Shorten it, or set tune.maxLeaseTtl of the provider.`,
    );
  }
  return { failures, notes: [] };
}

/** The period that a step gives a role, whichever resource the role is. */
function periodIn(step: Step): { path: string; name: string; seconds: number } | undefined {
  const { tokenPeriod } = step.newState?.inputs ?? {};
  const { method: path, name } = roleAt(newTextIn(step, 'path')) ?? {
    method: trimmed(newTextIn(step, 'backend')),
    name: newTextIn(step, 'roleName'),
  };
  const seconds = tokenPeriod ?? objectIn(newTextIn(step, 'dataJson'))?.['token_period'];
  return typeof seconds === 'number' && seconds > 0 && path !== '' ? { path, name, seconds } : undefined;
}

/** The longest that tokens of a method live, in seconds; undefined where it is not there, or not for this token to see. */
async function longestAt(client: ServiceClient, path: string): Promise<number | undefined> {
  const tune = await orUndefined(client.read(`sys/mounts/auth/${path}/tune`));
  const longest = tune?.data['max_lease_ttl'];
  return typeof longest === 'number' && longest > 0 ? longest : undefined;
}

/**
 * Whether the documents of new issuers name them as they are written, to the last slash: a service refuses another. The
 * service may be able to read what this machine cannot, so nothing is said of it.
 */
async function checkIssuers(steps: readonly Step[]): Promise<PlanCheck> {
  const mounts = steps.filter(
    (step) =>
      isMount(step) &&
      !isDelete(step) &&
      newTextIn(step, 'oidcDiscoveryUrl') !== oldTextIn(step, 'oidcDiscoveryUrl'),
  );
  const failures = await Promise.all(
    mounts.map(async (step) => {
      const url = newTextIn(step, 'oidcDiscoveryUrl');
      const named = await namedIssuer({ url, caPem: newTextIn(step, 'oidcDiscoveryCaPem') || undefined });
      if (named === undefined) return [];
      const path = namespaceBelow(namespaceIn(step), trimmed(newTextIn(step, 'path')));
      return [
        `Auth method auth/${path} cannot be configured: the discovery document at ${url} names the issuer ${JSON.stringify(named)}. Write the issuer exactly so.`,
      ];
    }),
  );
  return { failures: failures.flat(), notes: [] };
}

/** The issuer that a discovery document names, where that is another one. */
async function namedIssuer(place: DocumentSource): Promise<string | undefined> {
  if (place.url === '') return undefined;
  try {
    await readDiscovery(place);
    return undefined;
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    return error.issuer;
  }
}

/** The answer; undefined for a path that is missing, or that this token may not read. */
async function orUndefined<Answer>(reading: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof GatehouseError) return undefined;
    throw error;
  }
}

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
