import { describe, expect, test } from '@jest/globals';
import { configFields } from '../../../src/graph/resources/auth-method.ts';
import { fieldNamed, type Trust } from '../../../src/graph/resources/field.ts';
import { trustOf } from '../../../src/graph/resources/trust.ts';
import { toCamelCase, toSnakeCase } from '../../../src/graph/values/wire.ts';
import { officialProperty } from '../../../src/review/plan/pulumi-names.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { knownType } from '../../../src/review/plan/resource-types.ts';
import { review } from '../../../src/review/review.ts';
import { type OfficialType, officialPackage } from '../../graph/resources/official-package.ts';
import { graph } from '../../worlds.ts';
import { now } from '../graphs.ts';
import { entry, terraform } from '../plan/terraform.ts';

/** A change of a field with each mark that is a finding, and what its reverse is. */
const changes: Record<Trust, { before: unknown; after: unknown; reverse: 'none' | 'error' }> = {
  another: { before: 'https://a.example', after: 'https://b.example', reverse: 'error' },
  each: { before: undefined, after: 'a', reverse: 'none' },
  'any of': { before: ['a'], after: ['a', 'b'], reverse: 'none' },
  'one of': { before: ['a'], after: ['a', 'b'], reverse: 'none' },
  'if set': { before: 'a', after: undefined, reverse: 'none' },
  limit: { before: 1, after: 2, reverse: 'none' },
  'asked if true': { before: true, after: false, reverse: 'none' },
  'asked unless false': { before: true, after: false, reverse: 'none' },
  'given if true': { before: false, after: true, reverse: 'none' },
  'given unless false': { before: false, after: true, reverse: 'none' },
  'TLS version': { before: 'tls13', after: 'tls12', reverse: 'none' },
};

const types = officialPackage().flatMap((one) => {
  const known = knownType(one.name);
  const isOfMethods = ['method', 'backend', 'configuration', 'otherRole', 'guard'];
  if (known === undefined || !isOfMethods.includes(known.type)) return [];
  const type =
    known.type === 'method' ? 'jwt' : /mfa/.test(known.of) ? 'mfa' : (known.of.split(' ')[0] ?? '');
  return [{ ...one, type }];
});

/** What names a resource of any of the types. */
const names = [
  'path',
  'backend',
  'name',
  'role',
  'role_name',
  'user',
  'username',
  'team',
  'groupname',
  'group_name',
  'cert_name',
  'account_id',
];

type Sides = [before: unknown, after: unknown];
type Planned = (of: OfficialType, field: string, sides: Sides) => string;

/** The field alone changes. */
const plans: Record<string, Planned> = {
  Terraform({ name, fields }, field, sides) {
    const [before, after] = sides.map((value) => ({
      ...Object.fromEntries(names.flatMap((one) => (fields.includes(one) ? [[one, 'm']] : []))),
      [field]: value ?? null,
    }));
    return terraform([entry(`${name}.x`, { before: before ?? null, after: after ?? null })]);
  },
  Pulumi({ token, name, properties }, field, sides) {
    const urn = `urn:pulumi:prod::p::${token}::x`;
    const property =
      properties.find((one) => toSnakeCase(officialProperty(name, one)) === field) ?? toCamelCase(field);
    const [old, wanted] = sides.map((value) => {
      const named = names.map(toCamelCase).flatMap((one) => (properties.includes(one) ? [[one, 'm']] : []));
      const inputs = Object.fromEntries([...named, ...(value === undefined ? [] : [[property, value]])]);
      return { urn, type: token, custom: true, inputs, outputs: inputs };
    });
    const step = {
      op: 'update',
      urn,
      diffReasons: [property],
      detailedDiff: null,
      oldState: old,
      newState: wanted,
    };
    return JSON.stringify({ steps: [step] });
  },
};

const found = (plan: string) =>
  review(readPlan(plan), { now }).findings.flatMap(({ rule, severity, message }) =>
    rule === 'trust-changed' ? [{ severity, message }] : [],
  );

/** Values that a JWT or OIDC method takes. */
function valuesOf(
  type: string,
  field: string,
  { before, after }: { before: unknown; after: unknown },
): Sides {
  if (type === 'jwt' && field === 'jwks_pairs')
    return [before, after].map((list) =>
      (list as string[]).map((one) => ({ jwks_url: `https://${one}.example` })),
    ) as Sides;
  return [before, after];
}

describe.each(Object.entries(plans))('of a plan of %s', (_, planOf) => {
  const marked = types.flatMap((of) =>
    of.fields.flatMap((field) => {
      const trust = trustOf(of.type, field);
      return trust === undefined ? [] : [{ ...of, field, trust }];
    }),
  );

  test.each(marked.map((one) => [one.name, one.field, one.trust, one] as const))(
    '%s: a change of %s (%s) is an error',
    (_name, field, trust, of) => {
      const sides = valuesOf(of.type, field, changes[trust]);
      const named = of.type === 'jwt' ? (fieldNamed(configFields, field) ?? '') : field;
      const error = { severity: 'error', message: expect.stringContaining(named) };
      expect(found(planOf(of, field, sides))).toEqual([error]);
      expect(found(planOf(of, field, sides.toReversed() as Sides))).toEqual(
        changes[trust].reverse === 'none' ? [] : [error],
      );
    },
  );

  test.each(types.map((of) => [of.name, of] as const))('%s: no other field is one', (_name, of) => {
    const unmarked = of.fields.filter(
      (field) => trustOf(of.type, field) === undefined && !names.includes(field),
    );
    const wrong = unmarked.filter((field) => found(planOf(of, field, ['a', 'b'])).length > 0);
    expect(wrong).toEqual([]);
  });
});

const ldap = { path: 'ldap', url: 'ldaps://a.example', userdn: 'ou=people' };
const certificate = { backend: 'aws', cert_name: 'c', aws_public_cert: 'PEM' };
const client = { backend: 'aws', iam_server_id_header_value: 'vault.example' };
const write = (path: string, before: object, after: object) => [
  entry('vault_generic_endpoint.x', {
    before: { path, data_json: JSON.stringify(before) },
    after: { path, data_json: JSON.stringify(after) },
  }),
];

test.each<[string, object[], string[]]>([
  [
    'a write to the configuration of a method that the plan does not have',
    write('team/auth/radius/config', { host: 'a' }, { host: 'b' }),
    ['The method trusts another party: host.'],
  ],
  [
    'a write that turns a check off',
    write('auth/ldap/config', { insecure_tls: false }, { insecure_tls: true }),
    ['The method checks less: insecure_tls false → true.'],
  ],
  [
    'the directory of Kerberos',
    write('auth/kerberos/config/ldap', { url: 'a', starttls: false }, { url: 'b', starttls: true }),
    ['The method trusts another party: url.'],
  ],
  [
    'a write that turns it on',
    write('auth/ldap/config', { insecure_tls: true }, { insecure_tls: false }),
    [],
  ],
  [
    'a write of a field that no table has',
    write('auth/x/config', { new: 'a' }, { new: 'b' }),
    ['The method trusts another party: new.'],
  ],
  ['a write of a password', write('auth/userpass/users/ann', { password: 'a' }, { password: 'b' }), []],
  [
    'another list of revoked certificates',
    write('auth/cert/crls/x', { crl: 'a' }, { crl: 'b' }),
    ['The method trusts another party: crl.'],
  ],
  [
    'another provider of second factors',
    write('identity/mfa/method/okta/x', { org_name: 'a' }, { org_name: 'b' }),
    ['The second factor trusts another party: org_name.'],
  ],
  [
    'one more certificate of a method that is there',
    [entry('vault_aws_auth_backend_cert.x', { after: certificate })],
    ['The method trusts another party: aws_public_cert.'],
  ],
  [
    'a certificate of a method that is made',
    [
      entry('vault_auth_backend.x', { after: { path: 'aws', type: 'aws' } }),
      entry('vault_aws_auth_backend_cert.x', { after: certificate }),
    ],
    [],
  ],
  ['a certificate that goes', [entry('vault_aws_auth_backend_cert.x', { before: certificate })], []],
  [
    'a configuration that goes, and its check',
    [entry('vault_aws_auth_backend_client.x', { before: client })],
    ['The method checks less: iam_server_id_header_value.'],
  ],
  [
    'a configuration at another address',
    [
      entry('vault_aws_auth_backend_client.x', { before: client }),
      entry('vault_aws_auth_backend_client.y', { after: client }),
    ],
    [],
  ],
  ['a new method', [entry('vault_ldap_auth_backend.x', { after: ldap })], []],
  [
    'an address with a slash at its end',
    [entry('vault_ldap_auth_backend.x', { before: ldap, after: { ...ldap, url: 'ldaps://a.example/' } })],
    [],
  ],
  [
    'a method that is configured for the first time',
    [
      entry('vault_jwt_auth_backend.x', {
        before: { path: 'ci', type: 'jwt' },
        after: { path: 'ci', type: 'jwt', oidc_discovery_url: 'https://ci.example' },
      }),
    ],
    [],
  ],
  [
    'a field that is unknown until apply: another rule says so',
    [
      entry('vault_ldap_auth_backend.x', {
        before: ldap,
        after: { ...ldap, url: null, userdn: 'ou=all' },
        after_unknown: { url: true },
      }),
    ],
    ['The method trusts another party: userdn.'],
  ],
])('%s', (_, changes, messages) => {
  expect(found(terraform(changes)).map(({ message }) => message)).toEqual(
    messages.map((message) => expect.stringContaining(message)),
  );
});

test('with the service, a method is compared with what the plan says of its configuration', () => {
  const live = {
    graph: graph('mount ldap ldap\n complete'),
    ids: { mount: {}, group: {}, entity: {} },
    missing: [],
    namespace: '',
  };
  const plan = (after: object) =>
    terraform([entry('vault_ldap_auth_backend.x', { before: ldap, after: { ...ldap, ...after } })]);
  const rulesOf = (after: object) =>
    review(readPlan(plan(after)), { now, live }).findings.map(({ rule }) => rule);
  expect(rulesOf({ url: 'ldaps://b.example' })).toEqual(['trust-changed']);
  expect(rulesOf({ connection_timeout: 5 })).toEqual([]);
});
