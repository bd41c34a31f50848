import { expect, test } from '@jest/globals';
import { ask, expectRefused } from '../../../harness/ask.ts';
import { describeOnBothServers } from '../../../harness/two-servers.ts';

const denied = '1 error occurred:\n\t* permission denied\n\n';

// openbao/openbao vault/token_store.go
describeOnBothServers('tokens', (server) => {
  const call = (method: string, path: string, body?: object, token?: string) =>
    ask(server(), { method, path: `auth/token/${path}`, body, token });
  const create = async (body: object = {}, token?: string) =>
    (await call('POST', 'create', { policies: ['default'], ...body }, token)).body.auth;

  /** A token that may create tokens, with or without sudo. */
  async function maker(sudo: boolean): Promise<string> {
    const name = sudo ? 'maker-sudo' : 'maker';
    const extra = sudo ? ', "sudo"' : '';
    const policy = `path "auth/token/*" { capabilities = ["create", "read", "update"${extra}] }`;
    await ask(server(), { method: 'POST', path: `sys/policies/acl/${name}`, body: { policy } });
    return (await create({ policies: [name] })).client_token;
  }

  test('a token made by root says what it is', async () => {
    const { client_token, accessor, ...rest } = await create({ ttl: '1h', meta: { a: 'b' } });
    expect([typeof client_token, typeof accessor]).toEqual(['string', 'string']);
    expect(rest).toEqual({
      policies: ['default'],
      token_policies: ['default'],
      metadata: { a: 'b' },
      lease_duration: 3600,
      renewable: true,
      entity_id: '',
      token_type: 'service',
      orphan: false,
      mfa_requirement: null,
      num_uses: 0,
    });
  });

  test('a token can be looked up by itself, by the token and by the accessor, which does not tell the token', async () => {
    const { client_token: token, accessor } = await create({ ttl: '1h', display_name: 'a b' });
    const [self, other, by] = await Promise.all([
      call('GET', 'lookup-self', undefined, token),
      call('POST', 'lookup', { token }),
      call('POST', 'lookup-accessor', { accessor }),
    ]);
    expect(self.body.data).toMatchObject({ id: token, accessor, display_name: 'token-a-b' });
    // Seconds may pass in between.
    const same = { ...self.body.data, ttl: expect.any(Number) };
    expect(other.body.data).toEqual(same);
    expect(by.body.data).toEqual({ ...same, id: '' });
  });

  test.each([
    ['lookup', 403, 'bad token'],
    ['renew', 400, 'token not found'],
    ['revoke-orphan', 400, 'token to revoke not found'],
  ])('%s of a token that is not there', async (path, status, error) => {
    expectRefused(await call('POST', path, { token: 'nope' }), status, error);
  });

  test.each([
    ['renew', 'missing token ID'],
    ['revoke', 'missing token ID'],
    ['lookup-accessor', '1 error occurred:\n\t* missing accessor\n\n'],
    ['revoke-accessor', '1 error occurred:\n\t* missing accessor\n\n'],
  ])('%s of nothing', async (path, error) => {
    expectRefused(await call('POST', path, {}), 400, error);
  });

  test('revoking what is not there succeeds', async () => {
    expect((await call('POST', 'revoke', { token: 'nope' })).status).toBe(204);
  });

  test.each([
    [{ type: 'x' }, "invalid 'token_type' value"],
    [{ num_uses: -1 }, 'number of uses cannot be negative'],
    [{ ttl: '-1h' }, 'ttl must be positive'],
    [{ id: 'a.b' }, "custom token ID cannot have a '.' in the value"],
    [{ id: 's.b' }, "custom token ID cannot have the 's.' prefix"],
    [{ type: 'batch', num_uses: 1 }, 'batch tokens cannot have "num_uses" set'],
    [{ type: 'batch', period: '1h' }, 'batch tokens cannot have "period" set'],
    [{ type: 'batch', explicit_max_ttl: '1h' }, 'batch tokens cannot have "explicit_max_ttl" set'],
  ])('a token with %j is refused', async (body, error) => {
    expectRefused(await call('POST', 'create', body), 400, error);
  });

  test.each([
    [{ policies: ['other'] }, 'child policies must be subset of parent'],
    [{ policies: ['root'] }, 'child policies must be subset of parent'],
    [{ no_parent: true }, 'root or sudo privileges required to create orphan token'],
    [{ id: 'own' }, 'root or sudo privileges required to specify token id'],
    [{ period: '1h' }, 'root or sudo privileges required to create periodic token'],
  ])('without sudo, a token with %j is refused', async (body, error) => {
    expectRefused(await call('POST', 'create', body, await maker(false)), 400, error);
  });

  test('with sudo any policy can be given but root', async () => {
    const token = await maker(true);
    expect((await create({ policies: ['other'] }, token)).policies).toEqual(['default', 'other']);
    const error = 'root tokens may not be created without parent token being root';
    expectRefused(await call('POST', 'create', { policies: [' ROOT '] }, token), 400, error);
  });

  test('a child has the policies of its parent where none are named', async () => {
    const { auth } = (await call('POST', 'create', {}, await maker(false))).body;
    expect(auth.policies).toEqual(['default', 'maker']);
  });

  test('a token goes with its parent, an orphan does not', async () => {
    const parent = await maker(true);
    const child = (await create({}, parent)).client_token;
    const orphan = (await call('POST', 'create-orphan', { policies: ['default'] }, parent)).body.auth
      .client_token;
    await call('POST', 'revoke', { token: parent });
    expectRefused(await call('GET', 'lookup-self', undefined, child), 403, 'permission denied');
    expect((await call('GET', 'lookup-self', undefined, orphan)).status).toBe(200);
  });

  test('revoke-orphan leaves the children', async () => {
    const parent = await maker(true);
    const child = (await create({}, parent)).client_token;
    await call('POST', 'revoke-orphan', { token: parent });
    const { body } = await call('GET', 'lookup-self', undefined, child);
    expect(body.data.orphan).toBe(true);
  });

  test.each([
    ['revoke-self', () => ({})],
    ['revoke', ({ client_token }: any) => ({ token: client_token })],
    ['revoke-accessor', ({ accessor }: any) => ({ accessor })],
  ])('%s ends a token', async (path, body) => {
    const auth = await create();
    const asked = await call(
      'POST',
      path,
      body(auth),
      path === 'revoke-self' ? auth.client_token : undefined,
    );
    expect(asked.status).toBe(204);
    expectRefused(await call('GET', 'lookup-self', undefined, auth.client_token), 403, 'permission denied');
  });

  test('a token of two uses is good for two', async () => {
    const { client_token: token } = await create({ num_uses: 2 });
    const uses = [];
    for (let use = 0; use < 3; use += 1)
      uses.push((await call('GET', 'lookup-self', undefined, token)).status);
    expect(uses).toEqual([200, 200, 403]);
  });

  test('a use that is refused counts', async () => {
    const { client_token: token } = await create({ num_uses: 1 });
    expectRefused(await call('POST', 'create', {}, token), 403, denied);
    expectRefused(await call('GET', 'lookup-self', undefined, token), 403, 'permission denied');
  });

  test('a renewal is bounded by the explicit longest life, and says so', async () => {
    const { client_token: token } = await create({ ttl: '1h', explicit_max_ttl: '2h' });
    const { body } = await call('POST', 'renew-self', { increment: '100h' }, token);
    // What is left of it: a second may have passed since the token was created.
    expect(body.auth.lease_duration).toBeLessThanOrEqual(7200);
    expect(body.auth.lease_duration).toBeGreaterThan(7100);
    const left =
      /^TTL of "100h" exceeded the effective max_ttl of "(2h|1h5\dm\d*s?)"; TTL value is capped accordingly$/;
    expect(body.warnings).toEqual([expect.stringMatching(left)]);
  });

  test('a periodic token is renewed by its period, whatever is asked for', async () => {
    const { client_token: token } = await create({ period: '1h' });
    const { body } = await call('POST', 'renew-self', { increment: '100h' }, token);
    expect([body.auth.lease_duration, body.warnings]).toEqual([3600, null]);
  });

  test('a token that is not renewable is not renewed', async () => {
    const { client_token: token } = await create({ renewable: false });
    expectRefused(await call('POST', 'renew-self', {}, token), 400, 'lease is not renewable');
  });

  test('a batch token has no accessor, and can neither be renewed nor revoked nor make tokens', async () => {
    const token = await maker(false);
    const { client_token: batch, accessor } = (await call('POST', 'create', { type: 'batch' }, token)).body
      .auth;
    expect(accessor).toBe('');
    expect((await call('GET', 'lookup-self', undefined, batch)).body.data).toMatchObject({
      type: 'batch',
      renewable: false,
    });
    expectRefused(await call('POST', 'renew-self', {}, batch), 400, 'batch tokens cannot be renewed');
    expectRefused(await call('POST', 'revoke-self', {}, batch), 400, 'batch tokens cannot be revoked');
    expectRefused(await call('POST', 'create', {}, batch), 400, 'batch tokens cannot create more tokens');
  });

  test('a batch token goes with its parent', async () => {
    const parent = await maker(true);
    const { client_token: batch } = await create({ type: 'batch' }, parent);
    await call('POST', 'revoke', { token: parent });
    expectRefused(await call('GET', 'lookup-self', undefined, batch), 403, 'permission denied');
  });

  test('a batch token with a letter changed is none', async () => {
    const { client_token: batch } = await create({ type: 'batch' });
    const changed = batch.slice(0, 20) + (batch[20] === 'A' ? 'B' : 'A') + batch.slice(21);
    expectRefused(await call('GET', 'lookup-self', undefined, changed), 403, 'permission denied');
  });
});
