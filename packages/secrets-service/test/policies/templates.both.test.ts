import { expect, test } from '@jest/globals';
import { exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { ask } from '../../../../test/harness/ask.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';

/** What a claim says, and what a path of a rule that it fills in, and another path, then answer. */
const values: [value: string, filled: number, other: number][] = [
  ['ok-', 403, 200],
  ['', 200, 200],
  ['a/b', 400, 400],
  ['a*', 400, 400],
  ['+', 400, 400],
];

describeOnBothServers('a template is filled in', (server) => {
  test.each(values)('with %j', async (team, filled, other) => {
    const root = new ServiceClient(server());
    const mount = `people-${values.findIndex(([value]) => value === team)}`;
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    await root.post(`sys/auth/${mount}`, { type: 'jwt' });
    await root.post(`auth/${mount}/config`, { jwt_validation_pubkeys: [await exportSPKI(publicKey)] });
    const methods = await ask(server(), { method: 'GET', path: 'sys/auth' });
    const { accessor } = methods.body.data[`${mount}/`];
    const role = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['app'], token_policies: [mount] };
    await root.put(`auth/${mount}/role/r`, { ...role, claim_mappings: { team: 'team' } });
    const at = `sys/policies/acl/{{identity.entity.aliases.${accessor}.metadata.team}}default`;
    const policy = [at, `sys/policies/acl/${mount}`].map(
      (path) => `path "${path}" { capabilities = ["read"] }`,
    );
    await root.put(`sys/policies/acl/${mount}`, { policy: policy.join('\n') });
    const signed = new SignJWT({ team })
      .setProtectedHeader({ alg: 'ES256' })
      .setAudience('app')
      .setSubject('zoe');
    const jwt = await signed.setIssuedAt().setExpirationTime('5m').sign(privateKey);
    const login = await ask(server(), {
      method: 'POST',
      path: `auth/${mount}/login`,
      body: { role: 'r', jwt },
    });
    const { client_token: token } = login.body.auth;
    const read = async (name: string) =>
      (await ask({ ...server(), token }, { method: 'GET', path: `sys/policies/acl/${name}` })).status;
    expect([await read('default'), await read(mount)]).toEqual([filled, other]);
  });
});
