import { baseSetting } from '../../packages/core/src/graph/kinds/kind.ts';
import { kindById, type ProviderKind, providerKinds } from '../../packages/core/src/graph/kinds/kinds.ts';
import {
  configFields,
  ownConfigFields,
  tuneFields,
} from '../../packages/core/src/graph/resources/auth-method.ts';
import { groupFields } from '../../packages/core/src/graph/resources/external-group.ts';
import { type Field, type FieldType, wireNameIn } from '../../packages/core/src/graph/resources/field.ts';
import { aliasFields } from '../../packages/core/src/graph/resources/group-alias.ts';
import { policyFields } from '../../packages/core/src/graph/resources/policy.ts';
import { roleFields } from '../../packages/core/src/graph/resources/role.ts';
import { exampleOf } from '../../packages/core/test/environment/environment-fixture.ts';
import { keyPem, otherKeyPem } from '../../packages/core/test/pems.ts';
import type { EmbeddedIdentityProvider } from '../../packages/secrets-service/src/identity-provider/identity.ts';
import { randomFrom } from './random-policies.ts';

/** The parts of a declaration that are changed, each with the fields that it has. */
const fieldsOf: Record<ChangedPart, Record<string, AnyField>> = {
  provider: { path: { type: 'text' }, defaultRole: configFields.defaultRole },
  tune: tuneFields,
  config: ownConfigFields,
  role: { name: { type: 'text' }, ...roleFields },
  group: { ...groupFields, alias: aliasFields.name },
  policy: { name: policyFields.name, policy: policyFields.text },
};
type AnyField = Pick<Field, 'type'> & Partial<Field>;
type ChangedPart = 'provider' | 'tune' | 'config' | 'role' | 'group' | 'policy';
/** A field of a part with another value. */
export interface Change {
  part: ChangedPart;
  name: string;
  value: unknown;
}

const long = (length: number) => 'x'.repeat(length);
const pairs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, `v${at}`]));

/** Values at and around what servers take of each type. */
const valuesOfType: Partial<Record<FieldType, readonly unknown[]>> = {
  text: [
    '',
    'a',
    'A',
    ' a ',
    'a b',
    'a/b',
    'a//b',
    'a/',
    'a.b',
    '-a',
    '.',
    '..',
    'é',
    'a,b',
    '{{a}}',
    '*',
    '+',
    'a\nb',
    'a\u200bb',
    'a\u00a0b',
    long(600),
  ],
  flag: [true, false],
  integer: [0, 1, 2 ** 31, -1, 1.5],
  seconds: [0, 1, '30m', '1h', '24h', '768h', 2 ** 31, 9_223_372_036, 9_223_372_037, '-1', '1x'],
  texts: [[], ['a'], [''], ['a', 'a'], 'a,b', ['a b'], ['é'], [' a ']],
  textsByName: [
    {},
    { a: 'b' },
    { a: 'b', c: 'b' },
    { a: '' },
    { '': 'b' },
    { 'a b': 'c' },
    { 'a.b': 'c' },
    { é: 'c' },
    { a: long(512) },
    { a: long(513) },
    { [long(128)]: 'a' },
    { [long(129)]: 'a' },
    pairs(63),
    pairs(64),
    pairs(65),
  ],
  claims: [
    {},
    { a: 'b' },
    { a: ['b', 'c'] },
    { a: 5 },
    { a: true },
    { '/a/b': 'c' },
    { a: '*' },
    { a: null },
  ],
};

/** More of them, where a field has limits of its own. */
const valuesOfField: { [Part in ChangedPart]: Record<string, readonly unknown[]> } = {
  provider: {
    path: ['team/it', 'token', 'token/a', 'sys', 'login', 'a?b', 'a#b', 'a%20b', 'a:b'],
    defaultRole: ['reader', 'Reader'],
  },
  tune: {},
  config: {
    boundIssuer: ['https://id.example.com', 'https://id.example.com/', 'robots'],
    oidcResponseTypes: [['code'], ['id_token'], ['code', 'id_token'], ['token']],
    jwtSupportedAlgs: [['RS256'], ['RS256', 'ES256'], ['HS256'], ['none'], ['EdDSA'], ['rs256']],
    oidcDiscoveryCaPem: ['junk', keyPem],
  },
  role: {
    userClaim: ['sub', 'email', '/sub', '/a/b'],
    allowedRedirectUris: [['http://localhost:8250/oidc/callback'], ['https://a.example.com/x?y=z']],
    boundClaims: [{ sub: 'a' }, { sub: ['b', '*'] }, { iss: 'robots' }],
    claimMappings: [{ a: 'role' }],
    tokenBoundCidrs: [['10.0.0.0/8'], ['10.0.0.256'], ['fd00::/8', '::1'], ['localhost']],
    policies: [['root'], ['default'], ['Secrets-Read'], ['a/b'], ['response-wrapping']],
    oidcScopes: [['openid'], ['profile', 'email']],
  },
  group: {
    policies: [['root'], ['default'], ['Secrets-Read'], ['a/b']],
    alias: ['00000000-0000-0000-c000-000000000046', 'cn=a,dc=b', long(2000)],
  },
  policy: {
    name: ['default', 'root', 'response-wrapping', 'control-group', 'a..b', 'a/../b', 'a?b', 'a#b', 'a%b'],
    policy: [
      'path "a" { capabilities = ["read"] }',
      'path "a" { capabilites = ["read"] }',
      'paths "a" {}',
      'path "e/+*" { policy = "read" }',
      'path "a/{{identity.entity.id}}" { policy = "write" }',
      'path "a/{{identity" { policy = "write" }',
      '{"path":{"a":{"capabilities":["read"]}}}',
      '# nothing',
      'path "a" { policy = "all" }',
      'path "a" {',
      'path "a" { min_wrapping_ttl = 2 max_wrapping_ttl = 1 }',
    ],
  },
};

/** Every field that can be declared, with each of its values. */
const everyChange = (Object.keys(fieldsOf) as ChangedPart[]).map((part) =>
  Object.entries<AnyField>(fieldsOf[part])
    .filter(([, { liveOnly, secret }]) => !liveOnly && !secret)
    .map(([name, field]) => ({ name, values: [...valuesOf(field), ...(valuesOfField[part][name] ?? [])] }))
    .map(({ name, values }) => values.map((value): Change => ({ part, name, value }))),
);

/** Fields that no value is known for. */
export const untried = everyChange.flat().filter((values) => values.length < 2).length;

function valuesOf({ type, schema }: AnyField): readonly unknown[] {
  const options: unknown = schema === undefined || !('options' in schema) ? undefined : schema.options;
  const isChoice = Array.isArray(options) && options.every((one) => typeof one === 'string');
  return isChoice ? [...options, 'x'] : (valuesOfType[type] ?? []);
}

/** A provider as it stands in the YAML, its name left out. */
export type Base = { kind: ProviderKind; roles: [Record<string, unknown>]; [setting: string]: unknown };

/** A provider of each kind with one role, at the issuers of the embedded identity provider. */
export function basesAt({ authorities, issuers }: EmbeddedIdentityProvider): Base[] {
  return providerKinds.map((kind): Base => {
    if (kind === 'jwt') {
      const publicKeys = [keyPem, otherKeyPem];
      return { kind, publicKeys, roles: [{ name: 'reader', boundAudiences: ['a'] }] };
    }
    const { issuer, embedded, methodType } = kindById(kind);
    const at = kind === 'oidc' ? issuers.open_source_identity_server : authorities[kind];
    const { groups: _groups, directory: _directory, roles, ...own } = exampleOf(kind);
    const given = { ...own, ...embedded?.issuer, [baseSetting(issuer)]: at };
    const client = methodType === 'oidc' ? { clientId: 'gatehouse' } : {};
    return { ...given, ...client, kind, roles: [(roles as Base['roles'])[0]] };
  });
}

/** One to three changed fields, half of the time of one part. */
export function randomChanges(seed: number): () => Change[] {
  const next = randomFrom(seed);
  const one = <Of>(of: readonly Of[]) => of[next(of.length)] as Of;
  return () => {
    const part = one(everyChange);
    const parts = next(2) === 0 ? [part] : everyChange;
    return [one(one(part)), ...Array.from({ length: next(3) }, () => one(one(one(parts))))];
  };
}

/** The fields of a part that are changed. */
export function changedIn(changes: readonly Change[], wanted: ChangedPart): Record<string, unknown> {
  const own = changes.filter(({ part }) => part === wanted);
  return Object.fromEntries(own.map(({ name, value }) => [name, value]));
}

/** The same by their names on the wire. */
export function changedOnWire(
  changes: readonly Change[],
  part: 'tune' | 'config' | 'role' | 'group',
): Record<string, unknown> {
  const table: Record<string, Field> = {
    tune: tuneFields,
    config: configFields,
    role: roleFields,
    group: groupFields,
  }[part];
  const entries = Object.entries(changedIn(changes, part)).filter(([name]) => Object.hasOwn(table, name));
  return Object.fromEntries(entries.map(([name, value]) => [wireNameIn(table, name), value]));
}
