import { terraformName } from '@gatehouse/core/review';
import { objectIn } from '@gatehouse/core/values';
import type { PropertyMap } from '../../property-value.ts';
import { PluginError } from '../plugin.ts';
import type { ResourceType } from './resource-type.ts';

/** Where the bridge keeps the version of a state's schema (pulumi/pulumi-terraform-bridge `pkg/tfbridge/schema.go`). */
const metaKey = '__meta';

/** A state with the version of its schema. The first one, 0, is not written. */
export function versioned({ schemaVersion = 0 }: ResourceType, state: PropertyMap): PropertyMap {
  if (schemaVersion === 0) return state;
  return { ...state, [metaKey]: JSON.stringify({ schema_version: String(schemaVersion) }) };
}

/**
 * Refuses a state of a later schema, as the bridge does in the same words (`pkg/tfshim/sdk-v2/upgrade_state.go`). It may be
 * the state of another type, by an alias in the program.
 */
export function refuseLaterSchema({ token, schemaVersion = 0 }: ResourceType, state: PropertyMap): void {
  const meta = state[metaKey];
  const version = Number((typeof meta === 'string' ? objectIn(meta) : undefined)?.['schema_version'] ?? 0);
  if (version <= schemaVersion) return;
  throw new PluginError(
    `State version ${version} is greater than schema version ${schemaVersion} for resource ` +
      `${terraformName(token)}. Please upgrade the provider to work with this resource.`,
  );
}
