import { setTimeout as sleep } from 'node:timers/promises';
import { nameOfNamespace, namespaceBelow, namespaceName, textOf, trimmed } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';
import type { PropertyMap } from '../../property-value.ts';
import type { VaultResourceType } from './resource-type.ts';
import { entries, isEmpty, namespaceProperty, type Schema, text } from './schema.ts';
import { stateFrom } from './state.ts';

const schema: Schema = {
  path: {
    type: 'string',
    required: true,
    replaces: true,
    refuse: (value) => namespaceName.safeParse(value).error?.issues[0]?.message,
  },
  customMetadata: { type: 'map', computed: true },
  namespace: namespaceProperty,
  namespaceId: { type: 'string', outputOnly: true },
  pathFq: { type: 'string', outputOnly: true },
};

/** Together half a minute: OpenBao 2.7.2 took some milliseconds to delete an empty namespace. */
const waits = 300;
const waitMs = 100;

/** A namespace (hashicorp/terraform-provider-vault `vault/resource_namespace.go`). Its id is its whole path. */
export const namespace: VaultResourceType = {
  token: 'vault:index/namespace:Namespace',
  schema,

  async create(client, inputs) {
    const name = text(inputs, 'path');
    if ((await client.read(pathTo(name))) !== undefined) {
      // A write to one that is there changes it: what is in it was made by others.
      throw new GatehouseError('would_take_over.namespace', { given: name });
    }
    const { data } = await client.put(pathTo(name), { custom_metadata: metadataOf(inputs) });
    return { id: textOf(data['path']) ?? `${name}/` };
  },

  async read(client, id, declared) {
    const name = nameOfNamespace(trimmed(id));
    const answer = await client.read(pathTo(name));
    if (answer === undefined) return undefined;
    const { custom_metadata: customMetadata, id: namespaceId } = answer.data;
    const outer = textOf(declared['namespace']);
    const read = {
      path: name,
      customMetadata,
      namespaceId,
      pathFq: namespaceBelow(outer, name),
    };
    return { ...stateFrom(schema, declared, read as PropertyMap), id };
  },

  async update(client, _id, _olds, news) {
    await client.put(pathTo(text(news, 'path')), { custom_metadata: metadataOf(news) });
  },

  async delete(client, id) {
    const path = pathTo(nameOfNamespace(trimmed(id)));
    await client.delete(path);
    // The service deletes a namespace in the background, with its content; the outer namespace cannot go before.
    for (let left = waits; left > 0 && (await client.read(path)) !== undefined; left -= 1)
      await sleep(waitMs);
  },

  async findCreated(client, inputs) {
    const answer = await client.read(pathTo(text(inputs, 'path')));
    const path = textOf(answer?.data['path']);
    return path === undefined ? [] : [path];
  },
};

function pathTo(name: string): string {
  return `sys/namespaces/${name}`;
}

function metadataOf({ customMetadata = {} }: PropertyMap): Record<string, string> {
  const metadata = isEmpty(customMetadata) ? {} : (customMetadata as PropertyMap);
  return Object.fromEntries(entries(metadata).map(([name, value]) => [name, String(value)]));
}
