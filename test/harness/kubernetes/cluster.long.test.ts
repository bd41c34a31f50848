import { expect, test } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { ClusterClient } from '../../../client/cluster-client.ts';
import { readKubeconfig } from '../../../client/kubeconfig.ts';
import { describeWithKubernetes } from './cluster.ts';

describeWithKubernetes('a cluster of the test’s own', 1, (cluster) => {
  test('is the version that is pinned, and a user of a kubeconfig', async () => {
    const client = new ClusterClient(readKubeconfig({ kubeconfig: cluster().kubeconfig() }, {}));
    expect(await client.get('/version')).toMatchObject({ gitVersion: 'v1.36.3' });
    client.close();
  });

  test('gives tokens, and with another key after a rotation, which publishes both', async () => {
    await cluster().makeServiceAccounts('harness', 'one');
    const first = await cluster().token('harness/one', 'secrets');
    expect(decodeJwt(first)).toMatchObject({
      iss: cluster().address,
      aud: ['secrets'],
      sub: 'system:serviceaccount:harness:one',
    });
    await cluster().rotate();
    const second = await cluster().token('harness/one');
    const kid = (token: string) => decodeProtectedHeader(token).kid;
    expect(kid(second)).not.toBe(kid(first));
    const { keys } = await cluster().api('GET', '/openid/v1/jwks');
    expect(keys.map((key: { kid: string }) => key.kid).sort()).toEqual([kid(first), kid(second)].sort());
  }, 150_000);
});
