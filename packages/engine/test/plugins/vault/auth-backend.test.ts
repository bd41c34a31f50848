import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { PluginError } from '../../../src/plugins/plugin.ts';
import { type PropertyMap, Unknown } from '../../../src/property-value.ts';
import { describeResource, publicKey, ResourceSession, testLifecycle, types } from './resource-session.ts';

const { mount: type } = types;
const keys: PropertyMap = { jwtValidationPubkeys: [publicKey.trim()] };

/** Just enough of an OIDC issuer for the service to accept a config. */
async function startIssuer(): Promise<{ address: string; server: Server }> {
  const server = createServer((incoming, outgoing) => {
    const issuer = `http://${incoming.headers.host}`;
    const metadata = {
      issuer,
      jwks_uri: `${issuer}/keys`,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      id_token_signing_alg_values_supported: ['RS256'],
    };
    outgoing.writeHead(200, { 'Content-Type': 'application/json' });
    outgoing.end(JSON.stringify(incoming.url === '/keys' ? { keys: [] } : metadata));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describeResource('AuthBackend (terraform-provider-vault vault/resource_jwt_auth_backend.go)', type, (bed) => {
  const { session } = bed;
  let issuer: { address: string; server: Server };
  let count = 0;
  let path = '';
  beforeAll(async () => {
    issuer = await startIssuer();
  });
  afterAll(async () => {
    issuer.server.closeAllConnections();
    await new Promise((resolve) => issuer.server.close(resolve));
  });
  beforeEach(() => {
    path = `team/mount${++count}`;
  });
  afterEach(async () => {
    await bed.service.delete(`sys/auth/${path}`);
    await bed.service.delete(`sys/auth/${path}-moved`);
  });
  const oidc = (): PropertyMap => ({
    path,
    type: 'oidc',
    oidcDiscoveryUrl: issuer.address,
    oidcClientId: 'client',
    oidcClientSecret: 'hidden',
    defaultRole: 'reader',
  });

  test('its id is the path, and the state holds the accessor', async () => {
    const mount = await session().create({ path, ...keys });
    expect(mount.id).toBe(path);
    expect(mount.state).toMatchObject({ id: path, path, accessor: expect.stringMatching(/^auth_jwt_/) });
  });

  testLifecycle(bed, () => ({ path, ...keys, boundIssuer: 'https://i' }));

  test('with a description and tuning, it does not differ', async () => {
    const news = { path, description: 'd', ...keys, tune: { defaultLeaseTtl: '200s', maxLeaseTtl: '90m' } };
    const mount = await session().create(news);
    await mount.refresh();
    await expect(mount.differences(news)).resolves.toEqual({});
  });

  test('a description that was changed by hand is found by a refresh', async () => {
    const news = { path, ...keys, description: 'd' };
    const mount = await session().create(news);
    await bed.service.post(`sys/mounts/auth/${path}/tune`, { description: 'by hand' });
    await mount.refresh();
    await expect(mount.differences(news)).resolves.toEqual({ description: 'update' });
  });

  test('empty names, which the official plugin writes into lists of a tuning, make no difference', async () => {
    const news = { path, ...keys, tune: { maxLeaseTtl: '1h' } };
    const mount = await session().create(news);
    await bed.service.post(`sys/mounts/auth/${path}/tune`, {
      passthrough_request_headers: [''],
      audit_non_hmac_request_keys: [''],
    });
    const { inputs, state } = mount;
    await mount.refresh();
    expect(mount).toMatchObject({ inputs, state });
    await expect(mount.differences(news)).resolves.toEqual({});
  });

  test('a refresh that finds nothing changes neither inputs nor state', async () => {
    const mount = await session().create(oidc());
    const { inputs, state } = mount;
    await mount.refresh();
    expect(mount).toMatchObject({ inputs, state });
  });

  test('the client secret is written, and kept in the state though no read tells it', async () => {
    const mount = await session().create(oidc());
    await mount.refresh();
    expect(mount.state).toMatchObject({ oidcClientId: 'client', oidcClientSecret: 'hidden' });
  });

  test('declared durations keep their text, and what was not declared stays empty', async () => {
    const mount = await session().create({ path, ...keys, tune: { maxLeaseTtl: '200s' } });
    await mount.refresh();
    expect(mount.state['tune']).toEqual({ maxLeaseTtl: '200s' });
  });

  test('a tuning that is not declared is what the service says', async () => {
    const mount = await session().create({ path, ...keys });
    expect(mount.state['tune']).toMatchObject({ defaultLeaseTtl: '768h', maxLeaseTtl: '768h' });
  });

  test('a duration changed by hand is a difference', async () => {
    const news = { path, ...keys, tune: { maxLeaseTtl: '1h' } };
    const mount = await session().create(news);
    await bed.service.post(`sys/mounts/auth/${path}/tune`, { max_lease_ttl: '2h' });
    await mount.refresh();
    await expect(mount.differences(news)).resolves.toEqual({ 'tune.maxLeaseTtl': 'update' });
    expect(mount.inputs['tune']).toMatchObject({ maxLeaseTtl: '2h' });
  });

  test('a setting that leaves the tuning is undone', async () => {
    const tune = {
      maxLeaseTtl: '1h',
      listingVisibility: 'unauth',
      tokenType: 'batch',
      passthroughRequestHeaders: ['X-A'],
    };
    const mount = await session().create({ path, ...keys, tune });
    await mount.update({ path, ...keys, tune: { defaultLeaseTtl: '10m' } });
    const { data } = (await bed.service.read(`sys/mounts/auth/${path}/tune`)) ?? { data: {} };
    expect(data).toMatchObject({
      default_lease_ttl: 600,
      max_lease_ttl: 2_764_800,
      token_type: 'default-service',
    });
    expect(data).not.toHaveProperty('passthrough_request_headers');
    expect(data['listing_visibility'] ?? '').toBe('');
  });

  describe('a tuning that is removed', () => {
    const tune = { maxLeaseTtl: '3h', listingVisibility: 'unauth', tokenType: 'batch' };
    const read = async () => (await bed.service.read(`sys/mounts/auth/${path}/tune`))?.data ?? {};

    test('is a difference in what it had set, and is reset; what others had set stays', async () => {
      const mount = await session().create({ path, ...keys, tune });
      await bed.service.post(`sys/mounts/auth/${path}/tune`, { default_lease_ttl: '2h' });
      await expect(mount.differences({ path, ...keys })).resolves.toEqual({
        'tune.listingVisibility': 'delete',
        'tune.maxLeaseTtl': 'delete',
        'tune.tokenType': 'delete',
      });
      await mount.update({ path, ...keys });
      expect(await read()).toMatchObject({
        default_lease_ttl: 7200,
        max_lease_ttl: 2_764_800,
        token_type: 'default-service',
      });
      expect((await read())['listing_visibility'] ?? '').toBe('');
      await expect(mount.differences({ path, ...keys })).resolves.toEqual({});
    });

    test('stays where changes of it are ignored', async () => {
      const mount = await session().create({ path, ...keys, tune });
      await expect(mount.differences({ path, ...keys }, ['tune'])).resolves.toEqual({});
      await mount.update({ path, ...keys, description: 'd' }, ['tune']);
      expect(await read()).toMatchObject({ max_lease_ttl: 10_800, listing_visibility: 'unauth' });
    });

    test('is none where it was never declared', async () => {
      const mount = await session().create({ path, ...keys });
      await bed.service.post(`sys/mounts/auth/${path}/tune`, { max_lease_ttl: '1h' });
      await mount.refresh();
      await expect(mount.differences({ path, ...keys })).resolves.toEqual({});
    });
  });

  test('a description is changed and removed', async () => {
    const mount = await session().create({ path, ...keys, description: 'one' });
    await mount.update({ path, ...keys, description: 'two' });
    expect((await bed.service.read(`sys/auth/${path}`))?.data['description']).toBe('two');
    await mount.update({ path, ...keys });
    expect((await bed.service.read(`sys/auth/${path}`))?.data['description']).toBe('');
  });

  test('a config field that leaves the program is reset', async () => {
    const mount = await session().create({ path, ...keys, boundIssuer: 'https://i', defaultRole: 'reader' });
    await expect(mount.differences({ path, ...keys, boundIssuer: 'https://i' })).resolves.toEqual({
      defaultRole: 'delete',
    });
    await mount.update({ path, ...keys, boundIssuer: 'https://i' });
    const config = await bed.service.read(`auth/${path}/config`);
    expect(config?.data).toMatchObject({ default_role: '', bound_issuer: 'https://i' });
  });

  test('namespaceInState is written when it goes back to its default', async () => {
    const mount = await session().create({ path, ...keys, namespaceInState: false });
    await mount.update({ path, ...keys });
    expect((await bed.service.read(`auth/${path}/config`))?.data['namespace_in_state']).toBe(true);
  });

  test('a config field changed by hand is a difference', async () => {
    const mount = await session().create({ path, ...keys, boundIssuer: 'https://i' });
    await bed.service.put(`auth/${path}/config`, {
      jwt_validation_pubkeys: [publicKey],
      default_role: 'other',
    });
    await mount.refresh();
    await expect(mount.differences({ path, ...keys, boundIssuer: 'https://i' })).resolves.toEqual({
      boundIssuer: 'add',
      defaultRole: 'delete',
    });
    expect(mount.inputs).not.toHaveProperty('defaultRole');
  });

  test('provider settings are sent by their own types and kept as text', async () => {
    const providerConfig = { provider: 'gsuite', fetch_groups: 'true', groups_recurse_max_depth: '5' };
    const mount = session();
    const news = { ...oidc(), providerConfig };
    // The real provider reads a key file on the server's host, so the refusal shows what it was sent.
    await expect(mount.create(news)).rejects.toThrow(/gsuite/);
    const azure = { ...oidc(), path: `${path}-moved`, providerConfig: { provider: 'azure' } };
    await mount.create(azure);
    await expect(mount.differences(azure)).resolves.toEqual({});
    expect(mount.state['providerConfig']).toEqual({ provider: 'azure' });
  });

  test('a path change moves the mount with its roles', async () => {
    const mount = await session().create({ path, ...keys });
    const accessor = mount.state['accessor'];
    const role = { backend: path, roleName: 'r', roleType: 'jwt', userClaim: 'sub', boundAudiences: ['a'] };
    await new ResourceSession(bed.plugin, types.role).create(role);
    await mount.update({ path: `${path}-moved`, ...keys });
    expect(mount.state).toMatchObject({ id: `${path}-moved`, path: `${path}-moved`, accessor });
    await expect(bed.service.read(`auth/${path}-moved/role/r`)).resolves.toBeDefined();
  });

  test('a mount that has moved unseen is found by its accessor, moved on, and deleted where it is', async () => {
    const mount = await session().create({ path, ...keys });
    const before = { inputs: mount.inputs, state: mount.state };
    await mount.update({ path: `${path}-moved`, ...keys });
    await expect(Object.assign(mount, before).refresh()).resolves.toBe(true);
    expect(mount.state).toMatchObject({ path: `${path}-moved`, accessor: before.state['accessor'] });
    await Object.assign(mount, before).update({ path: `${path}-again`, ...keys });
    await expect(bed.service.read(`auth/${path}-again/config`)).resolves.toBeDefined();
    await Object.assign(mount, before).delete();
    await expect(bed.service.read(`auth/${path}-again/config`)).resolves.toBeUndefined();
  });

  test('a mount whose config is refused is kept, with the reason', async () => {
    const mount = session();
    const failure = await mount
      .create({ ...oidc(), oidcDiscoveryUrl: 'http://127.0.0.1:1/' })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PluginError);
    const { partial } = failure as PluginError;
    expect(partial).toMatchObject({
      id: path,
      properties: { id: path, path, type: 'oidc', accessor: expect.any(String) },
      inputs: { oidcDiscoveryUrl: 'http://127.0.0.1:1/' },
      reasons: [expect.stringContaining('error checking oidc discovery URL')],
    });
    expect(partial?.properties).not.toHaveProperty('oidcClientSecret');
    expect(String(failure)).not.toContain('hidden');
  });

  test('a half-made mount is fixed by an update', async () => {
    const mount = session();
    const bad = { ...oidc(), oidcDiscoveryUrl: 'http://127.0.0.1:1/' };
    const { partial } = (await mount.create(bad).catch((error: unknown) => error)) as PluginError;
    mount.id = partial?.id ?? '';
    mount.state = partial?.properties ?? {};
    mount.inputs = partial?.inputs ?? {};
    await expect(mount.refresh()).resolves.toBe(true);
    await mount.update(oidc());
    await expect(mount.differences(oidc())).resolves.toEqual({});
  });

  test('a path in use is refused, and nothing is kept', async () => {
    await session().create({ path, ...keys });
    const failure = (await session()
      .create({ path, ...keys })
      .catch((error: unknown) => error)) as PluginError;
    expect(failure.message).toMatch(/already in use/);
    expect(failure.partial).toBeUndefined();
  });

  const untuned = {
    defaultLeaseTtl: '0s',
    maxLeaseTtl: '0s',
    listingVisibility: 'hidden',
    tokenType: 'default-service',
  };

  test('an import has the whole tuning of the mount, as programs write it', async () => {
    await session().create({ path, ...keys });
    const mount = await session().import(path);
    expect(mount.state['tune']).toMatchObject(untuned);
    expect(await mount.differences({ path, ...keys, tune: untuned })).toEqual({});
    expect(await mount.differences({ path, ...keys })).toEqual({});
  });

  test('an import has what the mount is tuned to', async () => {
    const tune = { ...untuned, maxLeaseTtl: '2h', listingVisibility: 'unauth' };
    await session().create({ path, ...keys, tune });
    const mount = await session().import(path);
    expect(mount.state['tune']).toMatchObject(tune);
    expect(await mount.differences({ path, ...keys, tune })).toEqual({});
  });

  test('an import does not take the declared secret for written', async () => {
    await session().create(oidc());
    const mount = await session().import(path);
    await expect(mount.differences(oidc())).resolves.toEqual({ oidcClientSecret: 'add' });
  });

  test('ignored changes are neither a difference nor written', async () => {
    const mount = await session().create({ path, ...keys, defaultRole: 'one' });
    const news = { path, ...keys, defaultRole: 'two', boundIssuer: 'https://i' };
    await expect(mount.differences(news, ['defaultRole'])).resolves.toEqual({ boundIssuer: 'add' });
    await mount.update(news, ['defaultRole']);
    expect((await bed.service.read(`auth/${path}/config`))?.data['default_role']).toBe('one');
  });

  test('a create in progress is not one of another type', async () => {
    await bed.service.post(`sys/auth/${path}`, { type: 'jwt' });
    await expect(session().findCreated(oidc())).resolves.toEqual([]);
  });

  describe('previews change nothing', () => {
    test('of a create: no id, and what the service will tell is unknown', async () => {
      const mount = session();
      const properties = await mount.checked({ path, ...keys });
      const created = await bed.plugin.create({ urn: mount.urn, properties, preview: true, timeout: 0 });
      expect(created.id).toBe('');
      expect(created.properties).toMatchObject({
        id: Unknown.value,
        path,
        accessor: Unknown.value,
        tune: Unknown.value,
      });
      await expect(bed.service.read(`auth/${path}/config`)).resolves.toBeUndefined();
    });

    test('of an update: the accessor stays', async () => {
      const mount = await session().create({ path, ...keys, boundIssuer: 'a' });
      const news = await mount.checked({ path, ...keys, defaultRole: 'x', boundIssuer: Unknown.value });
      const { urn, id, state: olds, inputs: oldInputs } = mount;
      const call = { urn, id, olds, oldInputs, news, ignoreChanges: [], preview: true, timeout: 0 };
      const { properties } = await bed.plugin.update(call);
      expect(properties).toMatchObject({
        id: path,
        accessor: olds['accessor'],
        defaultRole: 'x',
        boundIssuer: Unknown.value,
      });
      expect((await bed.service.read(`auth/${path}/config`))?.data['bound_issuer']).toBe('a');
    });

    test('of an update: an accessor that was never read is unknown', async () => {
      const mount = await session().create({ path, ...keys });
      const { urn, id, inputs: news } = mount;
      const { accessor: _, ...olds } = mount.state;
      const call = { urn, id, olds, oldInputs: news, news, ignoreChanges: [], preview: true, timeout: 0 };
      expect((await bed.plugin.update(call)).properties['accessor']).toBe(Unknown.value);
    });
  });
});
