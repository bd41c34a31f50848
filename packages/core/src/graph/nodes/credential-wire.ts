import type { ByName } from '../resources/field.ts';
import { decidesNothingIn } from '../resources/unmodeled.ts';
import { isUnset } from '../values/json.ts';
import { defined, textOf, textsOf, trimmed } from '../values/loose-values.ts';
import type { AcmeOrders, IdentityTokenRole, PkiRole } from './credential-source.ts';

/** What the service keeps of a source, or a plan writes: by names on the wire. */
export interface WireSide {
  fields: ByName;
  /** Fields that are known only after a change. */
  unknown: readonly string[];
}

/** @param key the fields of its key, where they are known */
export function identityTokenRole(
  name: string,
  { fields, unknown }: WireSide,
  key?: ByName,
): IdentityTokenRole {
  const clientId = unknown.includes('client_id') ? undefined : textOf(fields['client_id']);
  const signed = key && textsOf(key['allowed_client_ids']);
  const isUnsigned = signed && clientId !== undefined && ![clientId, '*'].some((id) => signed.includes(id));
  return defined<IdentityTokenRole>({
    kind: 'identityTokenRole',
    name,
    clientId,
    template: unknown.includes('template') ? undefined : (textOf(fields['template']) ?? ''),
    key: unknown.includes('key') ? undefined : textOf(fields['key']),
    isUnsigned: isUnsigned ? true : undefined,
  });
}

export function pkiRole(mount: string, name: string, side: WireSide): PkiRole {
  const untold = side.unknown.filter(decides);
  return defined<PkiRole>({
    kind: 'pkiRole',
    mount: trimmed(mount),
    name,
    signs: decidingIn(side),
    untold: untold.length > 0 ? untold : undefined,
  });
}

/** @returns undefined for a configuration that takes no orders from anyone, or that is not known to */
export function acmeOrders(mount: string, side: WireSide): AcmeOrders | undefined {
  if (takesOpenOrders(side) !== true) return undefined;
  // Unless roles decide it, certificates are for servers: OpenBao 2.7.2 refuses a sign-in with one (measured).
  const usage = 'allow_role_ext_key_usage';
  const isForServers = side.fields[usage] !== true && !side.unknown.includes(usage);
  const orders: AcmeOrders = { kind: 'acmeOrders', mount: trimmed(mount), signs: decidingIn(side) };
  return isForServers ? { ...orders, isForServers } : orders;
}

/** Whether a configuration of ACME takes orders from anyone. @returns undefined where that is not known */
export function takesOpenOrders({ fields, unknown }: WireSide): boolean | undefined {
  if (unknown.includes('enabled') || unknown.includes('eab_policy')) return undefined;
  const policy = textOf(fields['eab_policy']) ?? 'not-required';
  return fields['enabled'] === true && policy === 'not-required';
}

/** Whether a field of a PKI engine decides what it signs. */
function decides(field: string): boolean {
  const isName = ['id', 'backend', 'name', 'namespace'].includes(field);
  return !isName && !decidesNothingIn('vault_pki_secret_backend_role', field);
}

/** The fields that decide what is signed, as far as they are set. */
function decidingIn({ fields }: WireSide): ByName {
  return Object.fromEntries(
    Object.entries(fields).filter(([field, value]) => decides(field) && !isUnset(value, true)),
  );
}
