import { describe, expect, test } from '@jest/globals';
import { aliasAt, compose, composed, groupAt, unknownIn } from './terraform.ts';

describe('how an alias finds its method and its group', () => {
  test('not at all where nothing says so: it cannot be judged', () => {
    const found = compose('method staff\n + group admins id?\n + alias /admins staff admins canonical_id?');
    expect(unknownIn(found)).toEqual(['alias vault_identity_group_alias.admins']);
  });

  test('by the accessor that a data source has read', () => {
    const read = (type: string, values: object) => ({ mode: 'data', type, values });
    const resources = [
      read('vault_auth_backend', { accessor: 'acc-x', path: 'partners' }),
      read('vault_identity_group', { id: 'id-y', group_name: 'g' }),
    ];
    const prior_state = { values: { root_module: { resources } } };
    const { after } = compose('+ alias /admins x y', { prior_state });
    expect(after.aliases).toEqual([{ name: '/admins', method: 'partners', group: 'g' }]);
  });
});

test('two resources that write the same role cannot be judged', () => {
  expect(unknownIn(compose('+ role@one r a\n + role@two r a'))).toEqual(['role ci/r']);
});

test('each namespace is a change of its own', () => {
  const found = composed(`
    + policy.a name: a, policy: ''
    + policy.b name: b, policy: '', namespace: team/
    + policy.c name: c, policy: '', namespace: team`);
  expect(found.map(({ place, change }) => [place, change.after.policies.map(({ name }) => name)])).toEqual([
    [{}, ['a']],
    [{ namespace: 'team' }, ['b', 'c']],
  ]);
});

test('a client secret that changes is told, and not kept', () => {
  const found = compose('~ method staff oidc_client_secret: old-secret → oidc_client_secret: new-secret');
  expect(found.rotated).toEqual([{ type: 'method', name: 'staff', field: 'oidcClientSecret' }]);
  expect(JSON.stringify(found)).not.toMatch(/old-secret|new-secret/);
});

test.each(['vault_config_ui_custom_message', 'vault_config_ui_custom_messages', 'vault_ui_custom_message'])(
  'a message is read under the name %s',
  (type) => {
    const link = { More: 'https://example.com' };
    const { messages } = compose(
      `+ ${type.replace('vault_', '')}.m title: Hello, message_base64: SGVsbG8=,
      type: modal, authenticated: false, start_time: '2026-12-01T01:00:00+01:00',
      link: [{title: More, href: 'https://example.com'}]`,
    ).after;
    expect(messages).toEqual([
      {
        title: 'Hello',
        message: 'Hello',
        type: 'modal',
        authenticated: false,
        link,
        startTime: '2026-12-01T00:00:00Z',
      },
    ]);
  },
);

test.each([
  ['', ['a', 'b']],
  [', disable_bound_claims_parsing: true', 'a,b'],
])('bound claims are split at commas, unless the role says not to: "%s"', (parsing, g) => {
  const { roles } = compose(`+ role r a bound_claims: {g: 'a,b'}${parsing}`).after;
  expect(roles[0]?.boundClaims).toEqual({ g });
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
  const address = (value: string) => ({ address: { constant_value: value } });
  const servers = { 'vault.dev': address('https://dev'), 'vault.prod': address('https://prod') };
  test('a configuration’s own namespace is the start of its resources’', () => {
    const rest = configuration({ vault: {}, 'vault.team': { namespace: { constant_value: 'team/' } } }, [
      at('vault_policy.a', 'vault'),
      at('vault_policy.b', 'vault.team'),
    ]);
    const both = "+ policy a\n + policy.b name: b, policy: '', namespace: sub";
    expect(composed(both, rest).map(({ place }) => place)).toEqual([{}, { namespace: 'team/sub' }]);
  });

  test('a resource that is no longer in the configuration may be on either of two servers', () => {
    const rest = configuration(servers, [at('vault_policy.b', 'vault.prod')]);
    const unknown = composed('- policy gone\n + policy b', rest).flatMap(({ change }) => unknownIn(change));
    expect(unknown).toEqual(['policy vault_policy.gone']);
  });

  test('an accessor that two servers have is lost on one of them only', () => {
    const [dev, prod] = ['vault_jwt_auth_backend.dev', 'vault_jwt_auth_backend.prod'];
    const inProd = [prod, groupAt, aliasAt].map((one) => at(one, 'vault.prod'));
    const rest = configuration(servers, [at(dev, 'vault.dev'), ...inProd]);
    const plan = '- method@dev staff\n method@prod staff\n group g p\n alias@a /g staff g';
    expect(composed(plan, rest).map(({ change }) => change.after.aliases.length)).toEqual([0, 1]);
  });

  test('one that moves to another namespace is deleted in one and made in the other', () => {
    const moves = "-/+ policy.a name: a, policy: '', namespace: x → namespace: y";
    const states = composed(moves).map(({ place, change: { before, after, unknown } }) => [
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
    const both = ['x', 'y'].map((one) => `+ policy.${one} name: a, policy: '', namespace: ${one}`).join('\n');
    expect(composed(both).flatMap(({ change }) => change.unknown)).toEqual([]);
  });
});
