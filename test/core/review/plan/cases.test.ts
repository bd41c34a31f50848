import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Graph, GraphList } from '../../../../core/model/graph.ts';
import { composeChanges } from '../../../../core/review/plan/compose-change.ts';
import { readPlan } from '../../../../core/review/plan/read-plan.ts';
import { reviewPlan } from '../../../../core/review/review.ts';
import { root } from '../../../harness/environment-under-test.ts';

const planOf = (file: string) =>
  readPlan(readFileSync(`${root}/test/core/review/cases/${file}.json`, 'utf8'));

type Entries = Record<string, unknown[]>;

/** What one state has and the other has not, by list. */
function only(one: Graph, other: Graph): Entries {
  const lists = Object.entries(one) as [GraphList, unknown[]][];
  return Object.fromEntries(
    lists.flatMap(([list, entries]) => {
      const known = new Set(((other[list] ?? []) as unknown[]).map((entry) => JSON.stringify(entry)));
      const left = entries.filter((entry) => !known.has(JSON.stringify(entry)));
      return left.length === 0 ? [] : [[list, left]];
    }),
  );
}

const changesOf = (file: string) =>
  composeChanges(planOf(file)).map(({ place, change: { before, after, unknown } }) => ({
    place,
    gone: only(before, after),
    made: only(after, before),
    unknown,
  }));

/** The one change of a plan at one place. */
function changeOf(file: string) {
  const [only, ...more] = changesOf(file);
  expect(more).toEqual([]);
  return only ?? { gone: {}, made: {}, unknown: [] };
}

describe('where a change is made', () => {
  const role = { roles: [expect.objectContaining({ method: 'ci', name: 'build' })] };

  test.each([
    ['terraform/T46-role-moves-from-dev-server-to-prod-server', 'vault.dev', 'vault.prod'],
    ['pulumi/P08-role-moves-between-servers', 'dev', 'prod'],
  ])('two provider configurations are two servers: %s', (file, dev, prod) => {
    expect(changesOf(file)).toEqual([
      { place: { server: dev }, gone: role, made: {}, unknown: [] },
      { place: { server: prod }, gone: {}, made: role, unknown: [] },
    ]);
  });

  test('a policy that moves to another server', () => {
    const policy = { policies: [expect.objectContaining({ name: 'reader' })] };
    expect(changesOf('terraform/T116-policy-moves-between-servers')).toEqual([
      { place: { server: 'vault.dev' }, gone: policy, made: {}, unknown: [] },
      { place: { server: 'vault.prod' }, gone: {}, made: policy, unknown: [] },
    ]);
  });
});

describe('a hidden value that is gone is seen to be', () => {
  test.each([
    ['terraform/T32-sensitive-bound-claims-removed', 'boundClaims', { project_id: '(hidden 1)' }],
    ['terraform/T34-sensitive-cidrs-opened', 'tokenBoundCidrs', ['(hidden 1)']],
    ['pulumi/P02-secret-bound-claims-removed', 'boundClaims', { '(hidden 1)': '(hidden 1)' }],
    ['terraform/T30-key-missing-instead-of-null', 'boundClaims', { project_id: '42' }],
  ])('%s', (file, field, value) => {
    const { gone, made, unknown } = changeOf(file);
    expect(gone).toEqual({ roles: [expect.objectContaining({ [field]: value })] });
    expect(made).toEqual({ roles: [expect.not.objectContaining({ [field]: expect.anything() })] });
    expect(unknown).toEqual([]);
  });
});

describe('what bears on access and is not declared', () => {
  test.each<[file: string, gone: Entries, made: Entries]>([
    [
      'T48-identity-group-policies-gives-admin',
      {},
      { holders: [{ kind: 'group', name: 'readers', policies: ['login-admin'] }] },
    ],
    [
      'T52-entity-gets-admin',
      { holders: [{ kind: 'entity', name: 'mallory', policies: ['reader'] }] },
      { holders: [{ kind: 'entity', name: 'mallory', policies: ['reader', 'login-admin'] }] },
    ],
    [
      'T54-kubernetes-role',
      {},
      {
        others: [
          {
            name: 'role "any" of auth/kubernetes (kubernetes)',
            method: 'kubernetes',
            effect: 'gives',
            policies: ['login-admin'],
            bounds: { bound_service_account_names: ['*'], bound_service_account_namespaces: ['*'] },
          },
        ],
      },
    ],
    [
      'T56-generic-endpoint-writes-role',
      {},
      {
        others: [
          {
            name: 'write to auth/ci/role/backdoor',
            effect: 'gives',
            policies: ['login-admin'],
            bounds: {
              data: {
                role_type: '(hidden 1)',
                user_claim: '(hidden 2)',
                bound_audiences: '(hidden 3)',
                token_policies: 'login-admin',
              },
            },
          },
        ],
      },
    ],
    [
      'T58-mfa-enforcement-deleted',
      {
        others: [
          {
            name: 'identity mfa login enforcement "m"',
            effect: 'takes',
            policies: [],
            bounds: { mfa_method_ids: ['x'], auth_method_accessors: ['auth_oidc_staff01'] },
          },
        ],
      },
      {},
    ],
    ['T108-message-and-mount-only', {}, { messages: [expect.anything()] }],
  ])('%s', (file, gone, made) => {
    expect(changeOf(`terraform/${file}`)).toEqual({ place: {}, gone, made, unknown: [] });
    expect(planOf(`terraform/${file}`).passedOver).toEqual([]);
  });

  test('types of other programs are counted and named', () => {
    expect(planOf('pulumi/P06-command-and-dynamic-resources').passedOver).toEqual([
      { type: 'command:local:Command', count: 1, changed: 1, ofService: false },
      { type: 'pulumi-nodejs:dynamic:Resource', count: 1, changed: 1, ofService: false },
    ]);
  });
});

describe('what an alias leads to', () => {
  const alias = (name: string, group: string) => ({ aliases: [{ name, method: 'staff', group }] });
  const policiesOf = (file: string, group: string) => {
    const [{ change } = { change: undefined }] = composeChanges(planOf(file));
    const { groups = [], holders = [] } = change?.after ?? {};
    return [...groups, ...holders].filter(({ name }) => name === group).flatMap(({ policies }) => policies);
  };

  test('to a group whose policies another resource gives', () => {
    const file = 'terraform/T50-new-alias-on-group-with-external-policies';
    expect(changeOf(file)).toMatchObject({ made: alias('/everyone', 'ops'), unknown: [] });
    expect(policiesOf(file, 'ops')).toEqual(['login-admin']);
  });

  test('to a group that a data source knows', () => {
    const file = 'terraform/T60-alias-to-group-of-a-data-source';
    expect(changeOf(file)).toMatchObject({ made: alias('/everyone', 'ops'), unknown: [] });
    expect(policiesOf(file, 'ops')).toEqual(['login-admin']);
  });

  test('to a group that nobody knows: what it gives is not known', () => {
    expect(changeOf('pulumi/P04-alias-to-group-not-in-preview').unknown).toEqual([
      { type: 'alias', name: '/everyone', method: 'auth_oidc_staff01', field: 'method' },
      { type: 'group', name: 'gid-admins', field: 'policies' },
    ]);
  });

  test('to the group of its own instance of a module', () => {
    expect(changeOf('terraform/T66-for-each-modules')).toMatchObject({
      made: { aliases: [...alias('/a', 'a').aliases, ...alias('/b', 'b').aliases] },
      unknown: [],
    });
  });

  test('a group keeps the alias that is written last', () => {
    expect(changeOf('terraform/T122-two-alias-resources-one-group')).toEqual({
      place: {},
      gone: alias('/admins', 'admins'),
      made: alias('/others', 'admins'),
      unknown: [],
    });
  });
});

describe('what is there when all is done', () => {
  const build = { roles: [expect.objectContaining({ name: 'build' })] };
  test.each([
    ['terraform/T96-create-before-destroy-same-path', build],
    ['terraform/T104-deposed-leftover', build],
    [
      'terraform/T106-mount-deleted-role-left',
      {
        methods: [expect.objectContaining({ path: 'staff' })],
        roles: [expect.objectContaining({ name: 'reader' })],
        aliases: [{ name: '/admins', method: 'staff', group: 'admins' }],
      },
    ],
    ['terraform/T98-import-noop-and-move', {}],
    ['terraform/T100-drift-only', {}],
    ['pulumi/P10-retain-on-delete', {}],
    ['pulumi/P16-nothing', {}],
  ])('%s', (file, gone) => {
    expect(changeOf(file)).toEqual({ place: {}, gone, made: {}, unknown: [] });
  });

  test('drift is told', () => {
    expect(planOf('terraform/T100-drift-only').notes).toEqual([
      expect.stringContaining('outside of Terraform'),
    ]);
  });

  test('a plan that could not be finished is not whole', () => {
    expect(planOf('terraform/T102-errored').incomplete).toHaveLength(1);
  });
});

describe('what a plan does not tell is named', () => {
  test.each([
    ['T36-unknown-policies', { type: 'role', name: 'build', method: 'ci', field: 'policies' }],
    ['T38-unknown-list-element', { type: 'role', name: 'build', method: 'ci', field: 'policies' }],
    ['T40-unknown-role-name', { type: 'role', name: 'vault_jwt_auth_backend_role.x' }],
    [
      'T42-unknown-groups-claim-and-mapping',
      { type: 'role', name: 'reader', method: 'staff', field: 'groupsClaim' },
    ],
    ['T44-unknown-issuer', { type: 'method', name: 'ci', field: 'oidcDiscoveryUrl' }],
  ])('%s', (file, subject) => {
    expect(changeOf(`terraform/${file}`).unknown).toEqual([subject]);
  });
});

test('names of policies are in lower case, as the service keeps them', () => {
  expect(changeOf('terraform/T28-policy-name-in-capitals').made).toEqual({
    roles: [expect.objectContaining({ policies: ['reader', 'login-admin'] })],
  });
});

test('how a mount is tuned, and how deep groups are followed, is read', () => {
  expect(changeOf('terraform/T14-mount-max-lease-raised').made).toMatchObject({
    methods: [{ tune: { maxLeaseTtl: 31_536_000 } }],
  });
  expect(changeOf('terraform/T112-groups-recurse-deeper').made).toMatchObject({
    methods: [{ config: { providerConfig: { groupsRecurseMaxDepth: 10 } } }],
  });
});

test.each([
  'T48-identity-group-policies-gives-admin',
  'T54-kubernetes-role',
  'T56-generic-endpoint-writes-role',
])('a change of what nobody declares is not passed in silence: %s', (file) => {
  const { findings, access } = reviewPlan(planOf(`terraform/${file}`), { now: 0n });
  expect([...findings, ...access]).not.toEqual([]);
});
