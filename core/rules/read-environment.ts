import type { Environment } from '../model/environment.ts';
import { type ConfigSource, environmentFromConfig } from '../model/environment-config.ts';
import { ruleIds } from './rules.ts';

/**
 * Reads an environment from a stack's configuration, with the rules that it may turn off.
 *
 * @throws GatehouseError `environment_invalid`, `environment_file_invalid`.
 */
export function readEnvironment(source: Omit<ConfigSource, 'ruleIds'>): Environment {
  return environmentFromConfig({ ...source, ruleIds });
}
