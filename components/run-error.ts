import * as pulumi from '@pulumi/pulumi';
import { GatehouseError } from '../core/model/values/errors.ts';

/**
 * Converts an error that the user can act on: Pulumi prints only the message of a `RunError`, without a stack trace, so
 * the code is in it. Other errors are returned unchanged.
 */
export function runError(error: unknown): unknown {
  if (!(error instanceof GatehouseError)) return error;
  return Object.assign(new pulumi.RunError(`${error.message}\n  (${error.code})`), { code: error.code });
}
