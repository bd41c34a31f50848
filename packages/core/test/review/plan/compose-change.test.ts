import { describe, expect, test } from '@jest/globals';
import {
  aliasAt,
  compose,
  composed,
  entry,
  group,
  groupAt,
  methodAt,
  role,
  roleAt,
  same,
  staff,
} from './terraform.ts';

const hanging = { name: '/admins', mount_accessor: 'acc' };

describe('how an alias finds its method and its group', () => {
  test('not at all where nothing says so: it cannot be judged', () => {
    const newGroup = { after: { name: 'admins', type: 'external' }, after_unknown: { id: true } };
    const unowned = entry(aliasAt, { after: hanging, after_unknown: { canonical_id: true } });
    const { unknown } = compose([entry(methodAt, same(staff)), entry(groupAt, newGroup), unowned]);
    expect(unknown).toEqual([{ type: 'alias', name: aliasAt }]);
  });

  test('by the accessor that a data source has read', () => {
    const read = (type: string, values: object) => ({ mode: 'data', type, values });
    const resources = [
      read('vault_auth_backend', { accessor: 'x', path: 'partners' }),
      read('vault_identity_group', { id: 'y', group_name: 'g' }),
    ];
    const { after } = compose(
      [entry(aliasAt, { after: { ...hanging, mount_accessor: 'x', canonical_id: 'y' } })],
      { prior_state: { values: { root_module: { resources } } } },
    );
    expect(after.aliases).toEqual([{ name: '/admins', method: 'partners', group: 'g' }]);
  });
});

test('two resources that write the same role cannot be judged', () => {
  const both = ['one', 'two'].map((name) => entry(`vault_jwt_auth_backend_role.${name}`, { after: role }));
  expect(compose(both).unknown).toEqual([{ type: 'role', name: 'r', method: 'ci' }]);
});

test('each namespace is a change of its own', () => {
  const policy = (name: string, namespace: string | null) =>
    entry(`vault_policy.${name}`, { after: { name, policy: '', namespace } });
  const found = composed([policy('a', null), policy('b', 'team/'), policy('c', 'team')]);
  expect(found.map(({ place, change }) => [place, change.after.policies.map(({ name }) => name)])).toEqual([
    [{}, ['a']],
    [{ namespace: 'team' }, ['b', 'c']],
  ]);
});

test('a client secret that changes is told, and not kept', () => {
  const [before, after] = ['old-secret', 'new-secret'].map((secret) => ({
    ...staff,
    oidc_client_secret: secret,
  }));
  const found = compose([entry(methodAt, { before: before!, after: after! })]);
  expect(found.rotated).toEqual([{ type: 'method', name: 'staff', field: 'oidcClientSecret' }]);
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
    expect(compose([entry(`${type}.m`, { after })]).after.messages).toEqual([
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
  const bounded = { ...role, bound_claims: { g: 'a,b' } };
  const bound = (after: object) => compose([entry(roleAt, { after })]).after.roles[0]?.boundClaims;
  expect(bound(bounded)).toEqual({ g: ['a', 'b'] });
  expect(bound({ ...bounded, disable_bound_claims_parsing: true })).toEqual({ g: 'a,b' });
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
  const servers = { 'vault.dev': address('https://dev'), 'vault.prod': address('https://prod') };
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
    const rest = configuration(servers, [at('vault_policy.b', 'vault.prod')]);
    const gone = entry('vault_policy.gone', { before: policy('gone') });
    const unknown = composed([gone, other], rest).flatMap(({ change }) => change.unknown);
    expect(unknown).toEqual([{ type: 'policy', name: 'vault_policy.gone' }]);
  });

  test('an accessor that two servers have is lost on one of them only', () => {
    const [dev, prod] = ['vault_jwt_auth_backend.dev', 'vault_jwt_auth_backend.prod'];
    const inProd = [prod, groupAt, aliasAt].map((one) => at(one, 'vault.prod'));
    const rest = configuration(servers, [at(dev, 'vault.dev'), ...inProd]);
    const changes = [
      ...[entry(dev, { before: staff }), entry(prod, same(staff)), entry(groupAt, same(group))],
      entry(aliasAt, same({ ...hanging, canonical_id: 'gid' })),
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
