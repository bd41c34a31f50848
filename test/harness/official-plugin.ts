import type { Plugin } from '../../packages/engine/src/plugins/plugin.ts';
import { isEmpty } from '../../packages/engine/src/plugins/vault/schema.ts';
import { isPropertyMap, type PropertyMap } from '../../packages/engine/src/property-value.ts';

/**
 * Our vault plugin, with what the official one leaves of a method that changes: a description, and what a tuning no longer
 * gives (terraform-provider-vault `jwtAuthBackendUpdate`, `authMountTune`).
 */
export function asOfficial(plugin: Plugin): Plugin {
  const update = plugin.update.bind(plugin);
  plugin.update = async (request) => {
    const { urn, olds, news } = request;
    if (!urn.includes('vault:jwt/authBackend:AuthBackend')) return update(request);
    const given = isPropertyMap(news['tune'])
      ? Object.entries(news['tune']).filter(([, value]) => !isEmpty(value))
      : [];
    const tune: PropertyMap = {
      ...(isPropertyMap(olds['tune']) ? olds['tune'] : {}),
      ...Object.fromEntries(given),
    };
    const { description = '' } = olds;
    const { properties } = await update({ ...request, news: { ...news, description, tune } });
    // The state has what was asked for.
    return {
      properties: { ...properties, description: news['description'] ?? '', tune: news['tune'] ?? tune },
    };
  };
  return plugin;
}
