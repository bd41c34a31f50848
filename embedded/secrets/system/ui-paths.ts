import type { PathRule } from '../../../core/model/policies/parse-policy.ts';
import { builtInMounts } from '../mounts/built-in-mounts.ts';
import { type AnyMount, listMounts, mountData, tokenMount } from '../mounts/mount.ts';
import { aclOf, authenticate, pathSeenBy } from '../policies/acl-of.ts';
import type { Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Token } from '../tokens/token.ts';

/**
 * What command lines and pages ask before anything else: where they are, and what they may do
 * (openbao/openbao vault/logical_system.go, pathInternalUIMountsRead, pathInternalUIResultantACL).
 */
export const uiPaths: SecretsPath[] = [
  // Also without a token: these decide themselves what to show to whom.
  { pattern: 'sys/internal/ui/mounts', unauthenticated: true, operations: { read: listVisible } },
  { pattern: 'sys/internal/ui/mounts/:path+', unauthenticated: true, operations: { read: readVisible } },
  { pattern: 'sys/internal/ui/resultant-acl', operations: { read: resultantAcl } },
];

/** A mount, by its path below `/v1/`. */
interface Place {
  path: string;
  kind: 'auth' | 'secret';
  mount: AnyMount;
}

function placesOf({ storage, request: { namespace } }: RequestContext): Place[] {
  const methods = [...listMounts(storage, namespace), tokenMount(namespace)];
  return [
    ...methods.map((mount) => ({ path: `auth/${mount.path}/`, kind: 'auth' as const, mount })),
    ...builtInMounts(namespace).map((mount) => ({ path: `${mount.path}/`, kind: 'secret' as const, mount })),
  ];
}

/** Who asks, where somebody says so. */
function callerOf(context: RequestContext): Token | undefined {
  return context.request.token === undefined ? undefined : authenticate(context);
}

function listVisible(context: RequestContext): Reply {
  const { storage, now, request } = context;
  const caller = callerOf(context);
  const acl = caller && aclOf(storage, now, caller);
  const told = placesOf(context).flatMap(({ path, kind, mount }) => {
    const seen = caller && pathSeenBy(caller, request.namespace, path);
    const isOpen = mount.config.listing_visibility === 'unauth';
    if (!isOpen && (seen === undefined || !acl?.reaches(seen))) return [];
    const { description, type } = mount;
    const data = acl === undefined ? { description, options: null, type } : mountData(mount);
    return [{ kind, name: `${mount.path}/`, data }];
  });
  const of = (wanted: Place['kind']) =>
    Object.fromEntries(told.filter(({ kind }) => kind === wanted).map(({ name, data }) => [name, data]));
  return { data: { auth: of('auth'), secret: of('secret') } };
}

function readVisible(context: RequestContext): Reply {
  const { storage, now, request, parameters } = context;
  const caller = callerOf(context);
  if (caller === undefined) throw new Refusal(403, 'permission denied');
  const path = `${parameters['path']}/`;
  const place = placesOf(context).find((one) => path.startsWith(one.path));
  const seen = place && pathSeenBy(caller, request.namespace, place.path);
  if (place === undefined || seen === undefined || !aclOf(storage, now, caller).reaches(seen)) {
    const why =
      "preflight capability check returned 403, please ensure client's policies grant access to path";
    throw new Refusal(403, `${why} ${JSON.stringify(path)}`);
  }
  return { data: { ...mountData(place.mount), path: `${place.mount.path}/` } };
}

/** Rules by their paths: those that say the whole path, and those that say how it begins. */
function resultantAcl({ storage, now, caller }: RequestContext): Reply {
  const rules = aclOf(storage, now, caller as Token).rules();
  if (rules === undefined) return { data: { root: true } };
  // As with real servers, a page is told nothing of rules with a `+` for a segment.
  const plain = rules.filter(({ path }) => !path.split('/').includes('+'));
  const told = (end: string) =>
    Object.fromEntries(
      plain
        .filter(({ path }) => path.endsWith('*') === (end === '*'))
        .map((rule) => [rule.path.slice(0, rule.path.length - end.length), permissions(rule)]),
    );
  return { data: { exact_paths: told(''), glob_paths: told('*'), root: false } };
}

function permissions(rule: PathRule): Record<string, unknown> {
  return {
    capabilities: rule.capabilities,
    allowed_parameters: rule.allowedParameters,
    denied_parameters: rule.deniedParameters,
    required_parameters: rule.requiredParameters,
  };
}
