import { expect, test } from '@jest/globals';
import { jwt, pem } from '../../packages/secrets-service/test/conformance/tokens.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { started } from '../harness/started.ts';
import { describeWithHvac, python } from './hvac.ts';

// In this order: what one test makes, those after it use.
describeWithHvac('hvac drives the embedded service', () => {
  const server = started(startEmbeddedService);
  const root = (lines: string, given?: object) => python(server(), lines, given);
  const nobody = (lines: string, given?: object) => python({ address: server().address }, lines, given);

  test('health, and whether it is known', async () => {
    const lines = `
answer = [client.sys.read_health_status(method='GET').get('initialized'), client.is_authenticated(), client.sys.is_sealed()]`;
    expect(await root(lines)).toEqual([true, true, false]);
    expect(await nobody(lines)).toEqual([true, false, false]);
  });

  test('policies', async () => {
    const answer = await root(
      `
client.sys.create_or_update_policy('reader', given['policy'])
client.sys.create_or_update_policy('other', given['policy'])
client.sys.delete_policy('other')
answer = [client.sys.list_policies()['data']['policies'], client.sys.read_policy('reader')['data']['rules']]`,
      {
        policy: 'path "sys/auth" { capabilities = ["read"] }',
      },
    );
    expect(answer).toEqual([['default', 'reader', 'root'], 'path "sys/auth" { capabilities = ["read"] }']);
  });

  test('auth methods', async () => {
    const answer = await root(`
client.sys.enable_auth_method('jwt', path='work', description='workloads')
client.sys.tune_auth_method('work', default_lease_ttl='2h')
client.sys.enable_auth_method('oidc', path='gone')
client.sys.disable_auth_method('gone')
answer = [sorted(client.sys.list_auth_methods()['data']), client.sys.read_auth_method_tuning('work')['data']['default_lease_ttl']]`);
    expect(answer).toEqual([['token/', 'work/'], 7200]);
  });

  test('config and roles', async () => {
    const answer = await root(
      `
jwt = client.auth.jwt
jwt.configure(jwt_validation_pubkeys=[given['pem']], path='work')
for name in ['reader', 'gone']:
    jwt.create_role(name, 'sub', [], bound_audiences=['app'], token_policies=['reader'], token_ttl='1h', groups_claim='groups', path='work')
jwt.delete_role('gone', path='work')
answer = [jwt.list_roles(path='work')['data']['keys'], jwt.read_role('reader', path='work')['data']['token_ttl'], jwt.read_config(path='work')['data']['jwt_validation_pubkeys']]`,
      { pem },
    );
    expect(answer).toEqual([['reader'], 3600, [pem]]);
  });

  test('groups, aliases, and a login that makes a member', async () => {
    const answer = await root(
      `
accessor = client.sys.list_auth_methods()['data']['work/']['accessor']
identity = client.secrets.identity
group = identity.create_or_update_group(name='admins', group_type='external', policies=['admin'])['data']['id']
alias = identity.create_or_update_group_alias(name='provider-admins', mount_accessor=accessor, canonical_id=group)['data']['id']
login = hvac.Client(url=url).auth.jwt.jwt_login('reader', given['jwt'], path='work')['auth']
entity = identity.lookup_entity(alias_name='ann', alias_mount_accessor=accessor)['data']
answer = {
    'policies': login['policies'],
    'member': identity.read_group(group)['data']['member_entity_ids'] == [entity['id']],
    'alias': identity.read_group_alias(alias)['data']['canonical_id'] == group,
    'looked up': identity.lookup_group(name='admins')['data']['id'] == group,
    'listed': [identity.list_groups_by_name()['data']['keys'], len(identity.list_group_aliases()['data']['keys'])],
}`,
      { jwt: jwt({ groups: ['provider-admins'] }) },
    );
    expect(answer).toEqual({
      policies: ['admin', 'default', 'reader'],
      member: true,
      alias: true,
      'looked up': true,
      listed: [['admins'], 1],
    });
  });

  test('a login, and what its token may', async () => {
    const answer = await nobody(
      `
client.auth.jwt.jwt_login('reader', given['jwt'], path='work')
may = client.sys.list_auth_methods()['data']
try:
    client.sys.list_policies()
except hvac.exceptions.Forbidden as error:
    answer = ['work/' in may, error.errors]`,
      { jwt: jwt({ groups: [] }) },
    );
    expect(answer).toEqual([true, ['1 error occurred:\n\t* permission denied\n\n']]);
  });

  test('a login that is refused', async () => {
    const answer = await nobody(
      `
client.auth.jwt.jwt_login('reader', given['jwt'], path='work')`,
      { jwt: jwt({ aud: 'other' }) },
    );
    expect(answer).toEqual({
      refused: 'InvalidRequest',
      errors: [expect.stringContaining('invalid audience (aud) claim')],
    });
  });

  test('entities and their aliases', async () => {
    const answer = await root(`
accessor = client.sys.list_auth_methods()['data']['work/']['accessor']
identity = client.secrets.identity
bob = identity.create_or_update_entity('bob', metadata={'team': 'one'}, policies=['reader'])['data']['id']
alias = identity.create_or_update_entity_alias('bob', bob, accessor)['data']['id']
identity.update_entity(bob, name='rob')
answer = [
    identity.read_entity(bob)['data']['name'],
    identity.read_entity_by_name('rob')['data']['metadata'],
    identity.read_entity_alias(alias)['data']['canonical_id'] == bob,
    bob in identity.list_entities(method='LIST')['data']['keys'],
    alias in identity.list_entity_aliases(method='LIST')['data']['keys'],
]
identity.delete_entity_alias(alias)
identity.delete_entity(bob)
answer.append(client.secrets.identity.lookup_entity(name='rob').status_code)`);
    expect(answer).toEqual(['rob', { team: 'one' }, true, true, true, 204]);
  });

  test('tokens', async () => {
    const answer = await root(`
tokens = client.auth.token
made = tokens.create(policies=['reader'], ttl='1h', meta={'a': 'b'}, renewable=True)['auth']
other = hvac.Client(url=url, token=made['client_token']).auth.token
answer = {
    'looked up': other.lookup_self()['data']['meta'],
    'by accessor': tokens.lookup_accessor(made['accessor'])['data']['policies'],
    'renewed': other.renew_self(increment='2h')['auth']['lease_duration'],
    'listed': made['accessor'] in tokens.list_accessors()['data']['keys'],
    'orphan': tokens.create_orphan(policies=['reader'])['auth']['orphan'],
    'batch': tokens.create(policies=['reader'], type='batch')['auth']['token_type'],
}
tokens.revoke_accessor(made['accessor'])
try:
    other.lookup_self()
except hvac.exceptions.Forbidden:
    answer['revoked'] = True`);
    expect(answer).toEqual({
      'looked up': { a: 'b' },
      'by accessor': ['default', 'reader'],
      renewed: 7200,
      listed: true,
      orphan: true,
      batch: 'batch',
      revoked: true,
    });
  });

  test('capabilities, paths of its own, and headers that it names', async () => {
    const answer = await root(`
import requests
namespace = client.sys.create_namespace('team')
inside = hvac.Client(url=url, token=token, namespace='team')
inside.sys.enable_auth_method('jwt')
bearer = requests.get(url + '/v1/auth/token/lookup-self', headers={'Authorization': 'Bearer ' + token, 'X-Vault-Request': 'true'})
answer = [
    client.sys.get_capabilities(['sys/auth'])['data']['capabilities'],
    client.read('sys/policies/acl/reader')['data']['name'],
    client.list('sys/policies/acl')['data']['keys'],
    sorted(inside.sys.list_auth_methods()['data']),
    bearer.status_code,
]`);
    expect(answer).toEqual([['root'], 'reader', ['default', 'reader', 'root'], ['jwt/', 'token/'], 200]);
  });

  test('custom messages, which it has no methods for', async () => {
    const answer = await root(`
path = 'sys/config/ui/custom-messages'
made = client.write_data(path, data={'title': 'T', 'message': 'aGk=', 'start_time': '2026-01-01T00:00:00Z'})['data']['id']
answer = [client.read(path + '/' + made)['data']['title'], client.list(path)['data']['keys'] == [made]]`);
    expect(answer).toEqual(['T', true]);
  });
});
