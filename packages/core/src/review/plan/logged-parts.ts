import type { UnmodeledPart } from '../../graph/change.ts';
import { namedIn } from '../../graph/nodes/bounds.ts';
import { unmodeledElsewhere } from '../../graph/resources/unmodeled.ts';
import { isUnset } from '../../graph/values/json.ts';
import { blockOf, textOf, textsOf } from '../../graph/values/loose-values.ts';
import { partName } from '../../graph/values/visible.ts';
import type { PlannedResource, PlannedSide } from './planned-resource.ts';

/** Lists of values that an audit log has in clear. */
const lists = ['audit_non_hmac_request_keys', 'audit_non_hmac_response_keys'];

/** With one of these, the server's own log has what people sign in with. */
const flags = ['verbose_oidc_logging', 'verbose_logging'];

/** Values that no one signs in by. */
const harmless = new Set(
  `accessor alt_names ca_chain certificate common_name csr description display_name error exclude_cn_from_sans expiration format
    ip_sans issuer_id issuing_ca key_bits key_id key_type keys_count lease_id max_ttl metadata mount_accessor name not_after
    not_before other_sans path policies public_key request_id revocation_time revocation_time_rfc3339 role role_name
    serial_number ttl uri_sans user user_ids username valid_principals`.split(/\s+/),
);

/** What a log newly has in clear, and people could sign in by: a list of any mount, or all tokens of a role. */
export function loggedParts(resources: readonly PlannedResource[]): UnmodeledPart[] {
  return resources.flatMap(({ of, address, changes, before, after, replaced }): UnmodeledPart[] => {
    if (!changes || after === undefined) return [];
    const known = replaced === undefined && before !== undefined ? clearIn(before) : [];
    const through = clearIn(after).filter((name) => !known.includes(name));
    if (through.length === 0) return [];
    const mount = textOf(after.fields['backend'] ?? after.fields['path']);
    return [
      {
        subject: { type: 'other', name: partName(of, mount, namedIn(after.fields).name) },
        addresses: [address],
        isInSight: true,
        effect: { of: 'gains', by: 'credentials, which a log has in clear', through },
        closes: unmodeledElsewhere.logs.closes,
      },
    ];
  });
}

/** Names of the values that a log has in clear. One that is known after apply, and that nothing gives, is the service's own. */
function clearIn({ fields, unknown, references }: PlannedSide): string[] {
  const tune = blockOf(fields['tune']) ?? {};
  const named = lists.flatMap((list) => [...textsOf(fields[list]), ...textsOf(tune[list])]);
  const given = lists.filter((list) => unknown.includes(list) && (references[list] ?? []).length > 0);
  const isVerbose = flags.some((flag) => !isUnset(fields[flag]) || unknown.includes(flag));
  return [
    ...named.filter((name) => !harmless.has(name)),
    ...given,
    ...(isVerbose ? ['tokens of the provider'] : []),
  ];
}
