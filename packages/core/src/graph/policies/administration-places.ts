import { listPatterns } from '../resources/method-lists.ts';

/** Where one decides who signs in, and with what, or gets round it. */
export interface AdministrationPlace {
  /** `<mount>` stands for the path of an auth method, `+` for a segment, `*` for any rest: some names have slashes. */
  patterns: readonly string[];
  /** Who writes there can give any policy to anyone, or say what it allows. Defaults to false. */
  givesAny?: true;
  /** The capabilities that administer. Defaults to any but `read`, `list`, `scan` and `subscribe`. */
  by?: readonly string[];
  why: string;
  /** What says so: a source file of OpenBao 2.7.2 below `internal/`, with what it answered, or for what it does not have, Vault's source or documents. */
  source: string;
}

/** Every place of administration. docs/rules.md has it as a table (`node scripts/write-reference.ts`). */
export const places: readonly AdministrationPlace[] = [
  {
    patterns: ['sys/policies/acl/*', 'sys/policy/*'],
    givesAny: true,
    why: 'Says what tokens may do.',
    source: 'vault/logical_system_paths.go; writing `team/lead`: 204',
  },
  {
    patterns: ['sys/auth/*'],
    givesAny: true,
    why: 'Makes auth methods, and decides how long their tokens live.',
    source: 'vault/logical_system_paths.go; a path of 5 segments: 204',
  },
  {
    patterns: [
      'auth/<mount>/config',
      'auth/<mount>/cel/role/+',
      ...listPatterns.map((pattern) => `auth/<mount>/${pattern}`),
    ],
    givesAny: true,
    why: 'Decides who signs in, and with which policies.',
    source: 'builtin/credential/*/path_*.go; GitHub’s mappings: Vault, sdk/framework/path_map.go',
  },
  {
    patterns: [
      'identity/entity',
      'identity/entity/id/+',
      'identity/entity/name/*',
      'identity/entity/merge',
      'identity/group',
      'identity/group/id/+',
      'identity/group/name/*',
      'identity/entity-alias',
      'identity/entity-alias/id/+',
      'identity/group-alias',
      'identity/group-alias/id/+',
    ],
    givesAny: true,
    why: 'Decides which identity and groups a sign-in has, and what these give.',
    source: 'vault/identity/store_*.go; `name/a/b`: 200',
  },
  {
    patterns: ['auth/<mount>/users/*', 'auth/<mount>/groups/*', 'auth/<mount>/role/+/+'],
    why: 'A password or a secret id is a sign-in. Names in LDAP, RADIUS and Kerberos may have slashes.',
    source: 'builtin/credential/{ldap,radius}/path_users.go, approle/path_role.go',
  },
  {
    patterns: ['auth/<mount>/config/+', 'auth/<mount>/config/certificate/+', 'auth/<mount>/config/sts/+'],
    why: 'Decides whose keys, certificates and accounts are trusted.',
    source: 'Vault, builtin/credential/aws/path_config_certificate.go, path_config_sts.go',
  },
  {
    patterns: ['auth/<mount>/crls/+'],
    why: 'Without its list, a revoked certificate signs in.',
    source: 'builtin/credential/cert/path_crls.go',
  },
  {
    patterns: ['sys/mounts/auth/*'],
    why: 'Tunes auth methods by another path.',
    source: 'vault/logical_system_paths.go',
  },
  {
    patterns: ['auth/token/create'],
    by: ['sudo'],
    why: 'Makes tokens with any policies. Without `sudo` a token has some of its maker’s.',
    source: 'vault/token_store.go, handleCreateCommon',
  },
  {
    patterns: ['auth/token/create/+', 'auth/token/create-orphan'],
    why: 'Makes tokens with what a token role allows, or that outlive their maker.',
    source: 'vault/token_store.go, handleCreateCommon',
  },
  {
    patterns: [
      'identity/alias',
      'identity/alias/id/+',
      'identity/persona',
      'identity/persona/id/+',
      'identity/entity/batch-delete',
    ],
    why: 'Changes aliases by their old names, and deletes entities.',
    source: 'vault/identity/store_aliases.go, store_entities.go',
  },
  {
    patterns: ['identity/mfa/*', 'sys/mfa/method/*'],
    why: 'Decides about second factors.',
    source: 'vault/identity/store.go; Vault, API document system/mfa',
  },
  {
    patterns: ['sys/policies/egp/+', 'sys/policies/rgp/+', 'sys/config/group-policy-application'],
    why: 'Policies other than ACLs, and whether those of groups count across namespaces.',
    source: 'Vault, API documents system/policies and system/config-group-policy-application',
  },
  {
    patterns: ['sys/workflows/manage/*'],
    why: 'Programs what others run, and with which tokens.',
    source: 'vault/logical_system_workflows.go',
  },
  {
    patterns: ['sys/workflows/execute/*', 'sys/workflows/trace/*'],
    by: ['update'],
    why: 'Acts with the tokens that the workflow holds.',
    source: 'vault/logical_system_workflows.go, handleWorkflowsExecute',
  },
  {
    patterns: ['sys/raw', 'sys/raw/*', 'sys/storage/raft/snapshot', 'sys/storage/raft/snapshot-force'],
    why: 'Writes below the policies.',
    source: 'vault/logical_raw.go, logical_system_raft.go',
  },
  {
    patterns: ['sys/remount', 'sys/namespaces/*'],
    why: 'Moves auth methods, makes and removes whole sets of them.',
    source: 'vault/logical_system_paths.go, logical_system_namespaces.go',
  },
  {
    patterns: ['sys/plugins/catalog/*', 'sys/audit/*'],
    why: 'Runs code in the server, writes files on its machine (CVE-2025-6000).',
    source: 'vault/logical_system_paths.go',
  },
];
