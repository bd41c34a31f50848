import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Stack } from '../../engine/stack.ts';
import { changes, type DevConfig, environmentFor } from '../harness/environment-under-test.ts';
import { type Cluster, describeWithKubernetes } from '../harness/kubernetes/cluster.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';

const accounts = '/api/v1/namespaces/shop/serviceaccounts';
const binding =
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/cluster-east-service-account-issuer-discovery';
const role = { namespace: 'shop', audience: 'secrets', policies: ['secrets-read'] };
const web = { ...role, name: 'web', serviceAccount: 'web' };
const policies = ['default', 'secrets-read'];

describeWithKubernetes('workloads of real clusters', 2, (cluster) => {
  describeOnBothServers('through the component', (service) => {
    const environment = environmentFor(service);
    let folder: string;
    let stack: Stack;

    /** A method for each of two clusters: one with its keys by discovery, and one that is given them. */
    const orchestrator = async (): Promise<DevConfig> => ({
      kind: 'container_orchestrator',
      name: 'cluster',
      clusters: [
        {
          ...{ name: 'east', issuer: cluster().address, caPem: cluster().caPem },
          cluster: { context: 'east', openDiscovery: true, serviceAccounts: true },
          roles: [
            { ...role, name: 'backup', serviceAccount: 'backup' },
            { ...role, name: 'everyone', serviceAccount: '*' },
          ],
        },
        {
          ...{ name: 'west', issuer: cluster(1).address },
          jwks: await cluster(1).api('GET', '/openid/v1/jwks'),
          cluster: { context: 'west', serviceAccounts: true },
        },
      ],
      roles: [web],
    });
    /** One that reads issuer and keys from the first cluster when the program runs. */
    const reading = () => ({
      ...{ kind: 'container_orchestrator', name: 'reading', keysFromCluster: true, roles: [web] },
      ...{ apiServer: cluster().address, caPem: cluster().caPem },
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
    const accountsIn = async (index: number) =>
      (await cluster(index).api('GET', accounts)).items.map((item: any) => item.metadata.name);
    /** As who may do no more than the errors of the plugin ask for. */
    const asDeployer = async () => cluster().kubeconfig('east', await token('deployers/deployer', ''));
    /** The kubeconfig of each cluster is a file of its own. */
    const writeKubeconfigs = async (east?: string) => {
      await writeFile(join(folder, 'east'), east ?? (await asDeployer()));
      await writeFile(join(folder, 'west'), cluster(1).kubeconfig('west'));
    };

    beforeAll(async () => {
      for (const index of [0, 1]) await cluster(index).makeServiceAccounts('shop');
      await makeDeployer(cluster());
      folder = await mkdtemp(join(tmpdir(), 'gatehouse-'));
      environment().env['KUBECONFIG'] = [join(folder, 'east'), join(folder, 'west')].join(delimiter);
      await writeKubeconfigs();
      stack = stackWith(await orchestrator());
    });
    afterAll(async () => {
      if (folder) await rm(folder, { recursive: true });
    });

    test('what a cluster would refuse is said by the preview, with what is missing', async () => {
      const before = await environment().live();
      const elsewhere = await orchestrator();
      elsewhere['roles'] = [{ ...web, namespace: 'nowhere' }];
      await writeKubeconfigs(cluster().kubeconfig('east'));
      expect(await errors('preview', stackWith(elsewhere))).toContain('namespaces "nowhere" not found');

      await cluster().makeServiceAccounts('intruders', `nobody-${service().kind}`);
      const nobody = await token(`intruders/nobody-${service().kind}`, '');
      await writeKubeconfigs(cluster().kubeconfig('east', nobody));
      const forbidden = await errors('preview', stack);
      expect(forbidden).toContain(
        'Give this user "get", "create", "patch" and "delete" on serviceaccounts in the namespace shop.',
      );
      expect(forbidden).toContain('on clusterrolebindings.rbac.authorization.k8s.io, and "bind"');

      await writeKubeconfigs(cluster().kubeconfig('east', 'wrong'));
      expect(await errors('preview', stack)).toContain('Sign in to the cluster again');
      await writeKubeconfigs(
        cluster().kubeconfig('east').replaceAll(cluster().address, 'https://127.0.0.1:9'),
      );
      expect(await errors('preview', stack)).toContain('the cluster of context east cannot be reached');

      await writeKubeconfigs();
      expect(await environment().live()).toEqual(before);
      expect([...(await accountsIn(0)), ...(await accountsIn(1))]).toEqual([]);
    }, 240_000);

    test('objects are made in the cluster that each is of, and then nothing differs', async () => {
      expect(await errors('preview', stack)).toBe('');
      expect(await accountsIn(0)).toEqual([]);
      expect(await errors('up', stack)).toBe('');
      expect(await accountsIn(0)).toEqual(['backup', 'web']);
      expect(await accountsIn(1)).toEqual(['web']);
      const { metadata } = await cluster().api('GET', `${accounts}/web`);
      expect(metadata.labels).toEqual({ 'app.kubernetes.io/managed-by': 'gatehouse' });
      expect(metadata.managedFields).toMatchObject([{ manager: 'gatehouse', operation: 'Apply' }]);
      expect(changes(await environment().run('up', stack, { refresh: true }))).toEqual([]);
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
      // The deployer's own token is of the old key, too.
      await writeKubeconfigs();
    }, 300_000);

    test('issuer and keys are read from the cluster, once its documents are open', async () => {
      const both = stackWith(await orchestrator(), reading());
      expect(await errors('up', both)).toBe('');
      expect(await signIn('reading', 'web', await token())).toEqual(policies);
      expect(await errors('up', stack)).toBe('');
    }, 120_000);

    test('what somebody changed in the cluster is found and put right', async () => {
      await cluster().api('DELETE', `${accounts}/backup`);
      await cluster().api('PUT', binding, { ...(await cluster().api('GET', binding)), subjects: [] });
      const found = changes(await environment().run('up', stack, { refresh: true }));
      expect(found.filter((change) => !change.startsWith('refresh'))).toEqual([
        'create cluster-east-shop/backup',
        'update cluster-east-open-discovery',
      ]);
      expect((await cluster().api('GET', binding)).subjects).toHaveLength(1);
    });

    test('destroy leaves nothing of it in the clusters', async () => {
      expect((await environment().run('destroy', stack)).succeeded).toBe(true);
      expect([...(await accountsIn(0)), ...(await accountsIn(1))]).toEqual([]);
      await expect(cluster().api('GET', binding)).rejects.toThrow('404');
    });

    test('closed documents: the errors of both ways to read them say what opens them', async () => {
      expect(await errors('preview', stackWith(reading()))).toContain('openDiscovery');
      const closed = await orchestrator();
      closed['clusters'][0].cluster.openDiscovery = false;
      expect(await errors('up', stackWith(closed))).toContain('openDiscovery');
      expect((await environment().run('destroy', stackWith(closed))).succeeded).toBe(true);
    }, 120_000);

    test('a service account that is there already is not taken over, but can be imported', async () => {
      await cluster().makeServiceAccounts('shop', 'web');
      const refused = await environment().run('preview', stack);
      const said = 'the ServiceAccount shop/web is in the cluster of context east already';
      const about = refused.diagnostics.find(({ message }) => message.includes(said));
      const imports = { [about?.urn ?? 'nothing']: 'shop/web' };
      await environment().up(stack, { imports });
      expect((await environment().run('destroy', stack)).succeeded).toBe(true);
      expect(await accountsIn(0)).toEqual([]);
    }, 120_000);
  });
});

/** A service account that may do what the program needs, and nothing else. */
async function makeDeployer(cluster: Cluster): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const { items } = await cluster.api('GET', '/api/v1/namespaces');
  if (items.some((item: any) => item.metadata.name === 'deployers')) return;
  await cluster.makeServiceAccounts('deployers', 'deployer');
  const verbs = ['get', 'create', 'patch', 'delete'];
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'ServiceAccount', namespace: 'deployers', name: 'deployer' }];
  const metadata = { name: 'deployer' };
  await cluster.api('POST', `${rbac}/namespaces/shop/roles`, {
    metadata,
    rules: [{ apiGroups: [''], resources: ['serviceaccounts'], verbs }],
  });
  await cluster.api('POST', `${rbac}/namespaces/shop/rolebindings`, {
    ...{ metadata, subjects },
    roleRef: { apiGroup, kind: 'Role', name: 'deployer' },
  });
  const resourceNames = ['system:service-account-issuer-discovery'];
  await cluster.api('POST', `${rbac}/clusterroles`, {
    metadata,
    rules: [
      { apiGroups: [apiGroup], resources: ['clusterrolebindings'], verbs },
      { apiGroups: [apiGroup], resources: ['clusterroles'], resourceNames, verbs: ['bind'] },
    ],
  });
  await cluster.api('POST', `${rbac}/clusterrolebindings`, {
    ...{ metadata, subjects },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'deployer' },
  });
}
