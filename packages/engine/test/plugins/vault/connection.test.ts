import { afterEach, describe, expect, test } from '@jest/globals';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { servingEachTest } from '../../../../../test/harness/serving.ts';
import { started } from '../../../../../test/harness/started.ts';
import { ServiceClient } from '../../../../service-client/src/service-client.ts';
import { VaultPlugin } from '../../../src/plugins/vault/vault-plugin.ts';
import { type PropertyMap, Unknown } from '../../../src/property-value.ts';

const serving = servingEachTest();
const plugins: VaultPlugin[] = [];
afterEach(async () => {
  for (const plugin of plugins.splice(0)) await plugin.close();
});

async function configure(
  inputs: PropertyMap,
  environment: Record<string, string> = {},
): Promise<VaultPlugin> {
  const plugin = new VaultPlugin(environment);
  plugins.push(plugin);
  await plugin.configure({ inputs });
  return plugin;
}

describeWithOpenBao('signing in (terraform-provider-vault internal/provider/meta.go)', (server) => {
  const service = started(() => new ServiceClient(server()));
  const accessors = async () => (await service().list('auth/token/accessors'))?.data['keys'] as string[];

  test('works with a child token of twenty minutes, which it revokes in the end', async () => {
    const { address, token } = server();
    const before = await accessors();
    const plugin = await configure({ address, token });
    const added = (await accessors()).filter((accessor) => !before.includes(accessor));
    expect(added).toHaveLength(1);
    const { data } = await service().post('auth/token/lookup-accessor', { accessor: added[0] });
    expect(data).toMatchObject({ explicit_max_ttl: 1200, renewable: false });
    await plugin.close();
    expect(await accessors()).toEqual(before);
  });

  test('works with the token itself when told so', async () => {
    const { address, token } = server();
    const before = await accessors();
    await configure({ address, token, skipChildToken: 'true' });
    expect(await accessors()).toEqual(before);
  });

  test('takes address and token from the environment', async () => {
    const plugin = await configure({}, { VAULT_ADDR: server().address, VAULT_TOKEN: `${server().token}\n` });
    const urn = 'urn:pulumi:dev::test::vault:index/policy:Policy::p';
    const read = await plugin.read({ urn, id: 'default', inputs: {}, properties: {} });
    expect(read.id).toBe('default');
  });

  test('the configuration goes before the environment', async () => {
    const { address, token } = server();
    const plugin = configure({ address, token }, { VAULT_ADDR: 'http://127.0.0.1:1', VAULT_TOKEN: 'other' });
    await expect(plugin).resolves.toBeDefined();
  });

  test('a wrong token is refused at once', async () => {
    const failure = configure({ address: server().address, token: 'wrong' });
    await expect(failure).rejects.toThrow(/does not accept the token/);
    await expect(failure).rejects.not.toThrow(/wrong token|"wrong"/);
  });

  test('a token that may not create a child says what to do', async () => {
    const { auth } = await service().post('auth/token/create', { policies: ['default'], ttl: '5m' });
    const failure = configure({ address: server().address, token: String(auth?.['client_token']) });
    await expect(failure).rejects.toThrow(/auth\/token\/create.*TERRAFORM_VAULT_SKIP_CHILD_TOKEN/s);
  });

  test('a namespace that does not exist is refused', async () => {
    const { address, token } = server();
    await expect(configure({ address, token, namespace: 'nowhere' })).rejects.toThrow(/no such namespace/);
  });
});

describe('without a service', () => {
  test.each<[string, PropertyMap, RegExp]>([
    ['no address', { token: 't' }, /VAULT_ADDR/],
    ['no token', { address: 'http://127.0.0.1:1' }, /VAULT_TOKEN/],
    ['an address that is none', { address: 'secrets', token: 't' }, /plain http or https URL/],
    ['nobody there', { address: 'http://127.0.0.1:1', token: 't', maxRetries: '0' }, /cannot be reached/],
    [
      'a certificate file that is not there',
      { address: 'https://127.0.0.1:1', token: 't', caCertFile: '/nowhere.pem' },
      /caCertFile/,
    ],
  ])('%s is a clear error', async (_, inputs, message) => {
    await expect(configure(inputs)).rejects.toThrow(message);
  });

  test('a sealed service is a clear error', async () => {
    const address = await serving((_, outgoing) => outgoing.end('{"sealed":true,"version":"1.21.0"}'));
    await expect(configure({ address, token: 't' })).rejects.toThrow(/sealed/);
  });

  const urn = 'urn:pulumi:dev::test::vault:index/policy:Policy::p';
  test('an address that is not known yet lets previews of creates pass', async () => {
    const plugin = await configure({ address: Unknown.value, token: 't' });
    const properties = { name: 'p', policy: '' };
    await expect(plugin.create({ urn, properties, preview: true, timeout: 0 })).resolves.toMatchObject({
      id: '',
    });
  });

  test('an address that is not known yet is an error for whatever needs the service', async () => {
    const plugin = await configure({ address: Unknown.value, token: 't' });
    const read = plugin.read({ urn, id: 'p', inputs: {}, properties: {} });
    await expect(read).rejects.toThrow(/does not know its secrets service yet/);
  });
});
