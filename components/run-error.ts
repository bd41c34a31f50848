import * as pulumi from '@pulumi/pulumi';
import { GatehouseError } from '../core/model/values/errors.ts';

/**
 * What a program throws for an error that its user can act on: Pulumi prints such an error's message alone, without
 * a stack trace. It keeps its code. Anything else is thrown as it is.
 */
export function runError(error: unknown): unknown {
  if (!(error instanceof GatehouseError)) return error;
  return Object.assign(new pulumi.RunError(error.message), { code: error.code });
}
