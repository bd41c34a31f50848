import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Stack } from '../../engine/stack.ts';
import { changes, type DevConfig, EnvironmentUnderTest } from '../harness/environment-under-test.ts';
import { describeWithKubernetes } from '../harness/kubernetes/cluster.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';

describeWithKubernetes('workloads of real clusters', 2, (cluster) => {
  describeOnBothServers('through the component', (service) => {
    let environment: EnvironmentUnderTest;
    let folder: string;
    let stack: Stack;
    const web = { name: 'web', namespace: 'shop', serviceAccount: 'web', policies: ['secrets-read'] };
    const backup = { ...web, name: 'backup', serviceAccount: 'backup' };
    const accounts = '/api/v1/namespaces/shop/serviceaccounts';
    const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
    const binding = `${bindings}/east-service-account-issuer-discovery`;

    /** Two clusters: one found by discovery, where the program makes the service accounts, and one by its keys. */
    const providers = async (): Promise<[DevConfig, DevConfig]> => [
      {
        ...{
          kind: 'container_orchestrator',
          name: 'east',
          issuer: cluster().address,
          caPem: cluster().caPem,
        },
        cluster: { openDiscovery: true, serviceAccounts: true },
        roles: [
          { ...web, audience: 'secrets' },
          { ...backup, audience: 'secrets' },
        ],
      },
      {
        ...{ kind: 'container_orchestrator', name: 'west', issuer: cluster(1).address },
        jwks: await cluster(1).api('GET', '/openid/v1/jwks'),
        roles: [web],
      },
    ];
    const stackWith = (changed: DevConfig[], more: Record<string, string> = {}): Stack => {
      const made = environment.stack((config: DevConfig) => {
        config['providers'] = changed;
        for (const key of ['clientSecrets', 'messages', 'serviceAccountKeys', 'promises']) delete config[key];
      });
      const values = Object.entries(more).map(([key, value]) => [key, { value, secret: false }] as const);
      return { ...made, config: new Map([...made.config, ...values]) };
    };
    const errors = async (verb: 'preview' | 'up', of: Stack) => {
      const { diagnostics } = await environment.run(verb, of);
      return diagnostics
        .filter(({ severity }) => severity === 'error')
        .map(({ message }) => message)
        .join('\n');
    };
    const signIn = async (method: string, role: string, jwt: string) => {
      try {
        const { auth } = await environment.client.post(`auth/${method}/login`, { role, jwt });
        return auth?.['policies'];
      } catch (error) {
        return (error as Error).message;
      }
    };
    const policies = ['default', 'secrets-read'];

    beforeAll(async () => {
      environment = await EnvironmentUnderTest.start(service());
      folder = await mkdtemp(join(tmpdir(), 'gatehouse-'));
      environment.env['KUBECONFIG'] = join(folder, 'config');
      await writeFile(join(folder, 'config'), cluster().kubeconfig());
      for (const index of [0, 1]) await cluster(index).makeServiceAccounts('shop');
      stack = stackWith(await providers());
    });
    afterAll(async () => {
      await environment?.close();
      if (folder) await rm(folder, { recursive: true });
    });

    test('a cluster that is not there, a user who may not, a namespace that is missing: said before anything is made', async () => {
      const before = await environment.live();
      const [east, west] = await providers();
      const elsewhere = [{ ...east, roles: [{ ...web, namespace: 'nowhere', audience: 'secrets' }] }, west];
      expect(await errors('preview', stackWith(elsewhere))).toContain('namespaces "nowhere" not found');

      const token = (text: string) => stackWith([east, west], { 'kubernetes:kubeconfig': text });
      await cluster().makeServiceAccounts('intruders', `nobody-${service().kind}`);
      const nobody = await cluster().token(`intruders/nobody-${service().kind}`);
      const forbidden = await errors('preview', token(cluster().kubeconfig(nobody)));
      expect(forbidden).toContain('Give this user "get", "create", "patch" and "delete" on serviceaccounts');
      expect(forbidden).toContain('on clusterrolebindings.rbac.authorization.k8s.io');
      expect(await errors('preview', token(cluster().kubeconfig('wrong')))).toContain(
        'Sign in to the cluster',
      );

      const gone = cluster().kubeconfig().replaceAll(cluster().address, 'https://127.0.0.1:9');
      expect(await errors('preview', token(gone))).toContain('the cluster of context test cannot be reached');
      expect(await environment.live()).toEqual(before);
      expect((await cluster().api('GET', accounts)).items).toEqual([]);
    }, 180_000);

    test('service accounts and the binding are made, and then nothing differs', async () => {
      expect(await errors('preview', stack)).toBe('');
      expect((await cluster().api('GET', accounts)).items).toEqual([]);
      expect(await errors('up', stack)).toBe('');
      for (const name of ['web', 'backup']) {
        const { metadata } = await cluster().api('GET', `${accounts}/${name}`);
        expect(metadata.labels).toEqual({ 'app.kubernetes.io/managed-by': 'gatehouse' });
        expect(metadata.managedFields).toMatchObject([{ manager: 'gatehouse', operation: 'Apply' }]);
      }
      expect((await cluster().api('GET', binding)).roleRef.name).toBe(
        'system:service-account-issuer-discovery',
      );
      expect(changes(await environment.run('up', stack, { refresh: true }))).toEqual([]);
    });

    test('a token of the service account signs in, with the policies of its role', async () => {
      expect(await signIn('east', 'web', await cluster().token('shop/web', 'secrets'))).toEqual(policies);
    });

    test('a token for another audience or of another service account is refused at that step', async () => {
      const wrong = await cluster().token('shop/web', 'elsewhere');
      expect(await signIn('east', 'web', wrong)).toMatch(
        /validating token: .*invalid audience \(aud\) claim/,
      );
      const other = await cluster().token('shop/backup', 'secrets');
      expect(await signIn('east', 'web', other)).toMatch(/validating token: .*invalid subject \(sub\) claim/);
    });

    test('a token as a pod mounts it, bound to that pod, signs in', async () => {
      const pod = {
        metadata: { name: `web-${service().kind}` },
        spec: { serviceAccountName: 'web', containers: [{ name: 'web', image: 'web' }] },
      };
      const { metadata } = await cluster().api('POST', '/api/v1/namespaces/shop/pods', pod);
      const token = await cluster().token('shop/web', 'secrets', metadata);
      expect(decodeJwt(token)['kubernetes.io']).toMatchObject({ pod: { uid: metadata.uid } });
      expect(await signIn('east', 'web', token)).toEqual(policies);
    });

    test('each cluster has its own method: a token of the other with the same name is refused', async () => {
      const names = (await cluster(1).api('GET', accounts)).items.map((item: any) => item.metadata.name);
      if (!names.includes('web')) await cluster(1).makeServiceAccounts('shop', 'web');
      const own = await cluster(1).token('shop/web');
      expect(await signIn('west', 'web', own)).toEqual(policies);
      const foreign = await cluster(1).token('shop/web', 'secrets');
      expect(await signIn('east', 'web', foreign)).toMatch(/error validating token: .*signature/);
    });

    test('a cluster that changes its key: old tokens sign in while both keys are published, and not after', async () => {
      const old = await cluster().token('shop/web', 'secrets');
      await cluster().rotate();
      const next = await cluster().token('shop/web', 'secrets');
      expect(await signIn('east', 'web', next)).toEqual(policies);
      expect(await signIn('east', 'web', old)).toEqual(policies);
      await cluster().rotate({ forget: true });
      // The service reads the keys again for a token of a key that it does not have.
      expect(await signIn('east', 'web', await cluster().token('shop/web', 'secrets'))).toEqual(policies);
      expect(await signIn('east', 'web', old)).toMatch(/error validating token: .*signature/);
    }, 300_000);

    test('what somebody changed in the cluster is found and put right', async () => {
      await cluster().api('DELETE', `${accounts}/backup`);
      await cluster().api('PUT', binding, { ...(await cluster().api('GET', binding)), subjects: [] });
      const found = changes(await environment.run('up', stack, { refresh: true }));
      expect(found.filter((change) => !change.startsWith('refresh'))).toEqual([
        'create east-shop/backup',
        'update east-open-discovery',
      ]);
      expect((await cluster().api('GET', binding)).subjects).toHaveLength(1);
    });

    test('destroy leaves nothing of it in the cluster', async () => {
      expect((await environment.run('destroy', stack)).succeeded).toBe(true);
      expect((await cluster().api('GET', accounts)).items).toEqual([]);
      await expect(cluster().api('GET', binding)).rejects.toThrow('404');
    });

    test('a service account that is there already is not taken over, but can be imported', async () => {
      await cluster().makeServiceAccounts('shop', 'web');
      const [east] = await providers();
      const one = stackWith([{ ...east, roles: [{ ...web, audience: 'secrets' }] }]);
      const refused = await errors('preview', one);
      expect(refused).toContain('the ServiceAccount shop/web is in the cluster of context test already');
      const imports = { 'kubernetes:core/v1:ServiceAccount::east-shop/web': 'shop/web' };
      const imported = await environment.run('up', one, { imports });
      expect(imported.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect((await environment.run('destroy', one)).succeeded).toBe(true);
      expect((await cluster().api('GET', accounts)).items).toEqual([]);
    });

    test('a cluster whose discovery is closed: the error says what opens it', async () => {
      const [east] = await providers();
      const closed = stackWith([{ ...east, cluster: { serviceAccounts: true } }]);
      expect(await errors('up', closed)).toContain('openDiscovery');
      expect((await environment.run('destroy', closed)).succeeded).toBe(true);
    });
  });
});
