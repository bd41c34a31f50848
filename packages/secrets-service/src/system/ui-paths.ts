import type { PathRule } from '@gatehouse/core/graph';
import { z } from 'zod';
import { builtInMounts } from '../mounts/built-in-mounts.ts';
import { type AnyMount, authMounts, mountData, mountFields, mountSchema } from '../mounts/mount.ts';
import { aclOf, authenticate, pathSeenBy } from '../policies/acl-of.ts';
import {
  type Reply,
  type RequestContext,
  readOnly,
  type SecretsPath,
  withoutToken,
} from '../protocol/path.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import { all, texts } from '../protocol/schemas.ts';
import type { StoredToken } from '../tokens/token.ts';

/** Without a token, less is returned. */
const visible = z.union([mountSchema, mountSchema.pick({ description: true, options: true, type: true })]);
const ruleSchema = z.record(z.string(), z.looseObject({ capabilities: texts }));

/**
 * What CLIs and pages ask first: what is mounted, and what they may do
 * (openbao/openbao vault/logical_system.go, pathInternalUIMountsRead, pathInternalUIResultantACL).
 */
export const uiPaths: SecretsPath[] = [
  // These two check the token themselves.
  withoutToken(
    readOnly('sys/internal/ui/mounts', 'List the mounts that the caller can see', listVisible, {
      data: z.strictObject(all(z.record(z.string(), visible), 'auth', 'secret')),
    }),
  ),
  withoutToken(
    readOnly('sys/internal/ui/mounts/:path+', 'Read the mount of a path', readVisible, {
      data: z.strictObject({ ...mountFields, path: z.string() }),
    }),
  ),
  readOnly('sys/internal/ui/resultant-acl', 'What the caller’s policies allow', resultantAcl, {
    data: z.strictObject({ ...all(ruleSchema.optional(), 'exact_paths', 'glob_paths'), root: z.boolean() }),
  }),
];

/** A mount, by its path below `/v1/`. */
interface PlacedMount {
  path: string;
  kind: 'auth' | 'secret';
  mount: AnyMount;
}

function placesOf(context: RequestContext): PlacedMount[] {
  const { namespace } = context;
  const methods = authMounts(context);
  return [
    ...methods.map((mount) => ({ path: `auth/${mount.path}/`, kind: 'auth' as const, mount })),
    ...builtInMounts(namespace).map((mount) => ({ path: `${mount.path}/`, kind: 'secret' as const, mount })),
  ];
}

function callerOf(context: RequestContext): StoredToken | undefined {
  return context.token === undefined ? undefined : authenticate(context);
}

function listVisible(context: RequestContext): Reply {
  const { storage, now, namespace } = context;
  const caller = callerOf(context);
  const acl = caller && aclOf(storage, now, caller);
  const shown = placesOf(context).flatMap(({ path, kind, mount }) => {
    const seen = caller && pathSeenBy(caller, namespace, path);
    const isOpen = mount.config.listing_visibility === 'unauth';
    if (!isOpen && (seen === undefined || !acl?.reaches(seen))) return [];
    const { description, type } = mount;
    const data = acl === undefined ? { description, options: {}, type } : mountData(mount);
    return [{ kind, name: `${mount.path}/`, data }];
  });
  const dataOf = (wantedKind: PlacedMount['kind']) =>
    Object.fromEntries(shown.filter(({ kind }) => kind === wantedKind).map(({ name, data }) => [name, data]));
  return { data: { auth: dataOf('auth'), secret: dataOf('secret') } };
}

function readVisible(context: RequestContext): Reply {
  const { storage, now, namespace, parameters } = context;
  const caller = callerOf(context);
  if (caller === undefined) throw new RequestRefusal(403, 'permission denied');
  const path = `${parameters.path}/`;
  const place = placesOf(context).find((candidate) => path.startsWith(candidate.path));
  const seen = place && pathSeenBy(caller, namespace, place.path);
  if (place === undefined || seen === undefined || !aclOf(storage, now, caller).reaches(seen)) {
    const why =
      "preflight capability check returned 403, please ensure client's policies grant access to path";
    throw new RequestRefusal(403, `${why} ${JSON.stringify(path)}`);
  }
  return { data: { ...mountData(place.mount), path: `${place.mount.path}/` } };
}

/** The caller's rules by path: exact paths and prefixes. */
function resultantAcl({ storage, now, caller }: RequestContext): Reply {
  const rules = aclOf(storage, now, caller as StoredToken).rules();
  if (rules === undefined) return { data: { root: true } };
  // Real servers leave out rules with a `+` segment.
  const plain = rules.filter(({ path }) => !path.split('/').includes('+'));
  const ending = (end: string) =>
    Object.fromEntries(
      plain
        .filter(({ path }) => path.endsWith('*') === (end === '*'))
        .map((rule) => [rule.path.slice(0, rule.path.length - end.length), permissions(rule)]),
    );
  return { data: { exact_paths: ending(''), glob_paths: ending('*'), root: false } };
}

function permissions(rule: PathRule): Record<string, unknown> {
  return {
    capabilities: rule.capabilities,
    allowed_parameters: rule.allowedParameters,
    denied_parameters: rule.deniedParameters,
    required_parameters: rule.requiredParameters,
  };
}
