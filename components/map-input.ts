import * as pulumi from '@pulumi/pulumi';
import { GatehouseError } from '../core/model/values/errors.ts';
import { maskError, maskOf } from '../core/model/values/mask.ts';

/**
 * Applies a pure function to an input. Plain values are mapped at once, so that an error stops the program at its line,
 * and no promise is created. A value that contains outputs or promises is mapped inside `apply`; the secrets in it are
 * masked in errors.
 */
export function mapInput<From, To>(input: pulumi.Input<From>, map: (plain: From) => To): pulumi.Input<To> {
  if (isPlain(input)) return map(input as From);
  return pulumi.output(input).apply((plain) => {
    try {
      return map(plain as From);
    } catch (error) {
      return secretsIn(input).then((secrets) => {
        throw runError(maskError(error, maskOf(secrets)));
      });
    }
  }) as pulumi.Output<To>;
}

export async function secretsIn(value: unknown): Promise<string[]> {
  if (typeof value !== 'object' || value === null) return [];
  if (value instanceof Promise) return secretsIn(await value);
  if (!pulumi.Output.isInstance(value)) {
    return (await Promise.all(Object.values(value).map(secretsIn))).flat();
  }
  const { isSecret, promise } = value as unknown as {
    isSecret: Promise<boolean>;
    promise(): Promise<unknown>;
  };
  return (await isSecret) ? textsIn(await promise()) : [];
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  return [String(value)];
}

/** Whether nothing in a value is known only later. */
export function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (pulumi.Output.isInstance(value) || value instanceof Promise || pulumi.Resource.isInstance(value))
    return false;
  return Object.values(value).every(isPlain);
}

/**
 * Converts an error that the user can act on: Pulumi prints only the message of a `RunError`, without a stack trace, so
 * the code is in it. Other errors are returned unchanged.
 */
export function runError(error: unknown): unknown {
  if (!(error instanceof GatehouseError)) return error;
  return Object.assign(new pulumi.RunError(`${error.message}\n  (${error.code})`), { code: error.code });
}
