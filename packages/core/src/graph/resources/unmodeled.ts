/** Auth methods on which a sign-in could hang. */
export interface Trusting {
  /** Types of their mounts, all that they are: `cert`. */
  types: readonly string[];
  /** OIDC and JWT methods whose keys come from an address that fits. Defaults to none. */
  keysFrom?: RegExp;
  /** OIDC and JWT methods with keys of their own: where these come from, no method tells. Defaults to false. */
  givenKeys?: true;
}

/** Something by which a token could be gained, and that no answer works out. */
export interface Unmodeled {
  /** What people or workloads sign in by, in words. */
  by: string;
  /** Types of the official provider that decide it, without `vault_`; `$` stands for `_secret_backend`. */
  types: string;
  /** Fields that decide how long or how, not who. */
  apart?: readonly string[];
  /** The only fields that matter, and only those of something that is there already. Defaults to all. */
  only?: readonly string[];
  /** A type only matters where this field is not off. */
  needs?: string;
  /**
   * It only matters where each of these fields has such a value, and one of them newly: `options.log_raw` is in a map. What is not
   * set is an empty text. Defaults to all values of all fields.
   */
  where?: Readonly<Record<string, RegExp>>;
  trusting: Trusting;
  /** The same in words: a sign-in hangs on it. */
  hangsOn: string;
  /** It lets someone in whatever methods there are. Defaults to false. */
  isOpen?: true;
  /** Who reads it gains, whatever methods there are, and no one loses. Defaults to false. */
  isRead?: true;
  /** Only a method in sight counts: it would be one of a type that the product does not know. Defaults to false. */
  isInSightOnly?: true;
  /** In which case no one gains. */
  closes: string;
}

const lifetimes = ['ttl', 'max_ttl', 'default_ttl', 'lease', 'lease_max', 'default_lease_ttl_seconds'];
const lists = 'no such method is there: `--live` and snapshots tell';
const anySource = /^/;
const ownKeys = /(?:^|\/)identity\/oidc(?:\/|$)/;
/** Names of headers that may hold what someone signs in with. */
const headersOfCredentials = /auth|token|cookie|secret|key|assertion|credential|password|jwt|saml|signature/i;

/**
 * What is not known until it is modeled. The review says so in one line where a plan changes it, and a method in sight, or one that no
 * list excludes, could let people in by it. docs/inside/access.md has it as a table (`node scripts/write-reference.ts`).
 */
export const unmodeled: readonly Unmodeled[] = [
  {
    by: 'identity tokens of this service',
    types: `identity_oidc identity_oidc_key identity_oidc_key_allowed_client_id identity_oidc_role identity_oidc_scope
      identity_oidc_assignment identity_oidc_client identity_oidc_provider`,
    apart: ['ttl', 'verification_ttl', 'rotation_period', 'id_token_ttl', 'access_token_ttl'],
    trusting: { types: [], keysFrom: ownKeys, givenKeys: true },
    hangsOn: 'a JWT or OIDC method with keys of `identity/oidc`, or with keys that are given',
    closes: lists,
  },
  {
    by: 'certificates that anyone can order over ACME, without a token',
    types: 'pki$_config_acme',
    needs: 'enabled',
    trusting: { types: ['cert'] },
    hangsOn: 'what trusts the CA; orders need no token',
    isOpen: true,
    closes: 'ACME stays off',
  },
  {
    by: 'certificates of a protocol that needs no token',
    types: 'pki$_config_est pki$_config_scep pki$_config_cmpv2',
    needs: 'enabled',
    trusting: { types: ['cert', 'spiffe'] },
    hangsOn: 'a certificate method that trusts the CA',
    closes: lists,
  },
  {
    by: 'certificates',
    types: `pki$_role pki$_cert pki$_sign pki$_issuer pki$_root_cert pki$_root_sign_intermediate
      pki$_intermediate_set_signed pki$_config_ca pki$_config_issuers pki$_crl_config pki$_acme_eab
      pki$_config_urls pki$_config_cluster pki_external_ca$_role pki_external_ca$_order pki_external_ca$_order_certificate
      pki_external_ca$_acme_account pki_external_ca$_order_challenge_fulfilled`,
    apart: [
      ...lifetimes,
      'not_before_duration',
      'key_bits',
      'key_type',
      'signature_bits',
      'use_pss',
      'generate_lease',
      'no_store',
      'no_store_metadata',
      'auto_renew',
      'min_seconds_remaining',
    ],
    trusting: { types: ['cert', 'spiffe'] },
    hangsOn: 'a certificate method that trusts the CA',
    closes: lists,
  },
  {
    by: 'SPIFFE identities',
    types: 'spiffe$_config spiffe$_role',
    apart: lifetimes,
    trusting: { types: ['spiffe', 'cert'], keysFrom: /\/v1\//, givenKeys: true },
    hangsOn: 'a SPIFFE, certificate, JWT or OIDC method that trusts them',
    closes: lists,
  },
  {
    by: 'tokens that are signed with a key that can leave the service',
    types: 'transit$_key',
    only: ['exportable', 'allow_plaintext_backup'],
    trusting: { types: [], givenKeys: true },
    hangsOn: 'a JWT method with this public key',
    closes: lists,
  },
  {
    by: 'tokens that are signed with a key in another key store',
    types: 'keymgmt_distribute_key keymgmt_replicate_key managed_keys',
    trusting: { types: ['cert', 'spiffe'], givenKeys: true },
    hangsOn: 'a JWT method with this public key, or a certificate method that trusts a CA with it',
    closes: lists,
  },
  {
    by: 'credentials of AWS',
    types: 'aws$ aws$_role aws$_static_role',
    apart: [...lifetimes, 'default_sts_ttl', 'max_sts_ttl', 'rotation_period', 'description'],
    // What the engine shows to AWS is an identity token of this service.
    trusting: { types: ['aws'], keysFrom: ownKeys },
    hangsOn: 'an AWS method whose roles name the principal, or a JWT method with keys of `identity/oidc`',
    closes: lists,
  },
  {
    by: 'credentials of Google Cloud',
    types: 'gcp$ gcp_secret_roleset gcp_secret_static_account gcp_secret_impersonated_account',
    apart: [...lifetimes, 'description'],
    trusting: { types: ['gcp'], keysFrom: /google|identity\/oidc/, givenKeys: true },
    hangsOn: 'a Google Cloud method, or one for Google’s ID tokens',
    closes: lists,
  },
  {
    by: 'credentials of Azure',
    types: 'azure$ azure$_role azure$_static_role',
    apart: [...lifetimes, 'description'],
    trusting: { types: ['azure'], keysFrom: /microsoft|windows\.net|identity\/oidc/, givenKeys: true },
    hangsOn: 'an Azure method, or one for tokens of Entra ID',
    closes: lists,
  },
  {
    by: 'credentials of Alibaba Cloud',
    types: 'alicloud$ alicloud$_role',
    apart: lifetimes,
    trusting: { types: ['alicloud'] },
    hangsOn: 'an Alibaba Cloud method',
    closes: lists,
  },
  {
    by: 'service account tokens of Kubernetes',
    types: 'kubernetes$ kubernetes$_role',
    apart: [...lifetimes, 'token_max_ttl', 'token_default_ttl', 'description', 'extra_labels'],
    trusting: { types: ['kubernetes'], keysFrom: anySource, givenKeys: true },
    hangsOn: 'a Kubernetes, JWT or OIDC method that trusts the cluster',
    closes: lists,
  },
  {
    by: 'passwords of a directory',
    types:
      'ad$ ad_secret_library ad_secret_role ldap$ ldap$_dynamic_role ldap$_library_set ldap$_static_role',
    apart: [...lifetimes, 'rotation_period', 'description'],
    trusting: { types: ['ldap', 'kerberos', 'radius', 'okta', 'saml'], keysFrom: anySource },
    hangsOn: 'a method that asks the directory, or a provider that does',
    closes: lists,
  },
  {
    by: 'passwords of a directory, if one of its accounts has this policy',
    types: 'password_policy',
    only: ['policy', 'entropy_source'],
    trusting: { types: ['ldap', 'kerberos', 'radius', 'okta', 'saml'], keysFrom: anySource },
    hangsOn: 'a method that asks the directory: weaker passwords can be guessed',
    closes: lists,
  },
  {
    by: 'certificates of KMIP',
    types: 'kmip_secret_ca_generated kmip_secret_ca_imported kmip_secret_role kmip_secret_scope',
    apart: [
      ...lifetimes,
      'tls_client_ttl',
      'tls_client_key_bits',
      'tls_client_key_type',
      'key_bits',
      'key_type',
      'force',
    ],
    trusting: { types: ['cert', 'spiffe'] },
    hangsOn: 'a certificate method that trusts the CA, with any name',
    closes: lists,
  },
  {
    by: 'tokens that are signed with a key of Google Cloud KMS',
    types: 'gcpkms$_key',
    where: { purpose: /^asymmetric_sign$/i, key_ring: anySource, crypto_key: anySource },
    trusting: { types: ['cert', 'spiffe'], givenKeys: true },
    hangsOn: 'a JWT method with this public key, or a certificate method that trusts a CA with it',
    closes: lists,
  },
  {
    by: 'keys in another key store, which a secrets engine may newly use',
    types: 'mount',
    where: { allowed_managed_keys: /[^[\]\s]/ },
    trusting: { types: ['cert', 'spiffe'], givenKeys: true },
    hangsOn: 'a JWT method with such a public key, or a certificate method that trusts a CA with it',
    closes: lists,
  },
  {
    by: 'certificates over ACME, whose headers a mount newly lets through',
    types: 'mount',
    where: { allowed_response_headers: /nonce|link|location|\*/i },
    trusting: { types: ['cert'] },
    hangsOn: 'a certificate method that trusts the CA',
    closes: lists,
  },
  {
    by: 'certificates of a protocol whose engine newly signs people in itself',
    types: 'mount',
    where: { delegated_auth_accessors: /[^[\]\s]/ },
    trusting: { types: ['cert'] },
    hangsOn: 'a certificate method that trusts the CA',
    closes: lists,
  },
  {
    by: 'identities of machines, from a shell on one',
    types: 'ssh$_ca ssh$_role os$ os$_account os$_host',
    apart: [
      ...lifetimes,
      'rotation_period',
      'rotation_schedule',
      'rotation_window',
      'description',
      'not_before_duration',
    ],
    trusting: {
      types: ['aws', 'azure', 'gcp', 'alicloud', 'oci', 'cf', 'kubernetes', 'spiffe', 'cert', 'kerberos'],
      keysFrom: /google|microsoft|windows\.net|azure|amazonaws|kubernetes|\bk8s\b/,
      givenKeys: true,
    },
    hangsOn:
      'a method for machines or clusters: a shell on one of them has what it signs in by. No method takes an SSH certificate itself',
    closes: lists,
  },
  {
    by: 'workload identities of Nomad',
    types: 'nomad$ nomad_secret_role',
    apart: [...lifetimes, 'description'],
    trusting: { types: [], keysFrom: anySource, givenKeys: true },
    hangsOn: 'a JWT or OIDC method that trusts the cluster: who runs jobs there has their identity',
    closes: lists,
  },
  {
    by: 'certificates of services in Consul',
    types: 'consul$ consul$_role',
    apart: [...lifetimes, 'description'],
    trusting: { types: ['cert', 'spiffe'] },
    hangsOn: 'a certificate or SPIFFE method that trusts the CA of its mesh',
    closes: lists,
  },
  {
    by: 'workload identities of Terraform Cloud',
    types: 'terraform_cloud$ terraform_cloud_secret_role terraform_cloud_secret_creds',
    apart: [...lifetimes, 'description'],
    trusting: { types: [], keysFrom: anySource, givenKeys: true },
    hangsOn: 'a JWT or OIDC method that trusts its runs: who starts them has their identity',
    closes: lists,
  },
  {
    by: 'tokens and passwords, which a log has in clear',
    types: 'audit',
    where: { 'options.log_raw': /^(?:1|t|true)$/i, options: anySource },
    trusting: { types: [] },
    hangsOn: 'who reads the log',
    isRead: true,
    closes: '`log_raw` is off',
  },
  {
    by: 'credentials in a header, which a log has in clear',
    types: 'audit_request_header',
    where: { name: headersOfCredentials, hmac: /^(?:false)?$/ },
    trusting: { types: [] },
    hangsOn: 'who reads the log',
    isRead: true,
    closes: '`hmac` is on, or the header holds no credential',
  },
  {
    by: 'copies of all that the service has, under its seal',
    types: 'raft_snapshot_agent_config',
    apart: [
      'interval_seconds',
      'retain',
      'local_max_space',
      'aws_access_key_id',
      'aws_secret_access_key',
      'aws_secret_access_key_wo',
      'secrets_wo_version',
      'aws_session_token',
      'google_service_account_key',
      'azure_account_key',
      'azure_client_id',
      'azure_auth_mode',
    ],
    trusting: { types: [] },
    hangsOn: 'who reads them and can use the key of the seal',
    isRead: true,
    closes: 'no one who reads the copies can use the key of the seal',
  },
];

/** The same for what is found otherwise than by its type. */
export const unmodeledElsewhere = {
  identities: {
    touches: 'names, members and metadata of groups and entities',
    hangsOn: 'a method in sight with keys of `identity/oidc`: its templates may read them',
    closes: 'no method trusts this service’s own tokens, or no role of it lets in those that there are',
  },
  credential: {
    touches: 'a credential (secret id, token, password, key of a certificate) that a resource newly holds',
    hangsOn: 'who reads it there',
    closes: 'no one newly reads it there, or it takes the place of the one before',
  },
  path: {
    touches: 'a path of a secrets engine that no type writes',
    hangsOn:
      'what the engine does there: another issuer, a key (for codes of a second factor, say), a deleted value that is there again',
    closes: 'the engine keeps nothing there but values',
  },
  source: {
    touches: 'what a role of identity tokens or of certificates gives',
    hangsOn: 'who may ask for it, where no one in sight may',
    closes: 'no one else may ask for it: `--live` and snapshots tell',
  },
  firstSet: {
    touches:
      'what a method asks another system with, from nothing to something: `token_reviewer_jwt`, `bindpass`',
    hangsOn: 'without it the method may sign no one in; with it, everyone of its roles',
    closes: 'the method has signed people in with another such credential',
  },
  namespace: {
    touches: 'a namespace that is made',
    hangsOn: 'a rule above it that reaches into it: `team/*`, `+/…`',
    closes: 'all policies of the namespace above are known, and none reaches into it',
  },
  logs: {
    touches:
      'values that a log newly has in clear: `audit_non_hmac_request_keys`, `audit_non_hmac_response_keys`, `verbose_oidc_logging`',
    hangsOn: 'who reads the log, unless the values are only names, certificates and the like',
    closes: 'the log has no credential in clear',
  },
} as const;

const byType = Map.groupBy(
  unmodeled.flatMap((row) => officialTypes(row.types).map((type) => ({ type, row }))),
  ({ type }) => type,
);

/** Names of types in Terraform, as a table has them. */
export function officialTypes(words: string): string[] {
  return words.split(/\s+/).map((word) => `vault_${word.replaceAll('$', '_secret_backend')}`);
}

/** What a type of the official provider decides and no answer models. @param type as Terraform has it */
export function unmodeledOf(type: string): Unmodeled[] {
  return (byType.get(type) ?? []).map(({ row }) => row);
}

/** Whether a field of a type decides how long or how, not who. */
export function decidesNothingIn(type: string, field: string): boolean {
  return unmodeledOf(type).some(({ apart = [] }) => apart.includes(field));
}

/** What is not found by its type, for documentation: a line of Markdown a row. */
export function unmodeledTable(): string[] {
  const row = (...cells: string[]) => `|${cells.join('|')}|`;
  return [
    row('A plan changes', 'A sign-in could hang on', 'Closed by'),
    row('---', '---', '---'),
    ...Object.values(unmodeledElsewhere).map((one) => row(one.touches, one.hangsOn, one.closes)),
  ];
}
