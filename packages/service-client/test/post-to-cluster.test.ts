import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Scripted, startClusterDouble } from '../../../test/harness/doubles/cluster.ts';
import { listen } from '../../host/src/listen.ts';
import { readKubeconfig } from '../src/kubeconfig.ts';
import { postToCluster } from '../src/post-to-cluster.ts';

const path = '/api/v1/namespaces/shop/serviceaccounts/web/token';
const closing: { close(): void }[] = [];
afterEach(() => {
  for (const server of closing.splice(0)) server.close();
});
async function clusterOf(scripted: Scripted | undefined) {
  const double = await startClusterDouble(() => scripted);
  closing.push(double);
  const access = readKubeconfig({ kubeconfig: double.kubeconfig }, {});
  return { double, access, post: () => postToCluster(access, path, { kind: 'TokenRequest' }) };
}

describe('what a cluster answers', () => {
  test('the object that it made', async () => {
    const { post, double } = await clusterOf({ status: 201, body: { status: { token: 't' } } });
    expect(await post()).toEqual({ status: { token: 't' } });
    expect(double.asked).toMatchObject([{ line: `POST ${path}`, body: { kind: 'TokenRequest' } }]);
  });

  test('that what is named is not there is undefined', async () => {
    const { post } = await clusterOf(undefined);
    expect(await post()).toBeUndefined();
  });

  test('a 404 that is not about an object is an error: a wrong server would make everything look gone', async () => {
    const { post } = await clusterOf({ status: 404, body: { error: 'no such page' } });
    await expect(post()).rejects.toMatchObject({ code: 'cluster_refused' });
  });

  test('a success that is no object is an error', async () => {
    const { post } = await clusterOf({ status: 200, body: [] });
    await expect(post()).rejects.toMatchObject({ code: 'cluster_refused' });
  });

  test('a refusal has the words of the cluster, and never the token', async () => {
    const { post, double } = await clusterOf({ status: 403, message: 'u cannot create it' });
    const refusal = await post().catch((error) => error);
    expect(refusal.code).toBe('cluster_forbidden');
    expect(refusal.message).toMatch(/context double refuses POST .*: u cannot create it/);
    expect(refusal.message).not.toContain('hush');
    expect(double.asked[0]?.authorization).toBe('Bearer hush');
  });

  test('credentials that it does not accept are to be made anew', async () => {
    const { post } = await clusterOf({ status: 401, message: 'Unauthorized' });
    await expect(post()).rejects.toThrow('Sign in to the cluster again');
  });
});

test('a cluster may be below a path of its server', async () => {
  const { access, double } = await clusterOf({ status: 200, body: {} });
  await postToCluster({ ...access, server: `${access.server}/k8s/c-1/` }, '/version', {});
  expect(double.asked[0]?.line).toBe('POST /k8s/c-1/version');
});

test('a cluster that is not there is named, with what to check', async () => {
  const server = createServer();
  const port = await listen(server, 0);
  server.close();
  const access = { context: 'gone', server: `http://127.0.0.1:${port}` };
  await expect(postToCluster(access, path, {})).rejects.toMatchObject({
    code: 'cluster_unreachable',
    message: expect.stringMatching(/context gone cannot be reached.*127\.0\.0\.1.*Check server/s),
  });
});
