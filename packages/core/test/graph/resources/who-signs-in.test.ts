import { expect, test } from '@jest/globals';
import { otherRole } from '../../../src/graph/nodes/other-role.ts';
import type { RoleNoun } from '../../../src/graph/resources/other-methods.ts';

const who = (type: string, fields: object, noun: RoleNoun = 'role') =>
  otherRole({ type, method: 'm', noun, name: 'web' }, fields as Record<string, unknown>).who;

test.each<[string, object, string]>([
  ['approle', {}, 'jobs that hold a secret id of AppRole web'],
  [
    'approle',
    { bind_secret_id: false, token_bound_cidrs: ['10.0.0.0/8'], token_ttl: 60 },
    'jobs that know the role id of AppRole web (source address 10.0.0.0/8)',
  ],
  [
    'approle',
    { secret_id_bound_cidrs: ['10.0.0.0/8', '10.1.0.0/16'] },
    'jobs that hold a secret id of AppRole web (secret id bound cidrs 10.0.0.0/8, 10.1.0.0/16)',
  ],
  [
    'kubernetes',
    {
      bound_service_account_names: ['web'],
      bound_service_account_namespaces: ['shop'],
      audience: 'vault',
      alias_name_source: 'serviceaccount_uid',
    },
    'service account web of namespace shop (audience vault)',
  ],
  [
    'kubernetes',
    {
      bound_service_account_names: ['*'],
      bound_service_account_namespaces: ['shop', 'on call'],
      bound_service_account_namespace_selector: '{"matchLabels":{"a":"b"}}',
    },
    'every service account of namespaces shop, "on call" or of namespaces that {"matchLabels":{"a":"b"}} selects',
  ],
  ['cert', { certificate: 'PEM', display_name: 'x' }, 'holders of any certificate of the CA of web'],
  ['cert', { allowed_metadata_extensions: ['1.2.3'] }, 'holders of any certificate of the CA of web'],
  [
    'cert',
    { allowed_common_names: ['a'], required_extensions: ['1.2.3:x'], ocsp_enabled: true },
    'holders of a certificate of the CA of web (common names a; required extensions 1.2.3:x; ocsp enabled true)',
  ],
  [
    'aws',
    { auth_type: 'ec2', bound_ami_id: ['ami-1'], role_tag: 'vault', inferred_entity_type: 'ec2_instance' },
    'workloads of role web (auth type ec2; ami id ami-1; inferred entity type ec2_instance; role tag vault)',
  ],
  ['alicloud', { arn: 'acs:ram::1:role/x' }, 'workloads of role web (arn acs:ram::1:role/x)'],
  ['oci', { ocid_list: ['ocid1.a'] }, 'workloads of role web (ocid list ocid1.a)'],
  [
    'cf',
    { bound_space_ids: ['s'], disable_ip_matching: true },
    'workloads of role web (space ids s; 1 more bound: disable_ip_matching)',
  ],
  [
    'saml',
    { bound_subjects: ['*@acme.example'], bound_attributes: { group: 'admin' } },
    'people of role web (attributes {"group":"admin"}; subjects *@acme.example)',
  ],
])('who signs in by %s with %j: %s', (type, fields, words) => {
  const limits = (text = '') =>
    text.replace(/ \((.*)\)$/, (_, all: string) => ` (${all.split('; ').sort().join('; ')})`);
  expect(limits(who(type, fields))).toBe(limits(words));
});

test('a user is bound to addresses, and no secret is said', () => {
  const fields = { token_bound_cidrs: ['10.0.0.0/8'], password: 'secret', password_wo: 'secret' };
  expect(who('userpass', fields, 'user')).toBe('user web (source address 10.0.0.0/8)');
});

test('a bound that is not known is named, without its value', () => {
  expect(who('approle', { bound_moon: ['full'], moon_phase: 'new' })).toBe(
    'jobs that hold a secret id of AppRole web (moon full; 1 more bound: moon_phase)',
  );
});

/** What roles of these methods may be bound by (API documents of Vault and OpenBao, and the official provider). */
const bounds: Record<string, string[]> = {
  approle: ['secret_id_bound_cidrs', 'token_bound_cidrs'],
  kubernetes: [
    'bound_service_account_names',
    'bound_service_account_namespaces',
    'bound_service_account_namespace_selector',
    'audience',
    'token_bound_cidrs',
  ],
  cert: [
    'allowed_names',
    'allowed_common_names',
    'allowed_dns_sans',
    'allowed_email_sans',
    'allowed_uri_sans',
    'allowed_organizational_units',
    'required_extensions',
  ],
  aws: [
    'auth_type',
    'bound_ami_id',
    'bound_account_ids',
    'bound_region',
    'bound_vpc_id',
    'bound_subnet_id',
    'bound_iam_role_arn',
    'bound_iam_instance_profile_arn',
    'bound_ec2_instance_ids',
    'bound_iam_principal_arns',
    'role_tag',
    'inferred_entity_type',
    'inferred_aws_region',
  ],
  gcp: [
    'type',
    'bound_service_accounts',
    'bound_projects',
    'bound_zones',
    'bound_regions',
    'bound_instance_groups',
    'bound_labels',
    'max_jwt_exp',
  ],
  azure: [
    'bound_service_principal_ids',
    'bound_group_ids',
    'bound_locations',
    'bound_subscription_ids',
    'bound_resource_groups',
    'bound_scale_sets',
  ],
  alicloud: ['arn'],
  oci: ['ocid_list'],
  cf: ['bound_application_ids', 'bound_space_ids', 'bound_organization_ids', 'bound_instance_ids'],
  saml: ['bound_subjects', 'bound_subjects_type', 'bound_attributes', 'bound_attributes_type'],
  token: ['allowed_entity_aliases', 'token_bound_cidrs', 'bound_cidrs'],
};
test.each(Object.entries(bounds).flatMap(([type, fields]) => fields.map((field) => [type, field] as const)))(
  'who signs in by %s is bound by %s in words',
  (type, field) => {
    const value = /selector$/.test(field)
      ? 'marker'
      : /attributes$/.test(field)
        ? { a: 'marker' }
        : ['marker'];
    expect(who(type, { [field]: value })).toContain('marker');
  },
);
