import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from './stack.ts';

/**
 * About secrets that only the Pulumi CLI can read, where they are needed without it.
 *
 * @param command of the CLI that does the same
 */
export function secretsProviderUnsupported(
  { name, where }: NonNullable<Stack['secretsProvider']>,
  command?: string,
): GatehouseError {
  const circumstances = { given: name, allowed: 'passphrase', where };
  if (command === undefined) return new GatehouseError('secrets_provider_unsupported', circumstances);
  return new GatehouseError('secrets_provider_unsupported.command', {
    ...circumstances,
    values: { command },
  });
}

/** About values that only the Pulumi CLI can read, where they are needed without it. */
export function environmentUnsupported(where: string): GatehouseError {
  return new GatehouseError('stack_environment_unsupported', { where });
}
