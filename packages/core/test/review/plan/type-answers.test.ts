import { describe, expect, test } from '@jest/globals';
import { inertRows } from '../../../src/graph/resources/inert-types.ts';
import { allLists } from '../../../src/graph/resources/other-methods.ts';
import { unjudgedReasons } from '../../../src/graph/resources/unjudged-types.ts';
import { officialTypes, unmodeled } from '../../../src/graph/resources/unmodeled.ts';
import { answerOf, enginePaths, typesTable } from '../../../src/review/plan/type-answers.ts';
import { officialTypeNames } from '../../graph/resources/official-types.ts';
import { reviewOn } from './service-under-plan.ts';

const types = officialTypeNames;

test('the list has all types of the provider, each once', () => {
  expect(types.length).toBe(204);
  expect(new Set(types).size).toBe(204);
});

test('each type without a row in any table is in the list of those that are not judged', () => {
  const without = types.filter((type) => answerOf(type).answer === 'not judged');
  expect(without).toEqual([...unjudgedReasons.keys()].sort());
});

test('no table has a type that the provider does not have', () => {
  const named = [...unmodeled, ...inertRows].flatMap((row) => officialTypes(row.types));
  expect([...named, ...unjudgedReasons.keys()].filter((type) => !types.includes(type))).toEqual([]);
});

test('a type of a newer provider is not judged', () => {
  expect(answerOf('vault_not_yet_known')).toEqual({ answer: 'not judged', because: 'No table has it.' });
});

test('each type is in one line of the table', () => {
  const lines = typesTable(types);
  expect(types.filter((type) => lines.filter((line) => line.includes(`\`${type}\``)).length === 0)).toEqual(
    [],
  );
  const answered = lines.slice(2).flatMap((line) => line.split('|')[1]?.split(', ') ?? []);
  expect(answered.length).toBe(types.length);
});

/** A service with a method that each row could be trusted by. */
const trusting = `
  method own jwksUrl: https://vault.example/v1/identity/oidc/.well-known/keys
  method keys jwtValidationPubkeys: [k]
  mount cert cert
  mount spiffe spiffe
  mount ldap ldap
  mount aws aws
  mount azure azure
  mount gcp gcp
  mount ali alicloud
  mount k8s kubernetes`;

function gainsByWrite(path: string, service = trusting): string {
  return reviewOn(service, `+ generic_endpoint.p path: ${path}, data_json: '{"a":"b"}'`).gains;
}

describe('a write to any path', () => {
  test.each(unmodeled.flatMap(enginePaths))('at %s is not known where a method trusts it', (pattern) => {
    expect(gainsByWrite(pattern.replace('<engine>', 'some/engine').replaceAll('+', 'x'))).toBe('unknown');
  });

  test.each(allLists.map(({ path, read = path }) => read))('below %s of a method is a role', (list) => {
    const plan = `+ generic_endpoint.p path: auth/m/${list}/x, data_json: '{"policies":["a"],"token_policies":["a"]}'`;
    expect(reviewOn('policy a: secret/* read', plan).gains).toBe('some');
  });

  test.each(['kv/app', 'kv/data/app', 'team/kv/app', 'kv/destroy/app'])(
    'at %s, of an engine that keeps values, lets no one gain',
    (path) => {
      const mount = `mount.kv path: ${path.replace(/\/(?:data\/|destroy\/)?app$/, '')}, type: kv`;
      const plan = `${mount}\n + generic_endpoint.p path: ${path}, data_json: '{"a":"b"}'`;
      expect(reviewOn(trusting, plan).gains).toBe('none');
    },
  );

  test.each(['kv/app', 'transit/encrypt/k', 'totp/code/x', 'pki/root/replace', 'secret/undelete/x'])(
    'at %s, of an engine that is not in sight, is not known',
    (path) => {
      expect(gainsByWrite(path)).toBe('unknown');
    },
  );

  test.each([
    'sys/policies/acl/x',
    'sys/audit/x',
    'sys/not-yet-known',
    'identity/not-yet-known',
    'auth/m/not-yet-known',
    'cubbyhole/x',
    'team/sys/auth/x',
  ])('at %s, which no table has, cannot be judged', (path) => {
    const { gains, access } = reviewOn(
      'policy a: secret/* read',
      `+ generic_endpoint.p path: ${path}, data_json: '{"a":"b"}'`,
    );
    expect([gains, access.length]).toEqual(['some', 1]);
  });
});
