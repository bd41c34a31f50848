import { describe, expect, test } from '@jest/globals';
import { composeChanges } from '../../../../core/review/plan/compose-change.ts';
import { readPlan } from '../../../../core/review/plan/read-plan.ts';
import { composed, entry, same, terraform } from './terraform.ts';

const compose = (text: string) => composeChanges(readPlan(text))[0]?.change;

const staff = { path: 'staff', type: 'oidc', accessor: 'auth_oidc_1' };
const backend = entry('vault_jwt_auth_backend.staff', { before: staff, after: staff, actions: ['no-op'] });
const group = (after: object) =>
  entry('vault_identity_group.g', { after: { type: 'external', ...after }, after_unknown: { id: true } });

/** As the plan's configuration has it, for the alias `a`. */
const configuration = (field: string, ...references: string[]) => ({
  configuration: {
    root_module: {
      resources: [{ address: 'vault_identity_group_alias.a', expressions: { [field]: { references } } }],
    },
  },
});

const on = { name: '/admins', mount_accessor: 'auth_oidc_1' };

describe('how an alias finds its method and its group', () => {
  const after = on;

  test('by what refers to what, while the group has no id yet', () => {
    const alias = entry('vault_identity_group_alias.a', {
      after,
      after_unknown: { canonical_id: true, id: true },
    });
    const found = compose(
      terraform(
        [backend, group({ name: 'admins' }), alias],
        configuration('canonical_id', 'vault_identity_group.g.id', 'vault_identity_group.g'),
      ),
    );
    expect(found?.after.aliases).toEqual([{ name: '/admins', method: 'staff', group: 'admins' }]);
    expect(found?.unknown).toEqual([]);
  });

  test('not at all where nothing says so: it cannot be judged', () => {
    const alias = entry('vault_identity_group_alias.a', { after, after_unknown: { canonical_id: true } });
    const found = compose(terraform([backend, group({ name: 'admins' }), alias]));
    expect(found?.unknown).toEqual([{ type: 'alias', name: 'vault_identity_group_alias.a' }]);
  });

  test('by the accessor that a data source has read', () => {
    const alias = entry('vault_identity_group_alias.a', {
      after: { ...after, mount_accessor: 'x', canonical_id: 'y' },
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

  test('is left behind by a mount that is replaced, unless it follows', () => {
    const replaced = entry('vault_jwt_auth_backend.staff', {
      before: staff,
      after: { path: 'staff', type: 'jwt' },
      after_unknown: { accessor: true },
      actions: ['delete', 'create'],
    });
    const stays = { ...after, canonical_id: 'y' };
    const alias = entry('vault_identity_group_alias.a', { before: stays, after: stays, actions: ['no-op'] });
    const found = compose(terraform([replaced, alias]));
    expect(found?.before.aliases).toHaveLength(1);
    expect(found?.after.aliases).toEqual([]);
    expect(found?.replaced).toEqual([{ type: 'method', name: 'staff' }]);
  });

  test('takes the instance with its own key', () => {
    const instance = (key: string) =>
      entry(`vault_identity_group.g["${key}"]`, {
        after: { type: 'external', name: key },
        after_unknown: { id: true },
      });
    const alias = {
      ...entry('vault_identity_group_alias.a', { after, after_unknown: { canonical_id: true } }),
      address: 'vault_identity_group_alias.a["b"]',
    };
    const types = [instance('a'), instance('b')].map((one) => ({ ...one, type: 'vault_identity_group' }));
    const found = compose(
      terraform([backend, ...types, alias], configuration('canonical_id', 'vault_identity_group.g')),
    );
    expect(found?.after.aliases).toMatchObject([{ group: 'b' }]);
  });
});

describe('a value that a plan does not tell', () => {
  const role = { backend: 'ci', role_name: 'r', role_type: 'jwt', user_claim: 'sub', token_policies: ['a'] };
  const address = 'vault_jwt_auth_backend_role.r';

  test('is taken to stay, and is listed', () => {
    const { token_policies, ...rest } = role;
    const found = compose(
      terraform([entry(address, { before: role, after: rest, after_unknown: { token_policies: true } })]),
    );
    expect(found?.after.roles).toMatchObject([{ policies: token_policies }]);
    expect(found?.unknown).toEqual([{ type: 'role', name: 'r', method: 'ci', field: 'policies' }]);
  });

  test('is listed where it is hidden and changes', () => {
    const marked = { token_policies: true };
    const found = compose(
      terraform([
        entry(address, {
          before: role,
          after: { ...role, token_policies: ['b'] },
          before_sensitive: marked,
          after_sensitive: marked,
        }),
      ]),
    );
    expect(found?.unknown).toMatchObject([{ field: 'policies' }]);
    expect(JSON.stringify(found?.after)).not.toContain('"b"');
  });

  test('is not listed where it is hidden and stays', () => {
    const marked = { token_policies: true };
    const found = compose(
      terraform([
        entry(address, {
          before: role,
          after: { ...role, token_ttl: 60 },
          before_sensitive: marked,
          after_sensitive: marked,
        }),
      ]),
    );
    expect(found?.unknown).toEqual([]);
  });

  test('is the service’s default where the configuration gives none', () => {
    const { role_type: _type, ...rest } = role;
    const root_module = { resources: [{ address, expressions: { role_name: { constant_value: 'r' } } }] };
    const found = compose(
      terraform([entry(address, { after: rest, after_unknown: { role_type: true, id: true } })], {
        configuration: { root_module },
      }),
    );
    expect(found?.unknown).toEqual([]);
    expect(found?.after.roles).toMatchObject([{ roleType: 'oidc' }]);
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

test('a resource that is only forgotten stays on the service', () => {
  const role = { backend: 'ci', role_name: 'r', user_claim: 'sub' };
  const found = compose(
    terraform([entry('vault_jwt_auth_backend_role.r', { before: role, actions: ['forget'] })]),
  );
  expect(found?.after.roles).toHaveLength(1);
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

  test('two configurations of one address are one server', () => {
    const rest = configuration({ vault: address('https://a'), 'vault.again': address('https://a') }, [
      at('vault_policy.a', 'vault'),
      at('vault_policy.b', 'vault.again'),
    ]);
    expect(composed([one, other], rest).map(({ place }) => place)).toEqual([{}]);
  });

  test('the same variable of two modules is two servers', () => {
    const expressions = { address: { references: ['var.address'] } };
    const module = (name: string) => ({
      module: { resources: [at('vault_policy.a', `module.${name}:vault`)] },
    });
    const rest = configuration({ 'module.dev:vault': expressions, 'module.prod:vault': expressions }, [], {
      dev: module('dev'),
      prod: module('prod'),
    });
    const inside = ['dev', 'prod'].map((name) => ({ ...one, address: `module.${name}.vault_policy.a` }));
    expect(composed(inside, rest).map(({ place }) => place)).toEqual([
      { server: 'module.dev:vault' },
      { server: 'module.prod:vault' },
    ]);
  });

  test('a configuration’s own namespace is the start of its resources’', () => {
    const rest = configuration({ vault: {}, 'vault.team': { namespace: { constant_value: 'team/' } } }, [
      at('vault_policy.a', 'vault'),
      at('vault_policy.b', 'vault.team'),
    ]);
    const inner = entry('vault_policy.b', { after: { ...policy('b'), namespace: 'sub' } });
    expect(composed([one, inner], rest).map(({ place }) => place)).toEqual([{}, { namespace: 'team/sub' }]);
  });

  test('a module that was given a configuration has it, whatever its instances are called', () => {
    const module = { team: { module: { resources: [at('vault_policy.a', 'module.team:vault.dev')] } } };
    const rest = configuration(
      { 'vault.dev': address('https://dev'), 'vault.prod': address('https://prod') },
      [at('vault_policy.b', 'vault.prod')],
      module,
    );
    const inside = {
      ...entry('vault_policy.a', { after: policy('a') }),
      address: 'module.team["x.y"].vault_policy.a',
    };
    expect(composed([inside, other], rest).map(({ place }) => place)).toEqual([
      { server: 'vault.dev' },
      { server: 'vault.prod' },
    ]);
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
