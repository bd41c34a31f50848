// The life of a sign-in's token: renewal (vault-plugin-auth-jwt path_login.go, pathLoginRenew; openbao/openbao
// vault/expiration.go), and its method disabled or moved (vault/auth.go).
import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { type Answered, ask } from '../../../harness/ask.ts';
import { describeOnBothServers } from '../../../harness/two-servers.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwt_validation_pubkeys = [publicKey.export({ type: 'spki', format: 'pem' })];
const role = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['app'], groups_claim: 'groups' };
let mounts = 0;

describeOnBothServers('the token of a sign-in', (server) => {
  const call = (method: string, path: string, body?: object, token?: string): Promise<Answered> =>
    ask(server(), { method, path, body, token });
  let mount: string;
  let accessor: string;
  beforeEach(async () => {
    mount = `staff-${mounts++}`;
    await call('POST', `sys/auth/${mount}`, { type: 'jwt' });
    await call('POST', `auth/${mount}/config`, { jwt_validation_pubkeys });
    await call('POST', `auth/${mount}/role/r`, { ...role, token_ttl: '10m' });
    accessor = (await call('GET', `sys/auth/${mount}`)).body.data.accessor;
  });

  async function signIn(groups: string[] = [], name = 'r', sub = 'ann') {
    const jwt = await new SignJWT({ sub, aud: 'app', groups })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);
    const { body } = await call('POST', `auth/${mount}/login`, { role: name, jwt });
    return body.auth as { client_token: string; accessor: string; entity_id: string };
  }
  type Session = Pick<Awaited<ReturnType<typeof signIn>>, 'client_token'>;
  const renew = ({ client_token }: Session, increment?: string) =>
    call('POST', 'auth/token/renew-self', { increment }, client_token);
  const lookup = ({ client_token }: Session) =>
    call('GET', 'auth/token/lookup-self', undefined, client_token);
  const status = async (session: Session) => (await lookup(session)).status;
  const identityPolicies = async (session: Session) =>
    (await lookup(session)).body.data.identity_policies ?? [];

  async function externalGroup(policy: string, alias: string): Promise<string> {
    const group = { type: 'external', policies: [policy] };
    const { id } = (await call('POST', 'identity/group', group)).body.data;
    const body = { name: alias, mount_accessor: accessor, canonical_id: id };
    return (await call('POST', 'identity/group-alias', body)).body.data.id;
  }

  test('lives on at a renewal as its role says then, with the policies it had', async () => {
    const session = await signIn();
    const policies = ['other'];
    await call('POST', `auth/${mount}/role/r`, { ...role, token_ttl: '20m', token_policies: policies });
    const { auth } = (await renew(session)).body;
    expect([auth.lease_duration, auth.policies]).toEqual([1200, ['default']]);
  });

  test('lives no longer than its role allows when it is renewed', async () => {
    const session = await signIn();
    await call('POST', `auth/${mount}/role/r`, { ...role, token_max_ttl: '30m' });
    const { auth, warnings } = (await renew(session, '5h')).body;
    expect(auth.lease_duration).toBeGreaterThan(1790);
    expect(auth.lease_duration).toBeLessThanOrEqual(1800);
    expect(warnings).toEqual([
      'TTL of "5h" exceeded the effective max_ttl of "30m"; TTL value is capped accordingly',
    ]);
  });

  test('takes the period that its role has when it is renewed', async () => {
    const session = await signIn();
    await call('POST', `auth/${mount}/role/r`, { ...role, token_period: '15m' });
    expect((await renew(session, '5h')).body).toMatchObject({
      auth: { lease_duration: 900 },
      warnings: null,
    });
  });

  test('is not renewed once its role is gone', async () => {
    const session = await signIn();
    await call('DELETE', `auth/${mount}/role/r`);
    const why = '1 error occurred:\n\t* failed to renew entry: role r does not exist during renewal\n\n';
    const refused = { status: server().kind === 'embedded' ? 400 : 500, body: { errors: [why] } };
    expect(await renew(session)).toEqual(refused);
    const { accessor } = session;
    expect(await call('POST', 'auth/token/renew-accessor', { accessor })).toEqual(refused);
  });

  test('brings its groups back when it is renewed', async () => {
    await externalGroup('of-team', 'team');
    const session = await signIn(['team']);
    await signIn([]);
    const left = await identityPolicies(session);
    await renew(session);
    expect([left, await identityPolicies(session)]).toEqual([[], ['of-team']]);
  });

  test('leaves at its renewal a group whose alias is gone', async () => {
    const alias = await externalGroup('of-team', 'team');
    const session = await signIn(['team']);
    await call('DELETE', `identity/group-alias/id/${alias}`);
    const before = await identityPolicies(session);
    await renew(session);
    expect([before, await identityPolicies(session)]).toEqual([['of-team'], []]);
  });

  test('does not join at its renewal a group that got its alias after the sign-in', async () => {
    const session = await signIn(['team']);
    await externalGroup('of-team', 'team');
    await renew(session);
    expect(await identityPolicies(session)).toEqual([]);
  });

  /** OpenBao revokes in the background. */
  async function revoked(session: Session): Promise<boolean> {
    for (let tries = 0; tries < 100; tries += 1) {
      if ((await status(session)) === 403) return true;
      await sleep(50);
    }
    return false;
  }

  test.each([
    ['disabled', () => call('DELETE', `sys/auth/${mount}`)],
    ['moved', () => call('POST', 'sys/remount', { from: `auth/${mount}`, to: `auth/${mount}-moved` })],
  ])('is revoked with what it made when its method is %s; a batch token lives on', async (_, change) => {
    const policy = 'path "auth/token/create" { capabilities = ["update"] }';
    await call('POST', 'sys/policies/acl/maker', { policy });
    await call('POST', `auth/${mount}/role/maker`, { ...role, token_policies: ['maker'] });
    await call('POST', `auth/${mount}/role/batch`, { ...role, token_type: 'batch' });
    const session = await signIn([], 'maker');
    const child = (await call('POST', 'auth/token/create', {}, session.client_token)).body.auth;
    const batch = await signIn([], 'batch');
    const other = (await call('POST', 'auth/token/create', {})).body.auth;
    const all = [session, child, batch, other];
    const before = await Promise.all(all.map(status));
    await change();
    const gone = [await revoked(session), await revoked(child)];
    expect([before, gone]).toEqual([
      [200, 200, 200, 200],
      [true, true],
    ]);
    expect([await status(batch), await status(other)]).toEqual([200, 200]);
  });

  test('the aliases on a method that was disabled stay, without their mount', async () => {
    const alias = await externalGroup('of-team', 'team');
    const { entity_id } = await signIn(['team']);
    await call('DELETE', `sys/auth/${mount}`);
    const group = (await call('GET', `identity/group-alias/id/${alias}`)).body.data;
    const [own] = (await call('GET', `identity/entity/id/${entity_id}`)).body.data.aliases;
    expect([group.mount_accessor, group.mount_path ?? '']).toEqual([accessor, '']);
    expect([own.mount_accessor, own.mount_path ?? '']).toEqual([accessor, '']);
  });

  test.each([
    ['create', 204, 403],
    ['update', 403, 204],
  ])(
    'who may %s alone: a role that is new is answered with %i, one that is there with %i',
    async (capability, first, later) => {
      const policy = `path "auth/${mount}/role/*" { capabilities = ["${capability}"] }`;
      await call('POST', `sys/policies/acl/${mount}`, { policy });
      const { client_token } = (await call('POST', 'auth/token/create', { policies: [mount] })).body.auth;
      const write = async (name: string) =>
        (await call('POST', `auth/${mount}/role/${name}`, role, client_token)).status;
      expect([await write('New'), await write('R')]).toEqual([first, later]);
    },
  );
});
