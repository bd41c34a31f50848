import { expect, test } from '@jest/globals';
import { ask, expectRefused } from '../../../harness/ask.ts';
import { describeOnBothServers } from '../../../harness/two-servers.ts';

const text = 'path "a/*" { capabilities = ["read"] }';

// openbao/openbao vault/logical_system.go, `handlePoliciesSet` and the functions around it
describeOnBothServers('policies', (server) => {
  const call = (method: string, path: string, body?: object, token?: string) =>
    ask(server(), { method, path, body, token });

  test('what is written is read, under a name in lower case', async () => {
    const { status } = await call('POST', 'sys/policies/acl/Some', { policy: text });
    const { body } = await call('GET', 'sys/policies/acl/SOME');
    expect([status, body.data]).toMatchObject([204, { name: 'some', policy: text }]);
  });

  test('the older path calls the text rules', async () => {
    await call('PUT', 'sys/policy/older', { rules: text });
    expect((await call('GET', 'sys/policy/older')).body.data).toMatchObject({ name: 'older', rules: text });
  });

  test('a text may come base64 encoded', async () => {
    await call('POST', 'sys/policies/acl/coded', { policy: Buffer.from(text).toString('base64') });
    expect((await call('GET', 'sys/policies/acl/coded')).body.data.policy).toBe(text);
  });

  test('a policy that was deleted is gone', async () => {
    await call('POST', 'sys/policies/acl/gone', { policy: text });
    expect((await call('DELETE', 'sys/policies/acl/gone')).status).toBe(204);
    expectRefused(await call('GET', 'sys/policies/acl/gone'), 404);
  });

  test('the list has default and root', async () => {
    const { body } = await call('LIST', 'sys/policies/acl');
    expect(body.data.keys).toEqual(expect.arrayContaining(['default', 'root']));
  });

  test.each([
    ['DELETE', 'default', undefined, 'cannot delete default policy'],
    ['DELETE', 'root', undefined, 'cannot delete "root" policy'],
    ['POST', 'root', { policy: text }, 'cannot update "root" policy'],
    ['POST', 'x', {}, "'policy' parameter not supplied or empty"],
    ['POST', 'x', { policy: '' }, "'policy' parameter not supplied or empty"],
    [
      'POST',
      'x',
      { policy: 'path "a" { capabilities = ["red"] }' },
      'failed to parse policy: path "a": path "a": invalid capability "red"',
    ],
    [
      'POST',
      'x',
      { policy: 'path "a" { foo = 1 }' },
      'failed to parse policy: path "a": 1 error occurred:\n\t* invalid key "foo" on line 1\n\n',
    ],
    [
      'POST',
      'x',
      { policy: 'path "a/+*" { capabilities = ["read"] }' },
      'failed to parse policy: path "a/+*": path "a/+*": invalid use of wildcards (\'+*\' is forbidden)',
    ],
  ])('%s %s with %j is refused', async (method, name, body, error) => {
    expectRefused(await call(method, `sys/policies/acl/${name}`, body), 400, error);
  });

  const abilities = `
    path "sys/policies/acl/*" { capabilities = ["read"] }
    path "sys/policies/acl/shut" { capabilities = ["deny"] }
    path "sys/auth/+" { capabilities = ["read", "update"] }
    path "sys/auth/with-sudo" { capabilities = ["update", "sudo"] }
    path "sys/folder/" { capabilities = ["list"] }
    path "identity/group" { capabilities = ["update"] allowed_parameters = { "name" = ["team-*"] } }
  `;
  async function limitedToken(): Promise<string> {
    await call('POST', 'sys/policies/acl/limited', { policy: abilities });
    return (await call('POST', 'auth/token/create', { policies: ['limited'] })).body.auth.client_token;
  }
  const denied = '1 error occurred:\n\t* permission denied\n\n';

  test.each([
    ['GET', 'sys/policies/acl/default', undefined, 200],
    ['GET', 'sys/policies/acl/shut', undefined, 403],
    ['LIST', 'sys/policies/acl', undefined, 403],
    ['POST', 'sys/policies/acl/new', { policy: text }, 403],
    ['POST', 'sys/auth/no-sudo', { type: 'jwt' }, 403],
    ['POST', 'sys/auth/with-sudo', { type: 'jwt' }, 204],
    ['POST', 'identity/group', { name: 'team-a' }, 200],
    ['POST', 'identity/group', { name: 'other' }, 403],
    ['POST', 'identity/group', { name: 'team-b', policies: ['x'] }, 403],
    ['GET', 'auth/token/lookup-self', undefined, 200],
    ['GET', 'nothing/here', undefined, 403],
  ])('%s %s %j with a limited token is answered with %i', async (method, path, body, status) => {
    const answer = await call(method, path, body, await limitedToken());
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body).toEqual({ errors: [denied] });
  });

  test('a change of a policy takes effect at once', async () => {
    const token = await limitedToken();
    await call('POST', 'sys/policies/acl/limited', { policy: text });
    expect((await call('GET', 'sys/policies/acl/default', undefined, token)).status).toBe(403);
  });

  test('one may ask what one may do', async () => {
    const paths = ['sys/policies/acl/x', 'sys/policies/acl/shut', 'sys/auth/with-sudo', 'elsewhere'];
    const { body } = await call('POST', 'sys/capabilities-self', { paths }, await limitedToken());
    expect(body.data).toEqual({
      'sys/policies/acl/x': ['read'],
      'sys/policies/acl/shut': ['deny'],
      'sys/auth/with-sudo': ['sudo', 'update'],
      elsewhere: ['deny'],
    });
    const written = ['//sys/auth/with-sudo', 'sys/auth/with-sudo/', 'sys/folder', 'sys/folder/', ''];
    const askAbout = async (given: string[]) =>
      call('POST', 'sys/capabilities-self', { paths: given }, await limitedToken());
    const { data } = (await askAbout(written.slice(0, -1))).body;
    expect(Object.values(data)).toEqual([['sudo', 'update'], ['sudo', 'update'], ['deny'], ['list']]);
    expectRefused(await askAbout(written), 400, '1 error occurred:\n\t* missing path\n\n');
  });

  test('asking about no path is refused', async () => {
    expectRefused(await call('POST', 'sys/capabilities-self', {}), 400, 'paths must be supplied');
  });
});
