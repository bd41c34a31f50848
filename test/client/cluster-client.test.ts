import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { ClusterClient } from '../../client/cluster-client.ts';
import { readKubeconfig } from '../../client/kubeconfig.ts';
import { listen } from '../../web/listen.ts';
import { type Scripted, startClusterDouble } from '../harness/doubles/cluster.ts';

const path = '/api/v1/namespaces/shop/serviceaccounts/web';
const closing: { close(): void }[] = [];
afterEach(() => {
  for (const open of closing.splice(0)) open.close();
});
async function clientOf(scripted: Scripted) {
  const double = await startClusterDouble(() => scripted);
  const client = new ClusterClient(readKubeconfig({ kubeconfig: double.kubeconfig }, {}));
  closing.push(client, double);
  return { client, double };
}

describe('what a cluster answers', () => {
  test('an object that is not there is undefined', async () => {
    const { client } = await clientOf({ status: 404 });
    expect(await client.get(path)).toBeUndefined();
    await client.delete(path);
  });

  test('a 404 that is not about an object is an error: a wrong server would make everything look gone', async () => {
    const { client } = await clientOf({ status: 404, body: { error: 'no such page' } });
    await expect(client.get(path)).rejects.toMatchObject({ code: 'cluster_refused' });
  });

  test('a success that is no object is an error', async () => {
    const { client } = await clientOf({ status: 200, body: [] });
    await expect(client.get(path)).rejects.toMatchObject({ code: 'cluster_refused' });
  });

  test('a refusal has the words of the cluster, and never the token', async () => {
    const { client, double } = await clientOf({ status: 403, message: 'u cannot get it' });
    await expect(client.get(path)).rejects.toMatchObject({
      code: 'cluster_forbidden',
      message: expect.stringContaining('context double refuses GET'),
    });
    await expect(client.get(path)).rejects.toThrow('u cannot get it');
    await expect(client.get(path)).rejects.not.toThrow('hush');
    expect(double.asked[0]?.authorization).toBe('Bearer hush');
  });

  test('credentials that it does not accept are to be made anew', async () => {
    const { client } = await clientOf({ status: 401, message: 'Unauthorized' });
    await expect(client.get(path)).rejects.toThrow('Sign in to the cluster again');
  });
});

test('a cluster may be below a path of its server', async () => {
  const { client, double } = await clientOf({ status: 200, body: {} });
  const below = new ClusterClient({ ...client.access, server: `${client.access.server}/k8s/c-1/` });
  closing.push(below);
  await below.get('/version');
  expect(double.asked[0]?.line).toBe('GET /k8s/c-1/version');
});

test('server-side apply names its manager and takes the fields over; a dry run says so', async () => {
  const { client, double } = await clientOf({ status: 200, body: {} });
  await client.apply(path, { kind: 'ServiceAccount' }, 'gatehouse');
  await client.apply(path, { kind: 'ServiceAccount' }, 'gatehouse', true);
  expect(double.asked.map(({ line, type }) => [line, type])).toEqual([
    [`PATCH ${path}?fieldManager=gatehouse&force=true`, 'application/apply-patch+yaml'],
    [`PATCH ${path}?fieldManager=gatehouse&force=true&dryRun=All`, 'application/apply-patch+yaml'],
  ]);
});

test('a cluster that is not there is named, with what to check', async () => {
  const server: Server = createServer();
  const port = await listen(server, 0);
  server.close();
  const address = `http://127.0.0.1:${port}`;
  const client = new ClusterClient({ context: 'gone', server: address, namespace: 'default' });
  closing.push(client);
  await expect(client.get(path)).rejects.toMatchObject({
    code: 'cluster_unreachable',
    message: expect.stringMatching(/context gone cannot be reached.*127\.0\.0\.1.*Check server/s),
  });
});
