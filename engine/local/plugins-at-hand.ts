import { GatehouseError } from '../../core/model/values/errors.ts';
import type { PluginOptions } from '../plugins/grpc-plugin.ts';
import type { Plugin } from '../plugins/plugin.ts';
import type { PluginSource } from './plugin-registry.ts';

/**
 * Our own plugin for `vault`, in this process; for other packages a binary on disk, if there is one.
 *
 * @param engineAddress where the deployment's services listen by the time that a plugin is needed
 */
export function pluginsAtHand(env: NodeJS.ProcessEnv, engineAddress: () => string): PluginSource {
  return async (packageName, version) => {
    if (packageName === 'vault') {
      const { VaultPlugin } = await import('../plugins/vault/vault-plugin.ts');
      return new VaultPlugin(env);
    }
    return version === undefined
      ? undefined
      : launched({ name: packageName, version, engineAddress: engineAddress(), env });
  };
}

async function launched(options: PluginOptions): Promise<Plugin | undefined> {
  const { GrpcPlugin } = await import('../plugins/grpc-plugin.ts');
  try {
    return await GrpcPlugin.launch(options);
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'plugin_not_found') return undefined;
    throw error;
  }
}
