import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Stack } from '../../packages/engine/src/stack.ts';
import { type DevConfig, environmentFor } from '../harness/environment-under-test.ts';
import { type Cluster, describeWithKubernetes } from '../harness/kubernetes/cluster.ts';
import { makeDeclared } from '../harness/kubernetes/make-declared.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';
import { until } from '../harness/until.ts';

const role = { namespace: 'shop', audience: 'secrets', policies: ['secrets-read'] };
const web = { ...role, name: 'web', serviceAccount: 'web' };
const policies = ['default', 'secrets-read'];

describeWithKubernetes('workloads of real clusters', 2, (cluster) => {
  describeOnBothServers('through the component', (service) => {
    const environment = environmentFor(service);
    let stack: Stack;
    let deleteDeclared = async () => {};

    /**
     * A method for each of two clusters: one with its keys by discovery, and one that is given them.
     *
     * @param isInside with what it declares in the clusters
     */
    const orchestrator = async (isInside = false): Promise<DevConfig> => ({
      kind: 'container_orchestrator',
      name: 'cluster',
      clusters: [
        {
          name: 'east',
          issuer: cluster().address,
          caPem: cluster().caPem,
          cluster: { context: 'east', openDiscovery: isInside, serviceAccounts: isInside },
          roles: [
            { ...role, name: 'backup', serviceAccount: 'backup' },
            { ...role, name: 'everyone', serviceAccount: '*' },
          ],
        },
        {
          name: 'west',
          issuer: cluster(1).address,
          jwks: await cluster(1).api('GET', '/openid/v1/jwks'),
          cluster: { context: 'west', serviceAccounts: isInside },
        },
      ],
      roles: [web],
    });
    /** One that reads issuer and keys from the first cluster when the program runs. */
    const reading = () => ({
      kind: 'container_orchestrator',
      name: 'reading',
      keysFromCluster: true,
      roles: [web],
      apiServer: cluster().address,
      caPem: cluster().caPem,
    });
    const stackWith = (...providers: DevConfig[]): Stack =>
      environment().stack((config) => {
        config['providers'] = providers;
        for (const key of ['clientSecrets', 'messages', 'serviceAccountKeys', 'promises']) delete config[key];
      });
    const errors = async (verb: 'preview' | 'up', of: Stack) => {
      const { diagnostics } = await environment().run(verb, of);
      const found = diagnostics.filter(({ severity }) => severity === 'error');
      return found.map(({ message }) => message).join('\n');
    };
    const signIn = async (method: string, name: string, jwt: string) => {
      try {
        const { auth } = await environment().client.post(`auth/${method}/login`, { role: name, jwt });
        return auth?.['policies'];
      } catch (error) {
        return (error as Error).message;
      }
    };
    const token = (account = 'shop/web', audience = 'secrets') => cluster().token(account, audience);
    const accountsIn = async ({ api }: Cluster) =>
      (await api('GET', '/api/v1/namespaces/shop/serviceaccounts')).items.map(
        ({ metadata }: any) => metadata.name,
      );

    beforeAll(async () => {
      for (const index of [0, 1]) await cluster(index).makeServiceAccounts('shop');
      await cluster().makeServiceAccounts('intruders', `nobody-${service().kind}`);
      stack = stackWith(await orchestrator());
    });
    afterAll(() => deleteDeclared());

    test('closed documents: the errors of both ways to read them say what opens them', async () => {
      expect(await errors('preview', stackWith(reading()))).toContain('openDiscovery');
      expect(await errors('up', stack)).toContain('openDiscovery');
      expect((await environment().run('destroy', stack)).succeeded).toBe(true);
    }, 120_000);

    test('what is declared in each cluster is what a cluster takes, and opens its documents', async () => {
      const declared = stackWith(await orchestrator(true));
      const clusterOf = ({ context }: { context?: string }) => cluster(context === 'east' ? 0 : 1);
      deleteDeclared = await makeDeclared(declared, clusterOf);
      expect(await accountsIn(cluster())).toEqual(['backup', 'web']);
      expect(await accountsIn(cluster(1))).toEqual(['web']);
      // Open a moment after the binding is made.
      await until(async () => (await errors('preview', stackWith(reading()))) === '');
    }, 120_000);

    test('the methods are made, and then nothing differs', async () => {
      expect(await errors('up', stack)).toBe('');
      expect(await environment().up(stack, { refresh: true })).toEqual([]);
    }, 120_000);

    test('a token of the service account signs in, with the policies of its role', async () => {
      expect(await signIn('cluster-east', 'web', await token())).toEqual(policies);
    });

    test('a token for another audience, or of another service account, is refused at that step', async () => {
      const elsewhere = await signIn('cluster-east', 'web', await token('shop/web', 'elsewhere'));
      expect(elsewhere).toMatch(/validating token: .*invalid audience \(aud\) claim/);
      const other = await signIn('cluster-east', 'web', await token('shop/backup'));
      expect(other).toMatch(/validating token: .*invalid subject \(sub\) claim/);
    });

    test('a role of a namespace takes each of its service accounts, and none of another', async () => {
      expect(await signIn('cluster-east', 'everyone', await token('shop/backup'))).toEqual(policies);
      const other = await token(`intruders/nobody-${service().kind}`);
      expect(await signIn('cluster-east', 'everyone', other)).toMatch(/error validating claims: claim/);
    });

    test('a token as a pod mounts it, bound to that pod, signs in', async () => {
      const pod = {
        metadata: { name: `web-${service().kind}` },
        spec: { serviceAccountName: 'web', containers: [{ name: 'web', image: 'web' }] },
      };
      const { metadata } = await cluster().api('POST', '/api/v1/namespaces/shop/pods', pod);
      const mounted = await cluster().token('shop/web', 'secrets', metadata);
      expect(decodeJwt(mounted)['kubernetes.io']).toMatchObject({ pod: { uid: metadata.uid } });
      expect(await signIn('cluster-east', 'web', mounted)).toEqual(policies);
    });

    test('each cluster has its own method: a token of the other, of the same account, is refused', async () => {
      const west = await cluster(1).token('shop/web', 'secrets');
      expect(await signIn('cluster-west', 'web', west)).toEqual(policies);
      expect(await signIn('cluster-east', 'web', west)).toMatch(/error validating token: .*signature/);
      expect(await signIn('cluster-west', 'web', await token())).toMatch(
        /error validating token: .*signature/,
      );
    });

    test('a cluster that changes its key: old tokens sign in while both keys are published, and not after', async () => {
      const old = await token();
      await cluster().rotate();
      const next = await token();
      expect(await signIn('cluster-east', 'web', next)).toEqual(policies);
      expect(await signIn('cluster-east', 'web', old)).toEqual(policies);
      await cluster().rotate({ forget: true });
      // The service reads the keys again for a token of a key that it does not have.
      expect(await signIn('cluster-east', 'web', await token())).toEqual(policies);
      expect(await signIn('cluster-east', 'web', old)).toMatch(/error validating token: .*signature/);
    }, 300_000);

    test('issuer and keys are read from the cluster, once its documents are open', async () => {
      const both = stackWith(await orchestrator(), reading());
      expect(await errors('up', both)).toBe('');
      expect(await signIn('reading', 'web', await token())).toEqual(policies);
      expect(await errors('up', stack)).toBe('');
    }, 120_000);
  });
});
