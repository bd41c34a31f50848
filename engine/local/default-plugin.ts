import type { PropertyMap } from '../property-value.ts';
import { pluginType } from '../urn.ts';
import type { Goal } from './goal.ts';

/**
 * The plugin resource that works a package's resources where the program names none: `default_7_8_0`, with
 * the stack's configuration of the package (pulumi/pulumi `pkg/resource/deploy/source_eval.go`,
 * `newRegisterDefaultProviderEvent`).
 */
export function defaultPluginGoal(
  packageName: string,
  version: string | undefined,
  config: PropertyMap,
): Goal {
  return {
    type: pluginType(packageName),
    name: version === undefined ? 'default' : `default_${version.replace(/[^A-Za-z0-9]/g, '_')}`,
    custom: true,
    inputs: version === undefined ? { ...config } : pluginInputs(config, version),
    dependencies: [],
    propertyDependencies: {},
    ignoreChanges: [],
    replaceOnChanges: [],
    additionalSecretOutputs: [],
    aliases: [],
  };
}

/** The engine's own notes beside a plugin's settings (`providers/registry.go`, `SetProviderVersion`). */
export function pluginInputs(inputs: PropertyMap, version: string): PropertyMap {
  return { ...inputs, __internal: {}, version };
}
