import * as pulumi from '@pulumi/pulumi';
import { GatehouseError } from '../core/model/errors.ts';

/**
 * What a program throws for an error that its user can act on: Pulumi prints such an error's message alone, without
 * a stack trace. Anything else is thrown as it is.
 */
export function runError(error: unknown): unknown {
  return error instanceof GatehouseError ? new pulumi.RunError(error.message) : error;
}
