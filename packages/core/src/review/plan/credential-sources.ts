import {
  type AcmeOrders,
  type CredentialSource,
  type IdentityTokenRole,
  keyOfSource,
  type PkiRole,
} from '../../graph/nodes/credential-source.ts';
import { keyOfNode } from '../../graph/nodes/other-node.ts';
import type { ByName } from '../../graph/resources/field.ts';
import { decidesNothingIn } from '../../graph/resources/unmodeled.ts';
import { isUnset } from '../../graph/values/json.ts';
import { defined, textOf, trimmed } from '../../graph/values/loose-values.ts';
import type { Identities } from './identities.ts';
import { nodeOf } from './node-of-side.ts';
import { otherNodeIn } from './plan-node.ts';
import type { CredentialFlow, PlannedResource, PlannedSide } from './planned-resource.ts';
import { nameOfType } from './resource-types.ts';

/** A resource on one side, and what it is of in words. */
interface SideOf {
  of: string;
  side: PlannedSide;
}

/** What hands out credentials, by what its resource is of. */
const sources: Readonly<
  Record<string, (side: PlannedSide, all: readonly SideOf[]) => CredentialSource | undefined>
> = {
  'identity oidc role': identityTokenRole,
  'pki secret backend role': pkiRole,
  'pki secret backend config acme': acmeOrders,
};

/** Whether edges say what a resource gives a credential for: of an engine that takes orders, where it takes them from anyone. */
export function isSource(of: string): boolean {
  return Object.hasOwn(sources, of);
}

/** @param all what else is there: it may have the authorities of an engine. Defaults to nothing. */
export function sourceOf(
  of: string,
  side: PlannedSide,
  all: readonly SideOf[] = [],
): CredentialSource | undefined {
  return sources[of]?.(side, all);
}

/** What hands out credentials before and after a plan, on top of what the service has. */
export function credentialSources(
  resources: readonly PlannedResource[],
  flows: readonly CredentialFlow[],
  identities: Identities,
  live: readonly CredentialSource[] = [],
): { before: CredentialSource[]; after: CredentialSource[] } {
  const plannedBefore = sourcesOn('before', resources);
  const before = byKey([...live, ...plannedBefore]);
  const gone = new Set(plannedBefore.map(keyOfSource));
  const left = [...before.values()].filter((source) => !gone.has(keyOfSource(source)));
  const after = byKey([...left, ...sourcesOn('after', resources), ...keptBy(resources, flows, identities)]);
  return { before: [...before.values()], after: [...after.values()] };
}

function byKey(all: readonly CredentialSource[]): Map<string, CredentialSource> {
  return new Map(all.map((source) => [keyOfSource(source), source]));
}

function sourcesOn(when: 'before' | 'after', resources: readonly PlannedResource[]): CredentialSource[] {
  const all = resources.flatMap((resource): SideOf[] => {
    const side = resource[when];
    return side === undefined || resource.type !== 'inert' ? [] : [{ of: resource.of, side }];
  });
  return all.flatMap(({ of, side }) => sourceOf(of, side, all) ?? []);
}

function identityTokenRole({ fields, unknown }: PlannedSide): IdentityTokenRole | undefined {
  const name = textOf(fields['name']);
  if (name === undefined) return undefined;
  const known = (field: string) => (unknown.includes(field) ? undefined : textOf(fields[field]));
  const isKnown = !unknown.includes('template');
  return defined<IdentityTokenRole>({
    kind: 'identityTokenRole',
    name,
    clientId: known('client_id'),
    template: isKnown ? (textOf(fields['template']) ?? '') : undefined,
  });
}

function pkiRole(side: PlannedSide, all: readonly SideOf[]): PkiRole | undefined {
  const { fields, unknown } = side;
  const mount = textOf(fields['backend']);
  const name = textOf(fields['name']);
  if (mount === undefined || name === undefined) return undefined;
  const untold = unknown.filter(decides);
  return defined<PkiRole>({
    kind: 'pkiRole',
    mount: trimmed(mount),
    name,
    signs: decidingIn(side),
    untold: untold.length > 0 ? untold : undefined,
    authorities: authoritiesOf(mount, all),
  });
}

/** Whether a field of a PKI engine decides what it signs. */
function decides(field: string): boolean {
  const isName = ['id', 'backend', 'name', 'namespace'].includes(field);
  return !isName && !decidesNothingIn(nameOfType('pki secret backend role'), field);
}

/** The fields that decide what is signed, as far as they are set. */
function decidingIn({ fields }: PlannedSide): ByName {
  return Object.fromEntries(
    Object.entries(fields).filter(([field, value]) => decides(field) && !isUnset(value, true)),
  );
}

/** Whether a configuration of ACME takes orders from anyone. @returns undefined where the plan does not tell */
export function takesOpenOrders({ fields, unknown }: PlannedSide): boolean | undefined {
  if (unknown.includes('enabled') || unknown.includes('eab_policy')) return undefined;
  const policy = textOf(fields['eab_policy']) ?? 'not-required';
  return fields['enabled'] === true && policy === 'not-required';
}

function acmeOrders(side: PlannedSide, all: readonly SideOf[]): AcmeOrders | undefined {
  const mount = textOf(side.fields['backend']);
  if (mount === undefined || takesOpenOrders(side) !== true) return undefined;
  const source: AcmeOrders = { kind: 'acmeOrders', mount: trimmed(mount), signs: decidingIn(side) };
  return defined({ ...source, authorities: authoritiesOf(mount, all) });
}

/** What gives an engine an authority, and the field with its certificate. */
const authorityFields: Readonly<Record<string, string>> = {
  'pki secret backend root cert': 'certificate',
  'pki secret backend intermediate set signed': 'certificate',
  'pki secret backend config ca': 'pem_bundle',
};

/** Certificates of an engine's authorities; undefined where the plan has none, or not all of them. */
function authoritiesOf(mount: string, all: readonly SideOf[]): string[] | undefined {
  const certificates = all.flatMap(({ of, side: { fields } }) => {
    const field = authorityFields[of];
    const isHere = field !== undefined && trimmed(textOf(fields['backend']) ?? '') === trimmed(mount);
    return isHere ? [textOf(fields[field])] : [];
  });
  const known = certificates.filter((text) => text !== undefined);
  return known.length === 0 || known.length < certificates.length ? undefined : known;
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

/** Where a token reads what a resource keeps: of a generic one, with or without versions. */
function readAt(keeper: PlannedResource | undefined): string[] {
  const { fields = {} } = keeper?.after ?? {};
  const path = trimmed(textOf(fields['path']) ?? '');
  const [first, ...rest] = path.split('/');
  switch (keeper?.of) {
    case 'kv secret':
      return path === '' ? [] : [path];
    case 'generic secret':
      return path === '' ? [] : [path, [first, 'data', ...rest].join('/')];
    case 'kv secret v2': {
      const mount = textOf(fields['mount']);
      const name = textOf(fields['name']);
      return mount === undefined || name === undefined ? [] : [`${trimmed(mount)}/data/${trimmed(name)}`];
    }
    default:
      return [];
  }
}
