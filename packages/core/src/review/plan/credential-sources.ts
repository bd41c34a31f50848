import type { Change } from '../../graph/change.ts';
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

/** A resource on one side, by its type in Terraform. */
interface SideOfType {
  type: string;
  side: PlannedSide;
}

/** What hands out credentials before and after a plan, on top of what the service has. */
export function credentialSources(
  resources: readonly PlannedResource[],
  flows: readonly CredentialFlow[],
  identities: Identities,
  live: readonly CredentialSource[] = [],
): Pick<Record<keyof Pick<Change, 'before' | 'after'>, CredentialSource[]>, 'before' | 'after'> {
  const before = new Map(live.map((source) => [keyOfSource(source), source]));
  for (const source of sourcesOn('before', resources)) before.set(keyOfSource(source), source);
  const after = new Map(before);
  const planned = sourcesOn('after', resources);
  for (const source of sourcesOn('before', resources)) after.delete(keyOfSource(source));
  for (const source of [...planned, ...keptBy(resources, flows, identities)])
    after.set(keyOfSource(source), source);
  return { before: [...before.values()], after: [...after.values()] };
}

function sourcesOn(when: 'before' | 'after', resources: readonly PlannedResource[]): CredentialSource[] {
  const all = resources.flatMap((resource): SideOfType[] => {
    const side = resource[when];
    return side === undefined || resource.type !== 'inert' ? [] : [{ type: nameOfType(resource.of), side }];
  });
  return all.flatMap(({ type, side }): CredentialSource[] => {
    switch (type) {
      case 'vault_identity_oidc_role':
        return identityTokenRole(side);
      case 'vault_pki_secret_backend_role':
        return pkiRole(side, all);
      case 'vault_pki_secret_backend_config_acme':
        return acmeOrders(side, all);
      default:
        return [];
    }
  });
}

function identityTokenRole({ fields, unknown }: PlannedSide): IdentityTokenRole[] {
  const name = textOf(fields['name']);
  if (name === undefined) return [];
  const known = (field: string) =>
    unknown.includes(field) ? undefined : (textOf(fields[field]) ?? (field === 'template' ? '' : undefined));
  return [
    defined<IdentityTokenRole>({
      kind: 'identityTokenRole',
      name,
      clientId: known('client_id'),
      template: known('template'),
    }),
  ];
}

/** @param all what else is there: it may have the authorities of the engine. Defaults to nothing. */
export function pkiRole({ fields, unknown }: PlannedSide, all: readonly SideOfType[] = []): PkiRole[] {
  const mount = textOf(fields['backend']);
  const name = textOf(fields['name']);
  if (mount === undefined || name === undefined) return [];
  const decides = (field: string) =>
    !['id', 'backend', 'name', 'namespace'].includes(field) &&
    !decidesNothingIn('vault_pki_secret_backend_role', field);
  const signs: ByName = Object.fromEntries(
    Object.entries(fields).filter(([field, value]) => decides(field) && !isUnset(value, true)),
  );
  const untold = unknown.filter(decides);
  return [
    defined<PkiRole>({
      kind: 'pkiRole',
      mount: trimmed(mount),
      name,
      signs,
      untold: untold.length > 0 ? untold : undefined,
      authorities: authoritiesOf(mount, all),
    }),
  ];
}

/** Whether a configuration of ACME takes orders from anyone. @returns undefined where the plan does not tell */
export function takesOpenOrders({ fields, unknown }: PlannedSide): boolean | undefined {
  if (unknown.includes('enabled') || unknown.includes('eab_policy')) return undefined;
  const policy = textOf(fields['eab_policy']) ?? 'not-required';
  return fields['enabled'] === true && policy === 'not-required';
}

function acmeOrders(side: PlannedSide, all: readonly SideOfType[]): AcmeOrders[] {
  const mount = textOf(side.fields['backend']);
  if (mount === undefined || takesOpenOrders(side) !== true) return [];
  const source: AcmeOrders = { kind: 'acmeOrders', mount: trimmed(mount) };
  return [defined({ ...source, authorities: authoritiesOf(mount, all) })];
}

/** Types that give an engine an authority, by the field with its certificate. */
const authorityFields: Readonly<Record<string, string>> = {
  vault_pki_secret_backend_root_cert: 'certificate',
  vault_pki_secret_backend_intermediate_set_signed: 'certificate',
  vault_pki_secret_backend_config_ca: 'pem_bundle',
};

/** Certificates of an engine's authorities; undefined where the plan has none, or not all of them. */
function authoritiesOf(mount: string, all: readonly SideOfType[]): string[] | undefined {
  const certificates = all.flatMap(({ type, side: { fields } }) => {
    const field = authorityFields[type];
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
export function readAt(keeper: PlannedResource | undefined): string[] {
  const { fields = {} } = keeper?.after ?? {};
  const path = trimmed(textOf(fields['path']) ?? '');
  const [first, ...rest] = path.split('/');
  switch (keeper && nameOfType(keeper.of)) {
    case 'vault_kv_secret':
      return path === '' ? [] : [path];
    case 'vault_generic_secret':
      return path === '' ? [] : [path, [first, 'data', ...rest].join('/')];
    case 'vault_kv_secret_v2': {
      const mount = textOf(fields['mount']);
      const name = textOf(fields['name']);
      return mount === undefined || name === undefined ? [] : [`${trimmed(mount)}/data/${trimmed(name)}`];
    }
    default:
      return [];
  }
}
