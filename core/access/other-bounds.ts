import { isSame } from '../model/resources/field.ts';
import { isTexts } from '../model/values/json.ts';
import type { Answer } from './access-change.ts';

/** How a field of another auth method decides who signs in, or for how long. What has no row may do both. */
type Order =
  /** One of a list is asked for; without a list, nothing is. */
  | 'any of'
  /** One of a list is asked for, or any by `*`; without a list, others decide. */
  | 'one of'
  /** All of a list are asked for. */
  | 'all of'
  /** More is more; nothing is no limit. */
  | 'limit'
  /** More is more; nothing is what another place says. */
  | 'amount'
  /** Asked for where it is there. */
  | 'if set'
  /** Asked for where it is true. */
  | 'if true';

/** After the API documents of Vault and OpenBao. */
const orders: Readonly<Record<string, Order>> = {
  ...{ token_bound_cidrs: 'any of', secret_id_bound_cidrs: 'any of', bind_secret_id: 'if true' },
  ...{
    bound_service_account_names: 'one of',
    bound_service_account_namespaces: 'one of',
    audience: 'if set',
  },
  ...{ allowed_common_names: 'any of', allowed_dns_sans: 'any of', allowed_email_sans: 'any of' },
  ...{ allowed_uri_sans: 'any of', allowed_organizational_units: 'any of', required_extensions: 'all of' },
  ...{ bound_iam_principal_arns: 'any of', bound_account_ids: 'any of' },
  ...{
    token_ttl: 'amount',
    token_max_ttl: 'limit',
    token_explicit_max_ttl: 'limit',
    token_num_uses: 'limit',
  },
  ...{ secret_id_ttl: 'limit', secret_id_num_uses: 'limit' },
};

type Values = Record<string, unknown>;

/** Whether what changes lets more in, or fewer; undefined where nothing does. */
export function orderOf(
  old: Values = {},
  wanted: Values = {},
): Record<'gains' | 'losses', Answer> | undefined {
  const fields = Object.keys({ ...old, ...wanted }).filter((field) => !isSame(old[field], wanted[field]));
  if (fields.length === 0) return undefined;
  const all = fields.map((field) => directions(orders[field], old[field], wanted[field]));
  return {
    gains: all.some(({ more }) => more) ? 'some' : 'none',
    losses: all.some(({ less }) => less) ? 'some' : 'none',
  };
}

function directions(
  order: Order | undefined,
  old: unknown,
  wanted: unknown,
): { more: boolean; less: boolean } {
  const both = { more: true, less: true };
  // What is set on both sides, and not the same, does both.
  const added = { more: old !== undefined, less: wanted !== undefined };
  switch (order) {
    case 'limit':
    case 'amount':
      if (typeof old === 'number' && typeof wanted === 'number')
        return { more: wanted > old, less: wanted < old };
      return order === 'limit' ? added : both;
    case 'any of':
    case 'one of':
    case 'all of': {
      if (!isTexts(old) || !isTexts(wanted)) return order === 'one of' ? both : added;
      const isMore = (list: string[], than: string[]) =>
        (order !== 'one of' || !than.includes('*')) && list.some((one) => !than.includes(one));
      const [came, went] = [isMore(wanted, old), isMore(old, wanted)];
      return order === 'all of' ? { more: went, less: came } : { more: came, less: went };
    }
    case 'if set':
      return added;
    case 'if true':
      return { more: wanted !== true, less: wanted === true };
    default:
      return both;
  }
}
