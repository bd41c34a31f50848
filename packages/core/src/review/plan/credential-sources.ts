import type { Side } from '../../access/policy-sides.ts';
import {
  type CredentialSource,
  engineAt,
  keyOfSource,
  type PkiEngine,
  sourcesByKey,
} from '../../graph/nodes/credential-source.ts';
import { acmeOrders, identityTokenRole, pkiRole } from '../../graph/nodes/credential-wire.ts';
import { keyOfNode } from '../../graph/nodes/other-node.ts';
import { isUnset } from '../../graph/values/json.ts';
import { defined, textOf, trimmed } from '../../graph/values/loose-values.ts';
import type { Identities } from './identities.ts';
import { nodeOf } from './node-of-side.ts';
import { otherNodeIn } from './plan-node.ts';
import type { CredentialFlow, PlannedResource, PlannedSide } from './planned-resource.ts';

/** What hands out credentials, by what its resource is of. */
const sources: Readonly<Record<string, (side: PlannedSide) => CredentialSource | undefined>> = {
  'identity oidc role': tokenRoleOf,
  'pki secret backend role': pkiRoleOf,
  'pki secret backend config acme': acmeOrdersOf,
};

/** Whether edges say what a resource gives a credential for: of an engine that takes orders, where it takes them from anyone. */
export function isSource(of: string): boolean {
  return Object.hasOwn(sources, of);
}

export function sourceOf(of: string, side: PlannedSide): CredentialSource | undefined {
  return sources[of]?.(side);
}

/** What hands out credentials before and after a plan, on top of what the service has. */
export function credentialSources(
  resources: readonly PlannedResource[],
  flows: readonly CredentialFlow[],
  identities: Identities,
  live: readonly CredentialSource[] = [],
): { before: CredentialSource[]; after: CredentialSource[] } {
  const plannedBefore = sourcesOn('before', resources);
  const before = sourcesByKey([...live, ...plannedBefore, ...enginesOn('before', resources, live)]);
  const gone = new Set(plannedBefore.map(keyOfSource));
  const left = [...before.values()].filter((source) => !gone.has(keyOfSource(source)));
  const after = sourcesByKey([
    ...left,
    ...sourcesOn('after', resources),
    ...enginesOn('after', resources, [...before.values()]),
    ...keptBy(resources, flows, identities),
  ]);
  return { before: [...before.values()], after: [...after.values()] };
}

function sourcesOn(when: Side, resources: readonly PlannedResource[]): CredentialSource[] {
  return resources.flatMap(({ type, of, [when]: side }) =>
    side === undefined || type !== 'inert' ? [] : (sourceOf(of, side) ?? []),
  );
}

function tokenRoleOf(side: PlannedSide): CredentialSource | undefined {
  const name = textOf(side.fields['name']);
  return name === undefined ? undefined : identityTokenRole(name, side);
}

function pkiRoleOf(side: PlannedSide): CredentialSource | undefined {
  const mount = textOf(side.fields['backend']);
  const name = textOf(side.fields['name']);
  return mount === undefined || name === undefined ? undefined : pkiRole(mount, name, side);
}

function acmeOrdersOf(side: PlannedSide): CredentialSource | undefined {
  const mount = textOf(side.fields['backend']);
  return mount === undefined ? undefined : acmeOrders(mount, side);
}

/** What gives an engine an authority, and the field with its certificate. */
const authorityFields: Readonly<Record<string, string>> = {
  'pki secret backend root cert': 'certificate',
  'pki secret backend intermediate set signed': 'certificate',
  'pki secret backend config ca': 'pem_bundle',
};

/** The engines that a plan gives authorities, on top of what the service has there. */
function enginesOn(when: Side, resources: readonly PlannedResource[], live: readonly CredentialSource[]) {
  const planned = resources.flatMap(({ of, [when]: side }) => {
    const field = authorityFields[of];
    const mount = textOf(side?.fields['backend']);
    if (field === undefined || side === undefined || mount === undefined) return [];
    return [{ mount: trimmed(mount), certificate: textOf(side.fields[field]) }];
  });
  return [...Map.groupBy(planned, ({ mount }) => mount)].map(([mount, given]): PkiEngine => {
    const { authorities = [], hasAll } = engineAt(live, mount) ?? {};
    const all = [...authorities, ...given.map(({ certificate }) => certificate)];
    const known = all.filter((text) => text !== undefined);
    // One that is hidden may be any.
    return known.length < all.length
      ? { kind: 'pkiEngine', mount }
      : defined<PkiEngine>({ kind: 'pkiEngine', mount, authorities: [...new Set(known)], hasAll });
  });
}

/** Where the plan newly keeps a credential of a sign-in that it has, and where tokens of the service read it. */
function keptBy(
  resources: readonly PlannedResource[],
  flows: readonly CredentialFlow[],
  identities: Identities,
): CredentialSource[] {
  const byAddress = new Map(resources.map((resource) => [resource.address, resource]));
  return flows.flatMap(({ of, field, to }): CredentialSource[] => {
    const signsInBy = signsInWith(byAddress.get(of), identities);
    if (signsInBy === undefined) return [];
    return readAt(byAddress.get(to)).map((path) => ({
      kind: 'keptCredential',
      path,
      field,
      signsInBy,
      address: to,
      of,
    }));
  });
}

/** The node that one signs in by with what a resource makes, by its key; undefined where it is not one of these. */
function signsInWith(credential: PlannedResource | undefined, identities: Identities): string | undefined {
  const side = credential?.after ?? credential?.before;
  if (credential === undefined || side === undefined) return undefined;
  const node = otherNodeIn(nodeOf(credential, side, 'after', identities));
  switch (node?.kind) {
    case 'secretId': {
      const { method, role: name } = node;
      return keyOfNode({
        kind: 'otherRole',
        type: 'approle',
        noun: 'role',
        method,
        name,
        policies: [],
        bounds: {},
      });
    }
    case 'token':
    case 'otherRole':
      return keyOfNode(node);
    default:
      return undefined;
  }
}

/** Where a value with versions is read, by each mount that a path may be of: `team/kv/one` is at `team/kv/data/one`. */
function withVersions(path: string): string[] {
  const segments = path.split('/');
  return segments.slice(1).map((_, at) => segments.toSpliced(at + 1, 0, 'data').join('/'));
}

/** Where a token reads what a resource keeps: of a generic one, with or without versions. */
function readAt(keeper: PlannedResource | undefined): string[] {
  const { fields = {} } = keeper?.after ?? {};
  const path = trimmed(textOf(fields['path']) ?? '');
  switch (keeper?.of) {
    case 'kv secret':
      return path === '' ? [] : [path];
    case 'generic secret':
      return path === '' ? [] : [path, ...withVersions(path)];
    case 'kv secret v2': {
      const mount = textOf(fields['mount']);
      const name = textOf(fields['name']);
      if (mount === undefined || name === undefined) return [];
      const parts = isUnset(fields['custom_metadata']) ? ['data'] : ['data', 'metadata'];
      return parts.map((part) => `${trimmed(mount)}/${part}/${trimmed(name)}`);
    }
    default:
      return [];
  }
}
