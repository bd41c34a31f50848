import { textsOf } from '../values/loose-values.ts';
import { plainName } from '../values/visible.ts';
import { credentials } from './credentials.ts';
import type { ByName } from './field.ts';
import type { MethodList } from './other-methods.ts';

/** Fields that say who signs in, or from where (API documents of Vault and OpenBao). */
const bounding =
  /^(bound_.+|allowed_(names|common_names|\w+_sans|organizational_units|entity_aliases)|required_extensions|token_bound_cidrs|secret_id_bound_cidrs|cidr_list|audience|arn|ocid_list|role_tag|inferred_\w+|auth_type|type|ocsp_enabled|max_jwt_exp)$/;
/** Fields that say what a sign-in gets, what it is called, or how it proves itself. */
const notBounding =
  /^(display_name|alias_\w+|allowed_metadata_extensions|token_no_default_policy|local_secret_ids|bind_secret_id|role_id|certificate|groups|groups_attribute|add_group_aliases|allow_gce_inference|resolve_aws_unique_ids|allow_instance_migration|(dis)?allowed_policies(_glob)?|orphan|path_suffix|ocsp_(?!enabled)\w+|\w+_wo(_version)?|password_hash|value)$/;

/**
 * Who signs in, in words, with every bound that the words do not say: ` (common names a, b)`. A field that is not known here is
 * named without its value.
 *
 * @param bounds what decides who gets it, without secrets
 */
export function whoSignsIn(
  { who, says = [] }: Pick<MethodList, 'who' | 'says'>,
  at: { name: string; where?: string | undefined },
  fields: ByName,
  bounds: ByName,
): string {
  const left = Object.entries(bounds).filter(
    ([field]) => !says.includes(field) && !notBounding.test(field) && !credentials.includes(field),
  );
  const known = left.filter(([field]) => bounding.test(field));
  const strange = left.filter(([field]) => !bounding.test(field)).map(([field]) => field);
  const limits = [
    ...known.map(([field, value]) => `${fieldWords(field)} ${valuesOf(value)}`),
    ...(strange.length > 0
      ? [`${strange.length} more bound${strange.length === 1 ? '' : 's'}: ${strange.join(', ')}`]
      : []),
  ];
  return `${who(at.name, fields, at.where)}${limits.length === 0 ? '' : ` (${limits.join('; ')})`}`;
}

function fieldWords(field: string): string {
  if (/^(token_)?bound_cidrs$/.test(field)) return 'source address';
  return field.replace(/^(bound|allowed)_/, '').replaceAll('_', ' ');
}

function valuesOf(value: unknown): string {
  const texts = textsOf(value);
  return texts.length > 0 ? texts.map(plainName).join(', ') : JSON.stringify(value);
}
