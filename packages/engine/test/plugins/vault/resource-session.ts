import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { started } from '../../../../../test/harness/started.ts';
import { ServiceClient } from '../../../../service-client/src/service-client.ts';
import type { CheckFailure, DiffResponse } from '../../../src/plugins/plugin.ts';
import { VaultPlugin } from '../../../src/plugins/vault/vault-plugin.ts';
import type { PropertyMap } from '../../../src/property-value.ts';

/** The types of resource that the plugin has. */
export const types = {
  mount: 'vault:jwt/authBackend:AuthBackend',
  role: 'vault:jwt/authBackendRole:AuthBackendRole',
  group: 'vault:identity/group:Group',
  alias: 'vault:identity/groupAlias:GroupAlias',
  policy: 'vault:index/policy:Policy',
  message: 'vault:config/uiCustomMessage:UiCustomMessage',
  endpoint: 'vault:generic/endpoint:Endpoint',
  namespace: 'vault:index/namespace:Namespace',
} as const;
export type TypeName = keyof typeof types;

/** A public key for the config of an auth method. */
export const publicKey = String(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' }),
);

/**
 * Drives one resource through the plugin as an engine does (check, difference, create or update, read back),
 * keeping its inputs and state. It never replaces: tests look at the difference instead.
 */
export class ResourceSession {
  readonly plugin: VaultPlugin;
  readonly urn: string;
  id = '';
  inputs: PropertyMap = {};
  state: PropertyMap = {};

  constructor(plugin: VaultPlugin, type: string, name = 'it') {
    this.plugin = plugin;
    this.urn = `urn:pulumi:dev::test::${type}::${name}`;
  }

  async check(news: PropertyMap): Promise<{ inputs: PropertyMap; failures: CheckFailure[] }> {
    const randomSeed = new Uint8Array(32).fill(7);
    return await this.plugin.check({ urn: this.urn, olds: this.inputs, news, randomSeed });
  }

  async checked(news: PropertyMap): Promise<PropertyMap> {
    const { inputs, failures } = await this.check(news);
    if (failures.length > 0) throw new Error(JSON.stringify(failures));
    return inputs;
  }

  async diff(news: PropertyMap, ignoreChanges: string[] = []): Promise<DiffResponse> {
    const { urn, id, state: olds, inputs: oldInputs } = this;
    return await this.plugin.diff({
      urn,
      id,
      olds,
      oldInputs,
      news: await this.checked(news),
      ignoreChanges,
    });
  }

  /** Property path → kind of difference. */
  async differences(news: PropertyMap, ignoreChanges: string[] = []): Promise<Record<string, string>> {
    const { detailedDiff = {} } = await this.diff(news, ignoreChanges);
    return Object.fromEntries(Object.entries(detailedDiff).map(([path, { kind }]) => [path, kind]));
  }

  async create(news: PropertyMap): Promise<this> {
    const inputs = await this.checked(news);
    const created = await this.plugin.create({
      urn: this.urn,
      properties: inputs,
      preview: false,
      timeout: 0,
    });
    this.id = created.id;
    this.inputs = inputs;
    this.state = created.properties;
    return this;
  }

  async update(news: PropertyMap, ignoreChanges: string[] = []): Promise<this> {
    const inputs = await this.checked(news);
    const { urn, id, state: olds, inputs: oldInputs } = this;
    const call = { urn, id, olds, oldInputs, news: inputs, ignoreChanges, preview: false, timeout: 0 };
    this.state = (await this.plugin.update(call)).properties;
    this.inputs = inputs;
    return this;
  }

  /** Reads the resource into the session; false when it is gone. */
  async refresh(): Promise<boolean> {
    const { urn, id, inputs, state: properties } = this;
    const read = await this.plugin.read({ urn, id, inputs, properties });
    if (read.id === '') return false;
    this.inputs = read.inputs;
    this.state = read.properties;
    return true;
  }

  async import(id: string): Promise<this> {
    const read = await this.plugin.read({ urn: this.urn, id, inputs: {}, properties: {} });
    this.id = read.id;
    this.inputs = read.inputs;
    this.state = read.properties;
    return this;
  }

  async delete(): Promise<void> {
    const { urn, id, state: properties, inputs: oldInputs } = this;
    await this.plugin.delete({ urn, id, properties, oldInputs, timeout: 0 });
  }

  async findCreated(news: PropertyMap): Promise<string[]> {
    return await this.plugin.findCreated({ urn: this.urn, properties: await this.checked(news) });
  }
}

/** A plugin that works on a service with its root token itself, and with nothing from the environment. */
export async function openPlugin({
  address,
  token,
}: {
  address: string;
  token: string;
}): Promise<VaultPlugin> {
  const plugin = new VaultPlugin({});
  await plugin.configure({ inputs: { address, token, skipChildToken: true } });
  return plugin;
}

/** What the tests of one type of resource work with. Only inside tests and hooks. */
interface OnOpenBao {
  readonly plugin: VaultPlugin;
  readonly service: ServiceClient;
  /** A resource of the type. */
  session(name?: string): ResourceSession;
}

/** Tests of a type of resource on a real OpenBao; skipped by their names where it cannot be fetched. */
export function describeResource(name: string, type: string, tests: (bed: OnOpenBao) => void): void {
  describeWithOpenBao(name, (server) => {
    const plugin = started(() => openPlugin(server()));
    const service = started(() => new ServiceClient(server()));
    tests({
      get plugin() {
        return plugin();
      },
      get service() {
        return service();
      },
      session: (one) => new ResourceSession(plugin(), type, one),
    });
  });
}

/**
 * What holds of every type.
 *
 * @param given the properties of a resource that is not there yet
 * @param chosen what an import has as the service chose it
 */
export function testLifecycle(
  { session }: Pick<OnOpenBao, 'session'>,
  given: () => PropertyMap | Promise<PropertyMap>,
  chosen: PropertyMap = {},
): void {
  test('made, it does not differ', async () => {
    const news = await given();
    const created = await session().create(news);
    expect(created.state).toMatchObject({ id: created.id, ...news });
    await created.refresh();
    await expect(created.differences(news)).resolves.toEqual({});
  });

  test('one that is gone has no id, and deleting it is fine', async () => {
    const created = await session().create(await given());
    await created.delete();
    await expect(created.refresh()).resolves.toBe(false);
    await expect(created.delete()).resolves.toBeUndefined();
  });

  test('an import gives just what is not a default', async () => {
    const news = await given();
    const { id } = await session().create(news);
    const imported = await session().import(id);
    expect(imported.inputs).toEqual({ ...news, ...chosen, __defaults: [] });
    await expect(imported.differences(news)).resolves.toEqual({});
  });

  test('a create in progress is found', async () => {
    const news = await given();
    await expect(session().findCreated(news)).resolves.toEqual([]);
    const { id } = await session().create(news);
    await expect(session().findCreated(news)).resolves.toEqual([id]);
  });
}
