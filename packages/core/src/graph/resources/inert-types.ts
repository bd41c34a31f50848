import { officialTypes, type Unmodeled } from './unmodeled.ts';

/** What would make a type decide who gains. A test makes each of these worlds. */
export type Undoing =
  /** A method of a type that no table has: it may ask any system, and is shown by its mount. */
  | { by: 'unknown method'; signingInBy: string }
  /** A resource of one of these types, which names it or is put into it; that has an answer of its own. */
  | { by: 'resource'; types: string }
  /** A rule of a policy that reaches into it. */
  | { by: 'reaching rule' }
  /** A credential that a plan writes into a value. */
  | { by: 'value' }
  /** A setting of the type itself: the rows of `unmodeled.ts` with `where` have it. */
  | { by: 'field' }
  /** Nothing could, and why. */
  | { by: 'nothing'; why: string };

/** Types that give no one access and take none. */
export interface InertTypes {
  because: string;
  /** Without `vault_`; `$` stands for `_secret_backend`. */
  types: string;
  undoneBy: readonly Undoing[];
}

/** Types of the official provider that give no one access and take none: why, and until when. */
export const inertRows: readonly InertTypes[] = [
  {
    because: 'A new place holds nothing. To delete or move one is not judged as this.',
    types: 'mount',
    undoneBy: [{ by: 'resource', types: 'pki$_role aws$_role ssh$_role transit$_key' }, { by: 'field' }],
  },
  {
    because:
      'A new place holds nothing until a key or a role is in it. To delete or move one is not judged as this.',
    types: 'gcpkms$ kmip$',
    undoneBy: [{ by: 'resource', types: 'gcpkms$_key kmip_secret_role' }],
  },
  {
    because: 'A namespace holds nothing when it is made; who reaches into it is looked at by itself.',
    types: 'namespace',
    undoneBy: [{ by: 'reaching rule' }],
  },
  {
    because:
      'It changes what a path returns, not who may ask for it. No auth method asks a database or a queue.',
    types: `database_secrets_mount database$_connection database$_role database$_static_role mongodbatlas$
      mongodbatlas_secret_role rabbitmq$ rabbitmq$_role`,
    undoneBy: [{ by: 'unknown method', signingInBy: 'accounts of a database or a queue' }],
  },
  {
    because: 'It answers clients of KMIP, and issues no certificates.',
    types: 'kmip_secret_listener',
    undoneBy: [
      { by: 'resource', types: 'kmip_secret_role kmip_secret_ca_generated kmip_secret_ca_imported' },
    ],
  },
  {
    because: 'A request or a key by itself: nothing is signed with it until an issuer names it.',
    types: 'pki$_intermediate_cert_request pki$_key',
    undoneBy: [
      {
        by: 'resource',
        types: 'pki$_root_cert pki$_intermediate_set_signed pki$_config_ca pki$_root_sign_intermediate',
      },
    ],
  },
  {
    because: 'Only certificates that have ended are forgotten, and these sign no one in.',
    types: 'pki$_config_auto_tidy',
    undoneBy: [{ by: 'nothing', why: 'A certificate that is still good stays, and so does its revocation.' }],
  },
  {
    because: 'A key, its newer version and where it may go: no one can use it until it is sent there.',
    types: 'keymgmt_key keymgmt_key_rotate keymgmt_aws_kms keymgmt_azure_kms keymgmt_gcp_kms',
    undoneBy: [{ by: 'resource', types: 'keymgmt_distribute_key keymgmt_replicate_key' }],
  },
  {
    because: 'It encrypts and signs values of callers: no one signs in by an encrypted one.',
    types: 'gcpkms$_key',
    undoneBy: [{ by: 'field' }],
  },
  {
    because: 'It encodes values of callers. A credential among them is looked at where it is kept.',
    types: `transform_alphabet transform_key_configuration transform_role transform_template
      transform_transformation`,
    undoneBy: [{ by: 'value' }],
  },
  {
    because: 'How many keys are kept in memory.',
    types: 'transit_secret_cache_config',
    undoneBy: [{ by: 'nothing', why: 'The same key is used, from memory or from storage.' }],
  },
  {
    because: 'A value. A credential in it is looked at by itself.',
    types: 'kv_secret kv_secret_v2',
    undoneBy: [{ by: 'value' }],
  },
  {
    because: 'How many versions of a value are kept.',
    types: 'kv$_v2',
    undoneBy: [
      { by: 'nothing', why: 'All versions are read by one path, and one that is gone does not come back.' },
    ],
  },
  {
    because: 'A log has hashes of tokens and secrets.',
    types: 'audit audit_request_header',
    undoneBy: [{ by: 'field' }],
  },
  {
    because: 'The method that the sign-in page shows first.',
    types: 'config_ui_default_auth',
    undoneBy: [{ by: 'nothing', why: 'The method decides who signs in, from whatever page.' }],
  },
  {
    because: 'When servers count as gone.',
    types: 'raft_autopilot',
    undoneBy: [
      { by: 'nothing', why: 'All servers have the same storage, and a new one needs the key of the seal.' },
    ],
  },
  {
    because: 'When a password or key is drawn anew, not whose it is.',
    types: 'rotation_policy',
    undoneBy: [{ by: 'nothing', why: 'The new one is read by the path of the one before.' }],
  },
  {
    because: 'A limit on how often, not on what.',
    types: 'quota_rate_limit',
    undoneBy: [
      {
        by: 'nothing',
        why: 'A credential counts as one that is not guessed, at any rate. A password policy has a row of its own.',
      },
    ],
  },
];

const byType: ReadonlyMap<string, InertTypes> = new Map(
  inertRows.flatMap((row) => officialTypes(row.types).map((type): [string, InertTypes] => [type, row])),
);

/** Why a type is inert, and until when. @param type as Terraform has it */
export function inertRowOf(type: string): InertTypes | undefined {
  return byType.get(type);
}

const undoneByMethod: ReadonlyMap<string, Unmodeled[]> = new Map(
  inertRows.flatMap(({ types, undoneBy }) => {
    const rows = undoneBy.flatMap((undoing) =>
      undoing.by === 'unknown method' ? asUnmodeled(types, undoing.signingInBy) : [],
    );
    return officialTypes(types).map((type): [string, Unmodeled[]] => [type, rows]);
  }),
);

function asUnmodeled(types: string, by: string): Unmodeled {
  return {
    by,
    types,
    trusting: { types: [] },
    hangsOn: 'a method of a type that Gatehouse does not know',
    isInSightOnly: true,
    closes: 'no method of such a type asks that system',
  };
}

/** What a sign-in hangs on where a method of an unknown type is in sight. @param type as Terraform has it */
export function undoneByMethods(type: string): readonly Unmodeled[] {
  return undoneByMethod.get(type) ?? [];
}
