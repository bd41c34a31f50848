import { afterEach, describe, expect, test } from '@jest/globals';
import { KubernetesPlugin } from '../../../../engine/plugins/kubernetes/kubernetes-plugin.ts';
import { type PropertyMap, Unknown } from '../../../../engine/property-value.ts';
import { type Scripted, startClusterDouble } from '../../../harness/doubles/cluster.ts';

const accountUrn = 'urn:pulumi:dev::test::kubernetes:core/v1:ServiceAccount::web';
const bindingUrn = 'urn:pulumi:dev::test::kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding::open';
const account = { metadata: { name: 'web', namespace: 'shop' } };
const binding = {
  metadata: { name: 'open' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'discovery' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:unauthenticated' }],
};
const accountPath = '/api/v1/namespaces/shop/serviceaccounts/web';

const closing: { close(): unknown }[] = [];
afterEach(async () => {
  for (const open of closing.splice(0)) await open.close();
});
async function pluginOn(script: (method: string, path: string) => Scripted | undefined) {
  const double = await startClusterDouble(script);
  const plugin = new KubernetesPlugin({});
  closing.push(plugin, double);
  await plugin.configure({ inputs: { kubeconfig: double.kubeconfig } });
  return { plugin, asked: double.asked };
}
const check = async (urn: string, news: PropertyMap) =>
  await new KubernetesPlugin({}).check({ urn, olds: {}, news });

describe('check', () => {
  test.each([
    ['kubernetes:core/v1:Secret'],
    ['kubernetes:rbac.authorization.k8s.io/v1:ClusterRole'],
    ['kubernetes:helm.sh/v3:Release'],
  ])('%s is refused by its name, and the official plugin is named', async (type) => {
    const checked = check(`urn:pulumi:dev::test::${type}::it`, {});
    await expect(checked).rejects.toThrow(`does not do the type ${type}`);
    await expect(check(`urn:pulumi:dev::test::${type}::it`, {})).rejects.toThrow('--engine pulumi');
  });

  test('a property that is not done is refused by its name', async () => {
    const news = { ...account, automountServiceAccountToken: false };
    const { failures } = await check(accountUrn, { ...news, metadata: { name: 'web', finalizers: [] } });
    expect(failures.map(({ property }) => property)).toEqual([
      'automountServiceAccountToken',
      'metadata.finalizers',
    ]);
  });

  test('a name is required: nothing is named by chance', async () => {
    const { failures } = await check(accountUrn, { metadata: { namespace: 'shop' } });
    expect(failures).toEqual([{ property: 'metadata.name', reason: 'the name is missing' }]);
  });

  test('in a preview it may not be known yet', async () => {
    expect((await check(accountUrn, { metadata: Unknown.value })).failures).toEqual([]);
  });

  test('the namespace defaults to the plugin’s', async () => {
    const plugin = new KubernetesPlugin({});
    closing.push(plugin);
    const { kubeconfig, close } = await startClusterDouble(() => undefined);
    closing.push({ close });
    await plugin.configure({ inputs: { kubeconfig, namespace: 'from-the-plugin' } });
    const { inputs } = await plugin.check({ urn: accountUrn, olds: {}, news: { metadata: { name: 'web' } } });
    expect(inputs['metadata']).toEqual({ name: 'web', namespace: 'from-the-plugin' });
  });
});

describe('the plugin’s settings', () => {
  const config = async (news: PropertyMap) =>
    (await new KubernetesPlugin({}).checkConfig({ urn: '', olds: {}, news })).failures;

  test('what is not done is refused by its name', async () => {
    expect(await config({ deleteUnreachable: 'true' })).toEqual([
      { property: 'deleteUnreachable', reason: '"deleteUnreachable" is not supported by this plugin' },
    ]);
  });

  test('what both plugins have is taken', async () => {
    expect(await config({ kubeconfig: Unknown.value, context: 'one', version: '4.34.2' })).toEqual([]);
  });

  test('another cluster replaces everything in it; another user of the same one nothing', async () => {
    const at = (server: string, token: string) =>
      JSON.stringify({
        'current-context': 'one',
        clusters: [{ name: 'c', cluster: { server } }],
        users: [{ name: 'u', user: { token } }],
        contexts: [{ name: 'one', context: { cluster: 'c', user: 'u' } }],
      });
    const diff = async (kubeconfig: string) => {
      const oldInputs = { kubeconfig: at('https://one', 'a') };
      const request = {
        urn: '',
        id: '',
        olds: oldInputs,
        oldInputs,
        news: { kubeconfig },
        ignoreChanges: [],
      };
      return await new KubernetesPlugin({}).diffConfig(request);
    };
    expect(await diff(at('https://two', 'a'))).toMatchObject({ changes: 'some', replaces: ['kubeconfig'] });
    expect(await diff(at('https://one', 'b'))).toMatchObject({ changes: 'some', replaces: [] });
  });

  test('a kubeconfig that is not there fails before anything is made', async () => {
    const configured = new KubernetesPlugin({ HOME: '/nowhere' }).configure({ inputs: {} });
    await expect(configured).rejects.toThrow('there is no kubeconfig');
  });
});

describe('what differs', () => {
  const live = {
    ...binding,
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'open', uid: 'u', labels: { other: 'x' } },
  };
  const difference = async (news: PropertyMap, olds: PropertyMap = live, ignoreChanges: string[] = []) => {
    const oldInputs = (await check(bindingUrn, binding)).inputs;
    const { inputs } = await check(bindingUrn, news);
    const request = { urn: bindingUrn, id: 'open', olds, oldInputs, news: inputs, ignoreChanges };
    return await new KubernetesPlugin({}).diff(request);
  };

  test('nothing, where the cluster alone added something', async () => {
    expect((await difference(binding)).changes).toBe('none');
  });

  test('what somebody changed in the cluster', async () => {
    const diff = await difference(binding, { ...live, subjects: [] });
    expect(diff.detailedDiff).toEqual({ 'subjects[0]': { kind: 'add', inputDiff: false } });
    const gone: PropertyMap = { ...live };
    delete gone['subjects'];
    expect((await difference(binding, gone)).diffs).toEqual(['subjects']);
  });

  test('what changes are ignored does not', async () => {
    expect((await difference(binding, { ...live, subjects: [] }, ['subjects'])).changes).toBe('none');
  });

  test('another role needs a new binding, and the old one deleted first, as it has the name', async () => {
    const diff = await difference({ ...binding, roleRef: { ...binding.roleRef, name: 'other' } });
    expect(diff).toMatchObject({ replaces: ['roleRef.name'], deleteBeforeReplace: true });
  });

  test('another name needs a new object, made before the old one is deleted', async () => {
    const diff = await difference({ ...binding, metadata: { name: 'other' } });
    expect(diff).toMatchObject({ replaces: ['metadata.name'], deleteBeforeReplace: false });
  });
});

describe('in the cluster', () => {
  const made = { ...account, metadata: { ...account.metadata, uid: 'u' }, kind: 'ServiceAccount' };

  test('a preview checks everything there, and keeps nothing', async () => {
    const { plugin, asked } = await pluginOn((method) =>
      method === 'PATCH' ? { status: 201, body: made } : undefined,
    );
    const { inputs } = await plugin.check({ urn: accountUrn, olds: {}, news: account });
    const planned = await plugin.create({ urn: accountUrn, properties: inputs, preview: true, timeout: 0 });
    expect(planned).toEqual({ id: '', properties: inputs });
    expect(asked.map(({ line }) => line)).toEqual([
      `GET ${accountPath}`,
      `PATCH ${accountPath}?fieldManager=gatehouse&force=true&dryRun=All`,
    ]);
  });

  test('the state is the official plugin’s', async () => {
    const { plugin } = await pluginOn((method) =>
      method === 'PATCH' ? { status: 201, body: made } : undefined,
    );
    const { inputs } = await plugin.check({ urn: accountUrn, olds: {}, news: account });
    expect(await plugin.create({ urn: accountUrn, properties: inputs, preview: false, timeout: 0 })).toEqual({
      id: 'shop/web',
      properties: {
        ...made,
        __inputs: inputs,
        __initialApiVersion: 'v1',
        __fieldManager: 'gatehouse',
      },
    });
  });

  test.each([[true], [false]])(
    'an object that is there already is not taken over (preview: %s)',
    async (preview) => {
      const { plugin, asked } = await pluginOn(() => ({ status: 200, body: made }));
      const created = plugin.create({ urn: accountUrn, properties: account, preview, timeout: 0 });
      const file =
        '{"resources":[{"type":"kubernetes:core/v1:ServiceAccount","name":"web","id":"shop/web"}]}';
      await expect(created).rejects.toThrow(`--import FILE and ${file} in the file`);
      expect(asked.map(({ line }) => line)).toEqual([`GET ${accountPath}`]);
    },
  );

  test.each([
    ['a missing permission is named', 'User "u" cannot patch resource "serviceaccounts"', true],
    ['another refusal is not taken for one', 'namespace shop is being terminated', false],
  ])('%s', async (_, message, isNamed) => {
    const { plugin } = await pluginOn((method) =>
      method === 'PATCH' ? { status: 403, message } : undefined,
    );
    const created = plugin.create({ urn: accountUrn, properties: account, preview: true, timeout: 0 });
    const refusal = await created.catch((error: Error) => error.message);
    expect(refusal).toContain(message);
    const fix =
      'Give this user "get", "create", "patch" and "delete" on serviceaccounts in the namespace shop.';
    expect(String(refusal).includes(fix)).toBe(isNamed);
  });

  test('an id without a namespace is in the default one, as for the official plugin', async () => {
    const { plugin, asked } = await pluginOn(() => undefined);
    await plugin.read({ urn: accountUrn, id: 'web', inputs: {}, properties: {} });
    expect(asked[0]?.line).toBe('GET /api/v1/namespaces/default/serviceaccounts/web');
  });

  test('what is imported has its inputs as the program would give them', async () => {
    const metadata = { ...made.metadata, labels: { team: 'shop' }, creationTimestamp: 'then' };
    const { plugin } = await pluginOn(() => ({ status: 200, body: { ...made, metadata } }));
    const read = await plugin.read({ urn: accountUrn, id: 'shop/web', inputs: {}, properties: {} });
    expect(read.inputs).toEqual({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { ...account.metadata, labels: { team: 'shop' } },
    });
  });

  test('a binding that opens discovery is done once anybody can read it', async () => {
    const name = 'system:service-account-issuer-discovery';
    const opening = { ...binding, roleRef: { ...binding.roleRef, name } };
    let reads = 0;
    const { plugin, asked } = await pluginOn((method, path) => {
      if (method === 'PATCH') return { status: 201, body: opening };
      if (!path.startsWith('/.well-known')) return undefined;
      reads += 1;
      return reads < 3 ? { status: 403, message: 'closed' } : { status: 200, body: {} };
    });
    await plugin.create({ urn: bindingUrn, properties: opening, preview: false, timeout: 0 });
    const anonymous = asked.filter(({ authorization }) => authorization === undefined);
    expect(anonymous.map(({ line }) => line)).toEqual(
      Array.from({ length: 3 }, () => 'GET /.well-known/openid-configuration'),
    );
  });

  test('an update goes on in the name of whoever applied the object', async () => {
    const { plugin, asked } = await pluginOn(() => ({ status: 200, body: made }));
    const olds = { ...made, __fieldManager: 'pulumi-kubernetes-1a2b' };
    const request = { urn: accountUrn, id: 'shop/web', olds, oldInputs: account, news: account };
    await plugin.update({ ...request, ignoreChanges: [], preview: false, timeout: 0 });
    expect(asked[0]?.line).toContain('fieldManager=pulumi-kubernetes-1a2b&');
  });

  test.each([
    ['ours, of an interrupted run', 'gatehouse', ['shop/web']],
    ['somebody else’s', 'kubectl', []],
  ])('an object is found again: %s', async (_, manager, ids) => {
    const labels = { 'app.kubernetes.io/managed-by': manager };
    const body = { ...made, metadata: { ...made.metadata, labels } };
    const { plugin } = await pluginOn(() => ({ status: 200, body }));
    expect(await plugin.findCreated({ urn: accountUrn, properties: account })).toEqual(ids);
  });
});
