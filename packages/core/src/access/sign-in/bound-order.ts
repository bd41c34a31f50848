import { credentials } from '../../graph/resources/credentials.ts';
import { isSame, sortedJson, type Trust } from '../../graph/resources/field.ts';
import { trustByField } from '../../graph/resources/trust.ts';
import { type AddressRange, addressRange } from '../../graph/values/address-range.ts';
import { isTexts } from '../../graph/values/json.ts';
import { addressOutside } from './address-ranges.ts';

/**
 * How fields of other auth methods decide who signs in, with what, or for how long. A bound without a row may do both.
 *
 * After the API documents of Vault and OpenBao; what they leave open, after the source of Vault: addresses by
 * `parseutil.ParseAddrs`, names that a token role refuses by `handleCreateCommon` of `vault/token_store.go`, second factors
 * by the documents of `identity/mfa/login-enforcement` (a sign-in that any of its lists names needs any of its methods).
 */
const fieldsBy = {
  /** One of the addresses, or ranges of them, is asked for; without a list, nothing is. */
  'in one of': ['token_bound_cidrs', 'secret_id_bound_cidrs', 'bound_cidrs', 'cidr_list'],
  /** One of a list is asked for; without a list, nothing is. */
  'any of': [
    'allowed_common_names',
    'allowed_dns_sans',
    'allowed_email_sans',
    'allowed_uri_sans',
    'allowed_organizational_units',
    'bound_iam_principal_arns',
    'bound_account_ids',
    'mfa_method_ids',
  ],
  /** One of a list is asked for, or any by `*`; without a list, others decide. */
  'one of': ['bound_service_account_names', 'bound_service_account_namespaces', 'allowed_policies_glob'],
  /** All of a list are asked for. */
  'all of': ['required_extensions'],
  /** Entries of these lists are refused, or need more. */
  'none of': [
    'disallowed_policies',
    'disallowed_policies_glob',
    'auth_method_types',
    'auth_method_accessors',
    'identity_group_ids',
    'identity_entity_ids',
  ],
  /** More is more; nothing is no limit. */
  limit: [
    'token_max_ttl',
    'token_explicit_max_ttl',
    'explicit_max_ttl',
    'token_num_uses',
    'secret_id_ttl',
    'secret_id_num_uses',
  ],
  /** More is more; nothing is what another place says. */
  amount: ['token_ttl'],
  /** Asked for where it is there. */
  'if set': ['audience'],
  /** Asked for where it is true. */
  'asked if true': ['token_no_default_policy'],
  /** Given unless it is false. */
  'given unless false': ['renewable'],
  /** Another one lets in the same people. */
  same: credentials.flatMap((name) => [name, `${name}_wo_version`]),
};
export type Order = keyof typeof fieldsBy | Trust;
const ownOrders = Object.entries(fieldsBy) as [keyof typeof fieldsBy, readonly string[]][];
const orders: ReadonlyMap<string, Order> = new Map<string, Order>([
  ...trustByField,
  ...ownOrders.flatMap(([order, fields]) => fields.map((field) => [field, order] as const)),
]);

/** Whether a field's change lets in others, or asks for less. Absent values are not set. */
export function asksLess(order: Trust, before: unknown, after: unknown): boolean {
  return !isSame(asAddress(before), asAddress(after)) && directions(order, before, after).widens;
}

/** An address without the slash at its end, which leads to the same party; anything else as it is. */
function asAddress(value: unknown): unknown {
  return typeof value === 'string' && /^\w+:\/\//.test(value) ? value.replace(/\/+$/, '') : value;
}

export type Directions = Record<'widens' | 'narrows', boolean>;

/** How a field decides; undefined for one that is in no table. */
export function orderOf(field: string): Order | undefined {
  return orders.get(field);
}

/** Whether another value of a field lets more in, or fewer. */
export function directions(order: Order | undefined, old: unknown, wanted: unknown): Directions {
  const both = { widens: true, narrows: true };
  // A bound that is set on both sides and differs does both.
  const added = { widens: old !== undefined, narrows: wanted !== undefined };
  switch (order) {
    case 'limit':
    case 'amount':
      if (typeof old === 'number' && typeof wanted === 'number')
        return { widens: wanted > old, narrows: wanted < old };
      return order === 'limit' ? added : both;
    case 'in one of': {
      const [was, is] = [rangesOf(old), rangesOf(wanted)];
      if (was === undefined || is === undefined) return added;
      return {
        widens: addressOutside(was, is) !== undefined,
        narrows: addressOutside(is, was) !== undefined,
      };
    }
    case 'any of':
    case 'one of':
    case 'all of':
    case 'none of': {
      const [was, is] = order === 'none of' ? [old ?? [], wanted ?? []] : [entriesOf(old), entriesOf(wanted)];
      if (!isTexts(was) || !isTexts(is)) return order === 'one of' || order === 'none of' ? both : added;
      const isMore = (list: string[], than: string[]) =>
        (order !== 'one of' || !than.includes('*')) && list.some((one) => !than.includes(one));
      const [came, went] = [isMore(is, was), isMore(was, is)];
      const isLess = order === 'all of' || order === 'none of';
      return isLess ? { widens: went, narrows: came } : { widens: came, narrows: went };
    }
    case 'each': {
      const [was, is] = [old, wanted].map((value) => (value === undefined ? [] : [value].flat()));
      const isMore = (list: unknown[] = [], than: unknown[] = []) =>
        list.some((one) => !than.some((other) => isSame(one, other)));
      return { widens: isMore(is, was), narrows: isMore(was, is) };
    }
    case 'if set':
      return added;
    case 'asked if true':
    case 'asked unless false':
    case 'given if true':
    case 'given unless false': {
      const [was, is] = [old, wanted].map((value) => flagOf(value, order.endsWith('unless false')));
      if (was === undefined || is === undefined) return both;
      const isOn = order.startsWith('given');
      return { widens: was !== is && is === isOn, narrows: was !== is && is !== isOn };
    }
    case 'TLS version': {
      const [was, is] = [old ?? leastTls, wanted ?? leastTls].map(String);
      const [first = '', last = ''] = [was, is];
      if (![first, last].every((version) => /^tls\d+$/.test(version))) return both;
      return { widens: last < first, narrows: last > first };
    }
    case 'same':
      return { widens: false, narrows: false };
    default:
      return both;
  }
}

/** The version that clients ask for at least where none is set (hashicorp/vault `sdk/helper/ldaputil/config.go`). */
const leastTls = 'tls12';

/** Entries of a list that can be compared; anything else as it is. */
function entriesOf(list: unknown): unknown {
  return Array.isArray(list) ? list.map((one) => (typeof one === 'string' ? one : sortedJson(one))) : list;
}

/** A flag, which may be a text; undefined where it cannot be read. */
function flagOf(value: unknown, byDefault: boolean): boolean | undefined {
  if (value === undefined) return byDefault;
  const text = String(value);
  return text === 'true' || text === 'false' ? text === 'true' : undefined;
}

/** Addresses of a list of ranges; undefined for what cannot be read. */
function rangesOf(list: unknown): AddressRange[] | undefined {
  if (list === undefined) return anyAddress;
  if (!isTexts(list)) return undefined;
  const ranges = list.map((one) => addressRange(one));
  return ranges.every((one) => one !== undefined) ? ranges : undefined;
}
const anyAddress = ['0.0.0.0/0', '::/0'].flatMap((one) => addressRange(one) ?? []);
