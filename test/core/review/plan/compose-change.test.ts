import { describe, expect, test } from '@jest/globals';
import { composeChanges } from '../../../../core/review/plan/compose-change.ts';
import { readPlan } from '../../../../core/review/plan/read-plan.ts';
import { composed, entry, same, terraform } from './terraform.ts';

const compose = (text: string) => composeChanges(readPlan(text))[0]?.change;

const staff = { path: 'staff', type: 'oidc', accessor: 'auth_oidc_1' };
const backend = entry('vault_jwt_auth_backend.staff', { before: staff, after: staff, actions: ['no-op'] });
const group = (after: object) =>
  entry('vault_identity_group.g', { after: { type: 'external', ...after }, after_unknown: { id: true } });

const on = { name: '/admins', mount_accessor: 'auth_oidc_1' };

describe('how an alias finds its method and its group', () => {
  test('not at all where nothing says so: it cannot be judged', () => {
    const alias = entry('vault_identity_group_alias.a', { after: on, after_unknown: { canonical_id: true } });
    const found = compose(terraform([backend, group({ name: 'admins' }), alias]));
    expect(found?.unknown).toEqual([{ type: 'alias', name: 'vault_identity_group_alias.a' }]);
  });

  test('by the accessor that a data source has read', () => {
    const alias = entry('vault_identity_group_alias.a', {
      after: { ...on, mount_accessor: 'x', canonical_id: 'y' },
    });
    const read = (type: string, values: object) => ({ mode: 'data', type, values });
    const prior_state = {
      values: {
        root_module: {
          resources: [
            read('vault_auth_backend', { accessor: 'x', path: 'partners' }),
            read('vault_identity_group', { id: 'y', group_name: 'g' }),
          ],
        },
      },
    };
    expect(compose(terraform([alias], { prior_state }))?.after.aliases).toEqual([
      { name: '/admins', method: 'partners', group: 'g' },
    ]);
  });
});

test('two resources that write the same role cannot be judged', () => {
  const role = { backend: 'ci', role_name: 'r', user_claim: 'sub' };
  const found = compose(
    terraform([
      entry('vault_jwt_auth_backend_role.one', { after: role }),
      entry('vault_jwt_auth_backend_role.two', { after: role }),
    ]),
  );
  expect(found?.unknown).toEqual([{ type: 'role', name: 'r', method: 'ci' }]);
});

test('each namespace is a change of its own', () => {
  const policy = (name: string, namespace: string | null) =>
    entry(`vault_policy.${name}`, { after: { name, policy: '', namespace } });
  const found = composeChanges(
    readPlan(terraform([policy('a', null), policy('b', 'team/'), policy('c', 'team')])),
  );
  expect(found.map(({ place, change }) => [place, change.after.policies.map(({ name }) => name)])).toEqual([
    [{}, ['a']],
    [{ namespace: 'team' }, ['b', 'c']],
  ]);
});

test('a client secret that changes is told, and not kept', () => {
  const found = compose(
    terraform([
      entry('vault_jwt_auth_backend.m', {
        before: { ...staff, oidc_client_secret: 'old-secret' },
        after: { ...staff, oidc_client_secret: 'new-secret' },
      }),
    ]),
  );
  expect(found?.rotated).toEqual([{ type: 'method', name: 'staff', field: 'oidcClientSecret' }]);
  expect(JSON.stringify(found)).not.toMatch(/old-secret|new-secret/);
});

test.each(['vault_config_ui_custom_message', 'vault_config_ui_custom_messages', 'vault_ui_custom_message'])(
  'a message is read under the name %s',
  (type) => {
    const after = {
      title: 'Hello',
      message_base64: 'SGVsbG8=',
      type: 'modal',
      authenticated: false,
      start_time: '2026-12-01T01:00:00+01:00',
      link: [{ title: 'More', href: 'https://example.com' }],
    };
    expect(compose(terraform([entry(`${type}.m`, { after })]))?.after.messages).toEqual([
      {
        title: 'Hello',
        message: 'Hello',
        type: 'modal',
        authenticated: false,
        startTime: '2026-12-01T00:00:00Z',
        link: { More: 'https://example.com' },
      },
    ]);
  },
);

test('bound claims are split at commas, unless the role says not to', () => {
  const role = { backend: 'ci', role_name: 'r', user_claim: 'sub', bound_claims: { g: 'a,b' } };
  const bound = (after: object) =>
    compose(terraform([entry('vault_jwt_auth_backend_role.r', { after })]))?.after.roles[0]?.boundClaims;
  expect(bound(role)).toEqual({ g: ['a', 'b'] });
  expect(bound({ ...role, disable_bound_claims_parsing: true })).toEqual({ g: 'a,b' });
});

describe('where a resource is', () => {
  const at = (address: string, key: string) => ({ address, provider_config_key: key });
  const configuration = (providers: Record<string, object>, resources: object[], module_calls = {}) => ({
    configuration: {
      provider_config: Object.fromEntries(
        Object.entries(providers).map(([key, expressions]) => [key, { name: 'vault', expressions }]),
      ),
      root_module: { resources, module_calls },
    },
  });
  const policy = (name: string) => ({ name, policy: '' });
  const address = (value: string) => ({ address: { constant_value: value } });
  const one = entry('vault_policy.a', { after: policy('a') });
  const other = entry('vault_policy.b', { after: policy('b') });

  test('a configuration’s own namespace is the start of its resources’', () => {
    const rest = configuration({ vault: {}, 'vault.team': { namespace: { constant_value: 'team/' } } }, [
      at('vault_policy.a', 'vault'),
      at('vault_policy.b', 'vault.team'),
    ]);
    const inner = entry('vault_policy.b', { after: { ...policy('b'), namespace: 'sub' } });
    expect(composed([one, inner], rest).map(({ place }) => place)).toEqual([{}, { namespace: 'team/sub' }]);
  });

  test('a resource that is no longer in the configuration may be on either of two servers', () => {
    const rest = configuration(
      { 'vault.dev': address('https://dev'), 'vault.prod': address('https://prod') },
      [at('vault_policy.b', 'vault.prod')],
    );
    const gone = entry('vault_policy.gone', { before: policy('gone') });
    const unknown = composed([gone, other], rest).flatMap(({ change }) => change.unknown);
    expect(unknown).toEqual([{ type: 'policy', name: 'vault_policy.gone' }]);
  });

  test('an accessor that two servers have is lost on one of them only', () => {
    const rest = configuration(
      { 'vault.dev': address('https://dev'), 'vault.prod': address('https://prod') },
      [
        at('vault_jwt_auth_backend.dev', 'vault.dev'),
        at('vault_jwt_auth_backend.prod', 'vault.prod'),
        at('vault_identity_group.g', 'vault.prod'),
        at('vault_identity_group_alias.a', 'vault.prod'),
      ],
    );
    const changes = [
      entry('vault_jwt_auth_backend.dev', { before: staff }),
      entry('vault_jwt_auth_backend.prod', same(staff)),
      entry('vault_identity_group.g', same({ id: 'gid', name: 'g', type: 'external', policies: ['p'] })),
      entry('vault_identity_group_alias.a', same({ ...on, canonical_id: 'gid' })),
    ];
    expect(composed(changes, rest).map(({ change }) => change.after.aliases.length)).toEqual([0, 1]);
  });

  test('one that moves to another namespace is deleted in one and made in the other', () => {
    const moves = entry('vault_policy.a', {
      before: { ...policy('a'), namespace: 'x' },
      after: { ...policy('a'), namespace: 'y' },
      actions: ['delete', 'create'],
    });
    const states = composed([moves]).map(({ place, change: { before, after, unknown } }) => [
      place.namespace,
      before.policies.length,
      after.policies.length,
      unknown,
    ]);
    expect(states).toEqual([
      ['x', 1, 0, []],
      ['y', 0, 1, []],
    ]);
  });

  test('the same name in two namespaces is two things', () => {
    const within = (namespace: string) =>
      entry(`vault_policy.${namespace}`, { after: { ...policy('a'), namespace } });
    expect(composed([within('x'), within('y')]).flatMap(({ change }) => change.unknown)).toEqual([]);
  });
});
