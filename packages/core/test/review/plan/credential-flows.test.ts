import { describe, expect, test } from '@jest/globals';
import { flowsOfPreview, isOfSameSignIn } from '../../../src/review/plan/credential-flows.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { review } from '../../../src/review/review.ts';
import { entries } from '../../worlds.ts';
import { now } from '../graphs.ts';
import { reviewOn } from './service-under-plan.ts';
import { terraform } from './terraform.ts';

describe('who signs in with a credential', () => {
  const secretId = { backend: 'apps', role_name: 'app', secret_id: 'x', ttl: 60 };

  test.each<[what: string, isSame: boolean, after: object, unknown: object]>([
    ['another secret', true, { ...secretId, secret_id: 'y' }, { secret_id: true }],
    ['another lifetime', true, { ...secretId, ttl: 90 }, {}],
    ['another role', false, { ...secretId, role_name: 'admin' }, {}],
    ['a role that is not known', false, secretId, { role_name: true }],
    [
      'other metadata, which templates of policies read',
      true,
      { ...secretId, metadata: '{"team":"admin"}' },
      {},
    ],
  ])('with %s is the same: %s', (_, isSame, after, unknown) => {
    expect(isOfSameSignIn({ before: secretId, after, after_unknown: unknown })).toBe(isSame);
  });

  test('is told by names of Pulumi, too', () => {
    expect(isOfSameSignIn({ before: { roleName: 'app' }, after: { roleName: 'admin' } })).toBe(false);
  });
});

test('a secret id that is made anew for another role is another credential', () => {
  const approle = 'approle_auth_backend_role';
  const role = (name: string) =>
    `${approle}.${name} backend: apps, role_name: ${name}, token_policies: [${name}]`;
  const replaced = (to: string) =>
    `-/+ ${approle}_secret_id.s backend: apps, role_name: low, secret_id: x → role_name: ${to}`;
  const gainsWith = (to: string) => {
    const plan = `mount apps approle\n ${role('low')}\n ${role('admin')}\n ${replaced(to)}`;
    return review(readPlan(terraform(entries(plan))), { now }).gains;
  };
  expect([gainsWith('low'), gainsWith('admin')]).toEqual(['none', 'some']);
});

test('a credential in the metadata of a value is read there, too', () => {
  const service = (path: string) => `mount apps approle
    approle apps/app a
    mount people userpass
    user people/ann ask
    policy ask: ${path} read
    policy a: x read`;
  const plan = `approle_auth_backend_role_secret_id.s backend: apps, role_name: app, secret_id: abcdefgh
    + kv_secret_v2.v mount: kv, name: c, custom_metadata: [{ data: { s: abcdefgh } }]`;
  expect(reviewOn(service('kv/metadata/c'), plan).gains).toBe('some');
  expect(reviewOn(service('kv/data/c'), plan).gains).toBe('some');
  expect(reviewOn(service('kv/subkeys/c'), plan).gains).toBe('none');
});

test('a Pulumi preview keeps a credential anew where another one signs in with it', () => {
  const [of, to] = ['urn:secret-id', 'urn:value'];
  const dependencies = { dataJson: [of] };
  const resources = (isSame: boolean) =>
    [
      {
        urn: of,
        type: 'vault_approle_auth_backend_role_secret_id',
        path: undefined,
        isWritten: true,
        before: {},
        after: {},
      },
      {
        urn: to,
        type: 'vault_kv_secret',
        path: 'kv/c',
        isWritten: true,
        before: dependencies,
        after: dependencies,
      },
    ].map((resource) => ({ ...resource, isOfSameSignIn: isSame }));
  expect(flowsOfPreview(resources(true))).toEqual([]);
  expect(flowsOfPreview(resources(false))).toEqual([{ of, field: 'secret_id', to }]);
});
