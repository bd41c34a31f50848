import { formatDuration, namespaceBelow, roleAt, trimmed, tuneFields } from '@gatehouse/core/graph';
import { isObject, objectIn, plainName } from '@gatehouse/core/values';
import type { Step } from '@gatehouse/engine';
import {
  DiscoveryError,
  type DocumentSource,
  readDiscovery,
  type ServiceClient,
} from '@gatehouse/service-client';
import {
  isCreate,
  isDelete,
  isMount,
  namespaceIn,
  newTextIn,
  oldTextIn,
  orUndefined,
  type PlanCheck,
} from './planned-step.ts';

/** Whether the paths of new auth methods are free: the service refuses one that is taken, and one below or above another. */
export async function checkMounts(client: ServiceClient, steps: readonly Step[]): Promise<PlanCheck> {
  const failures: string[] = [];
  for (const [namespace, ofNamespace] of Map.groupBy(steps.filter(isMount), namespaceIn)) {
    const { created, left, kept } = methodPaths(ofNamespace);
    if (created.length === 0 && kept.length === 0) continue;
    const types = await readMethodTypes(client.with({ namespace }), [...created, ...kept]);
    const whole = (path: string) => `auth/${namespaceBelow(namespace, path)}`;
    const occupied = [...types].filter(([path]) => !left.includes(path));
    for (const path of created) {
      const taken = occupied.find(([other]) => isSameOrAround(path, other) || isSameOrAround(other, path));
      if (taken === undefined) continue;
      const [other, type] = taken;
      const how =
        other === path
          ? `the service has one there already, of type ${type}`
          : `the service has ${whole(other)}, of type ${type}, ${isSameOrAround(other, path) ? 'around' : 'below'} it`;
      failures.push(
        `Auth method ${whole(path)} cannot be made: ${how}. Give another path, or import it: docs/adopt.md.`,
      );
    }
    for (const path of kept) {
      const type = types.get(path);
      if (type === undefined || type === 'oidc' || type === 'jwt') continue;
      failures.push(`Auth method ${whole(path)} is of type ${type} by now. Run again with --refresh.`);
    }
  }
  return { failures, notes: [] };
}

/** The paths at which steps make a method, remove one, or change one in its place. */
function methodPaths(steps: readonly Step[]): { created: string[]; left: string[]; kept: string[] } {
  const created: string[] = [];
  const left: string[] = [];
  const kept: string[] = [];
  for (const step of steps) {
    const before = trimmed(oldTextIn(step, 'path'));
    const after = trimmed(newTextIn(step, 'path'));
    if (isDelete(step)) left.push(before);
    else if (isCreate(step)) created.push(after);
    else if (step.op === 'update' && after !== before) {
      created.push(after);
      left.push(before);
    } else if (step.op === 'update') kept.push(after);
  }
  return { created, left, kept };
}

function isSameOrAround(outer: string, inner: string): boolean {
  return `${inner}/`.startsWith(`${outer}/`);
}

/** Whether the service has the descriptions of methods that change: the official plugin writes one only for a new method. */
export async function checkDescriptions(client: ServiceClient, steps: readonly Step[]): Promise<PlanCheck> {
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
export async function checkPeriods(client: ServiceClient, steps: readonly Step[]): Promise<PlanCheck> {
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
export async function checkIssuers(steps: readonly Step[]): Promise<PlanCheck> {
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
