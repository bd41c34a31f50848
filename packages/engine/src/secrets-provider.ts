import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from './stack.ts';

/** About secrets that only the Pulumi CLI can read, where they are needed without it. */
export function secretsProviderUnsupported(
  { name, where }: NonNullable<Stack['secretsProvider']>,
  fix = 'Use --engine pulumi, or change it with `pulumi stack change-secrets-provider passphrase`.',
): GatehouseError {
  return new GatehouseError({
    code: 'secrets_provider_unsupported',
    what: "The stack's secrets are not encrypted with a passphrase: only the Pulumi CLI can read and write them.",
    given: name,
    allowed: 'passphrase',
    fix,
    where,
  });
}

/** About values that only the Pulumi CLI can read, where they are needed without it. */
export function environmentUnsupported(where: string): GatehouseError {
  return new GatehouseError({
    code: 'stack_environment_unsupported',
    what: 'The stack imports Pulumi ESC environments (`environment:`), which only the Pulumi CLI can open.',
    fix: 'Use --engine pulumi, or write the values into `config:`.',
    where,
  });
}
