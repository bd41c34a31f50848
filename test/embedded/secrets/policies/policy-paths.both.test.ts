import { expect, test } from '@jest/globals';
import { ask, expectRefused } from '../../../harness/ask.ts';
import { describeOnBothServers } from '../../../harness/two-servers.ts';

const text = 'path "a/*" { capabilities = ["read"] }';

// openbao/openbao vault/logical_system.go. Writing, reading and refusals: test/conformance/scenarios/{policies,acl}.ts.
describeOnBothServers('policies', (server) => {
  const call = (method: string, path: string, body?: object, token?: string) =>
    ask(server(), { method, path, body, token });

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
