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
