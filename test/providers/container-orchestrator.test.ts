import { describe, expect, test } from '@jest/globals';
import {
  ContainerOrchestrator,
  type ContainerOrchestratorArgs,
} from '../../providers/container-orchestrator.ts';
import { named, ofType, type Registration, register } from '../harness/pulumi-mocks.ts';
import { service } from './provider-fixture.ts';

const args: ContainerOrchestratorArgs = {
  service,
  issuer: 'https://oidc.cluster.example.com',
  roles: [
    { name: 'web', namespace: 'shop', serviceAccount: 'web' },
    { name: 'web-admin', namespace: 'shop', serviceAccount: 'web' },
    { name: 'backup', namespace: 'operations', serviceAccount: 'backup', audience: 'backup' },
  ],
};
const inCluster = (registered: Registration[]) =>
  registered.filter(({ type }) => type.startsWith('kubernetes:'));
const registering = (settings: Partial<ContainerOrchestratorArgs> = {}) =>
  register(() => new ContainerOrchestrator('cluster', { ...args, ...settings }));

describe('ContainerOrchestrator (docs/inside/specification.md B-4)', () => {
  test('leaves the cluster alone unless told otherwise', async () => {
    expect(inCluster(await registering())).toEqual([]);
    expect(inCluster(await registering({ cluster: {} }))).toEqual([]);
  });

  test('opens the discovery documents to callers who are not signed in, before the method is configured', async () => {
    const registered = await registering({ cluster: { openDiscovery: true } });
    const [binding, ...rest] = inCluster(registered);
    expect(rest).toEqual([]);
    expect(binding).toMatchObject({
      type: 'kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding',
      name: 'cluster-open-discovery',
      parent: 'cluster',
      inputs: {
        metadata: { name: 'cluster-service-account-issuer-discovery' },
        roleRef: {
          apiGroup: 'rbac.authorization.k8s.io',
          kind: 'ClusterRole',
          name: 'system:service-account-issuer-discovery',
        },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:unauthenticated' }],
      },
    });
    // Pulumi registers a component when its dependencies are done, and its children after it.
    const [method] = ofType(registered, 'AuthMethod');
    expect(method?.dependencies).toEqual(['cluster-open-discovery']);
  });

  test('creates each service account once, however many roles it has', async () => {
    const registered = inCluster(await registering({ cluster: { serviceAccounts: true } }));
    expect(registered.map(({ type, name, inputs }) => [type, name, inputs['metadata']])).toEqual([
      [
        'kubernetes:core/v1:ServiceAccount',
        'cluster-operations/backup',
        { name: 'backup', namespace: 'operations' },
      ],
      ['kubernetes:core/v1:ServiceAccount', 'cluster-shop/web', { name: 'web', namespace: 'shop' }],
    ]);
  });

  test('takes no two service accounts for one', async () => {
    const roles = [
      { name: 'one', namespace: 'a-b', serviceAccount: 'c' },
      { name: 'two', namespace: 'a', serviceAccount: 'b-c' },
    ];
    expect(inCluster(await registering({ cluster: { serviceAccounts: true }, roles }))).toHaveLength(2);
  });

  test('says which volume a pod mounts to sign in with a role', async () => {
    const registered = await registering({ cluster: { tokenExpirationSeconds: 600 } });
    const [component] = ofType(registered, 'ContainerOrchestrator');
    const volume = (audience: string) => ({
      name: 'gatehouse-token',
      projected: {
        sources: [{ serviceAccountToken: { audience, expirationSeconds: 600, path: 'token' } }],
      },
    });
    expect(component?.outputs?.['tokenVolumes']).toEqual({
      web: volume('https://oidc.cluster.example.com'),
      'web-admin': volume('https://oidc.cluster.example.com'),
      backup: volume('backup'),
    });
  });

  test('mounts a token of an audience that the role accepts', async () => {
    const role = { name: 'web', namespace: 'shop', serviceAccount: 'web' };
    const roles = [{ ...role, boundAudiences: ['first', 'second'], audience: 'third' }];
    const [component] = ofType(await registering({ roles }), 'ContainerOrchestrator');
    const [source] = component?.outputs?.['tokenVolumes'].web.projected.sources;
    expect(source.serviceAccountToken).toMatchObject({ audience: 'first', expirationSeconds: 3_600 });
  });

  test('takes a promise of the issuer', async () => {
    const registered = await registering({ issuer: Promise.resolve('https://oidc.cluster.example.com') });
    expect(named(registered, 'cluster-mount').inputs).toMatchObject({
      oidcDiscoveryUrl: 'https://oidc.cluster.example.com',
      boundIssuer: 'https://oidc.cluster.example.com',
    });
  });

  test('makes no service account of a role for all of a namespace', async () => {
    const roles = [{ name: 'any', namespace: 'shop', serviceAccount: '*' }];
    const registered = await registering({ cluster: { serviceAccounts: true }, roles });
    expect(inCluster(registered)).toEqual([]);
    expect(named(registered, 'cluster-any').inputs).toMatchObject({
      boundClaims: { '/kubernetes.io/namespace': 'shop' },
    });
  });

  test('makes its objects in the cluster of the context', async () => {
    const cluster = { openDiscovery: true, serviceAccounts: true, kubeconfig: '/east.yaml', context: 'east' };
    const registered = await registering({ cluster });
    const [provider] = ofType(registered, 'kubernetes');
    expect(provider).toMatchObject({ name: 'cluster-cluster', parent: 'cluster' });
    expect(provider?.inputs).toEqual({ kubeconfig: '/east.yaml', context: 'east' });
    const objects = inCluster(registered);
    expect(objects).toHaveLength(3);
    for (const { provider: used } of objects) expect(used).toContain('::cluster-cluster::');
  });

  test('asks for no plugin of a cluster in which it makes nothing', async () => {
    const registered = await registering({ cluster: { context: 'east' } });
    expect(ofType(registered, 'kubernetes')).toEqual([]);
  });
});
