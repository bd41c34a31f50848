import { declare } from '../../packages/core/src/environment/declared.ts';
import type { Environment } from '../../packages/core/src/environment/environment.ts';
import { configFields } from '../../packages/core/src/graph/resources/auth-method.ts';
import { type Fields, wireNameIn } from '../../packages/core/src/graph/resources/field.ts';
import { providerConfigToWire } from '../../packages/core/src/graph/resources/provider-config.ts';
import { roleFields } from '../../packages/core/src/graph/resources/role.ts';

/** What an environment comes to, by path and in the words of the secrets service, as the documents show it. */
export function declaredBlock(environment: Environment): Record<string, unknown> {
  const { methods, roles, groups, aliases } = declare(environment);
  const block: Record<string, unknown> = {};
  for (const { path, type, config } of methods) {
    block[`sys/auth/${path}`] = { type };
    block[`auth/${path}/config`] = onWire(configFields, {
      ...config,
      ...(config.providerConfig === undefined
        ? {}
        : {
            providerConfig: shown(providerConfigToWire(config.providerConfig, environment.service.dialect)),
          }),
    });
    for (const { method, name, ...fields } of roles) {
      if (method === path) block[`auth/${path}/role/${name}`] = onWire(roleFields, fields);
    }
  }
  for (const { name, policies } of groups) {
    const alias = aliases.find(({ group }) => group === name)?.name;
    block[`identity/group/name/${name}`] = { type: 'external', policies, alias };
  }
  return block;
}

function onWire(table: Fields, fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [wireNameIn(table, name), value]),
  );
}

/** A key that is given as a secret is not part of what is declared. */
function shown(config: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, value === '' ? '…' : value]));
}
