import { expect, test } from '@jest/globals';
import { ask, expectRefused } from '../../../harness/ask.ts';
import { describeOnBothServers } from '../../../harness/two-servers.ts';

const text = 'path "a" { capabilities = ["read"] }';

// openbao/openbao vault/logical_system_namespaces.go
describeOnBothServers('namespaces', (server) => {
  const call = (method: string, path: string, namespace?: string, body?: object, token?: string) =>
    ask(server(), { method, path, namespace, body, token });
  let made = 0;
  async function newNamespace(parent?: string): Promise<string> {
    const name = `team${made++}`;
    await call('POST', `sys/namespaces/${name}`, parent, {});
    return name;
  }

  test('are made, read and listed, one in another', async () => {
    const outer = await newNamespace();
    const inner = await newNamespace(outer);
    const [read, list] = await Promise.all([
      call('GET', `sys/namespaces/${inner}`, outer),
      call('LIST', 'sys/namespaces', outer),
    ]);
    expect(read.body.data).toMatchObject({ path: `${outer}/${inner}/`, custom_metadata: {} });
    expect(list.body.data.keys).toEqual([`${inner}/`]);
  });

  test('what is written in one is not in another', async () => {
    const [one, other] = [await newNamespace(), await newNamespace()];
    await call('POST', 'sys/policies/acl/p', one, { policy: text });
    expect((await call('GET', 'sys/policies/acl/p', one)).status).toBe(200);
    expectRefused(await call('GET', 'sys/policies/acl/p', other), 404);
    expectRefused(await call('GET', 'sys/policies/acl/p'), 404);
  });

  test('may stand at the beginning of the path instead', async () => {
    const name = await newNamespace();
    await call('POST', `${name}/sys/policies/acl/p`, undefined, { policy: text });
    expect((await call('GET', 'sys/policies/acl/p', name)).status).toBe(200);
  });

  test('one that is not there is told so', async () => {
    expectRefused(await call('GET', 'sys/policies/acl/default', 'nowhere'), 404, 'namespace not found');
  });

  test('a token is good in its namespace and below, by the policies of its own', async () => {
    const outer = await newNamespace();
    const inner = await newNamespace(outer);
    const policy = `path "${inner}/sys/policies/acl/*" { capabilities = ["read"] }`;
    await call('POST', 'sys/policies/acl/below', outer, { policy });
    const made = await call('POST', 'auth/token/create', outer, { policies: ['below'] });
    const token = made.body.auth.client_token;
    const read = (namespace?: string) => call('GET', 'sys/policies/acl/default', namespace, undefined, token);
    const statuses = [await read(`${outer}/${inner}`), await read(outer), await read()].map(
      ({ status }) => status,
    );
    expect(statuses).toEqual([200, 403, 403]);
  });

  test('is not deleted while there are others in it', async () => {
    const outer = await newNamespace();
    await newNamespace(outer);
    const error = 'unable to delete namespace containing child namespaces';
    expectRefused(await call('DELETE', `sys/namespaces/${outer}`), 400, error);
  });

  test.each([
    ['a/b', 'namespace name cannot contain /'],
    ['root', '"root/" is a reserved path and cannot be used as a namespace name'],
    ['sys', '"sys/" is a reserved path and cannot be used as a namespace name'],
    ['a%20b', '"a b" contains space characters that cannot be used in a namespace name'],
  ])('%s is no name', async (name, error) => {
    expectRefused(await call('POST', `sys/namespaces/${name}`, undefined, {}), 400, error);
  });
});
