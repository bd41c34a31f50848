import type { AnyResource } from '@gatehouse/core/graph';
import { toCamelCase } from '@gatehouse/core/values';
import type { PropertyMap } from '../../property-value.ts';
import { keptAt, type VaultResourceType } from './resource-type.ts';
import { emptyOf, namespaceProperty, onWire, schemaOf, text, toldValues } from './schema.ts';

/**
 * The type of a resource that is written whole at a path with its name, as a policy is (`vault/resource_policy.go`): a
 * create overwrites an existing one. Undefined for any other resource.
 */
export function namedType({ fields, official, wire, methodOf }: AnyResource): VaultResourceType | undefined {
  if (official?.importId === undefined || wire === undefined || methodOf !== undefined) return undefined;
  const nameProperty = toCamelCase(official.name);
  const body = schemaOf(fields, { [nameProperty]: { required: false, autonamed: true, replaces: true } });
  const schema = { ...body, namespace: namespaceProperty };
  const pathOf = (name: string) => `${wire.list('')}/${name}`;
  const written = (inputs: PropertyMap) =>
    Object.fromEntries(
      Object.entries(body)
        .filter(([name]) => name !== nameProperty)
        .map(([name, property]) => [onWire(name), inputs[name] ?? emptyOf(property)]),
    );
  return {
    token: official.pulumi,
    ...keptAt(schema, pathOf, written, (data, id) => ({ ...toldValues(schema, data), [nameProperty]: id })),

    async create(client, inputs) {
      const name = text(inputs, nameProperty);
      await client.put(pathOf(name), written(inputs));
      return { id: name };
    },

    async findCreated(client, inputs) {
      const name = text(inputs, nameProperty);
      return (await client.read(pathOf(name))) === undefined ? [] : [name];
    },
  };
}
