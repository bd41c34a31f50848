import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { type DevConfig, environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { describeWithKubernetes } from '../../../../test/harness/kubernetes/cluster.ts';
import { makeDeclared } from '../../../../test/harness/kubernetes/make-declared.ts';
import { started } from '../../../../test/harness/started.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { until } from '../../../../test/harness/until.ts';
import { openDeclared } from '../../src/open/open-environment.ts';
import { verify } from '../../src/verify/verify.ts';

describeWithKubernetes('two real clusters in one provider', 2, (cluster) => {
  let folder: string;

  const service = started(startEmbeddedService);
  const environment = environmentFor(service);
  beforeAll(async () => {
    folder = temporaryFolder();
    for (const [index, name] of ['east', 'west'].entries()) {
      await writeFile(join(folder, name), cluster(index).kubeconfig(), { mode: 0o600 });
      // What controllers make in a cluster that has some.
      await cluster(index).makeServiceAccounts('shop', 'default');
    }
  });

  /** A stack of both clusters, what differs given for each. */
  const stack = (own: (address: string) => object, inside: object = {}) =>
    environment().stack((config: DevConfig) => {
      const clusters = ['east', 'west'].map((name, index) => {
        const { address, caPem } = cluster(index);
        return { name, caPem, cluster: { kubeconfig: join(folder, name), ...inside }, ...own(address) };
      });
      const role = { namespace: 'shop', audience: 'secrets', ttl: '10m' };
      const roles = [
        { ...role, name: 'web', serviceAccount: 'web' },
        { ...role, name: 'any', serviceAccount: '*' },
      ];
      config['providers'] = [{ kind: 'kubernetes', name: 'cluster', clusters, roles }];
      Object.assign(config, { clientSecrets: {}, serviceAccountKeys: {}, promises: [], groups: [] });
    });
  const read = (apiServer: string) => ({ apiServer, keysFromCluster: true });
  const signIns = async (given: ReturnType<typeof stack>) => {
    const checks = await verify({
      ...{ stack: given, env: environment().env, tokens: new Map(), requestTokens: true },
    });
    return checks
      .filter(({ what }) => what === 'a sign-in')
      .map(({ subject, outcome, detail }) => [`${subject.method}/${subject.name}`, outcome, detail]);
  };
  const all = ['cluster-east/web', 'cluster-east/any', 'cluster-west/web', 'cluster-west/any'].map((role) => [
    role,
    'ok',
    'policies: default',
  ]);

  test('that are closed name what opens them', async () => {
    await expect(openDeclared(stack(read), environment().env)).rejects.toMatchObject({
      code: 'issuer_unreadable',
      message: expect.stringMatching(/answers 40[13].*kubectl create clusterrolebinding.*openDiscovery/s),
    });
  });

  test('are opened each, and their own tokens sign in, by discovery', async () => {
    const byIssuer = (issuer: string) => ({ issuer });
    const discovered = stack(byIssuer);
    const inside = { openDiscovery: true, serviceAccounts: true };
    await makeDeclared(stack(byIssuer, inside), ({ kubeconfig = '' }) =>
      cluster(kubeconfig.endsWith('east') ? 0 : 1),
    );
    // Open a moment after the bindings are made.
    await until(async () => (await environment().run('preview', stack(read))).succeeded);
    const { succeeded, diagnostics } = await environment().run('up', discovered);
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    expect({ succeeded, errors }).toEqual({ succeeded: true, errors: [] });
    expect(await signIns(discovered)).toEqual(all);
  });

  test('and with the keys that the program reads there', async () => {
    const { succeeded } = await environment().run('up', stack(read));
    expect(succeeded).toBe(true);
    expect(await signIns(stack(read))).toEqual(all);
  });

  test('take no token of each other', async () => {
    const jwt = await cluster(0).token('shop/web', 'secrets');
    const signIn = (method: string) =>
      environment()
        .client.post(`auth/${method}/login`, { role: 'web', jwt })
        .then(
          () => 'in',
          () => 'refused',
        );
    expect([await signIn('cluster-east'), await signIn('cluster-west')]).toEqual(['in', 'refused']);
  });
});
