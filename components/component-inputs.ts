import * as pulumi from '@pulumi/pulumi';
import type { z } from 'zod';
import { GatehouseError } from '../core/model/values/errors.ts';
import { mapInput } from './map-input.ts';

/** Arguments of components that are secret, marked so or not. */
export const secretInputs: readonly string[] = ['oidcClientSecret', 'clientSecret', 'serviceAccountKey'];

/** A component's arguments as it registers them: what is secret among them is marked. */
export function componentInputs(args: object): pulumi.Inputs {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      secretInputs.includes(name) && value !== undefined ? pulumi.secret(value) : value,
    ]),
  );
}

/**
 * An argument as its schema reads it. Other languages have no types, or others, for what it checks.
 *
 * @throws GatehouseError `inputs_invalid`
 */
export function checkedInput<T>(name: string, schema: z.ZodType<T>, given: unknown): pulumi.Input<T> {
  return mapInput(given as pulumi.Input<unknown>, (value) => {
    const { success, data, error } = schema.optional().safeParse(value);
    if (success) return data as T;
    throw new GatehouseError({
      code: 'inputs_invalid',
      what: 'this input is not valid',
      fix: error.issues.map(({ path, message }) => `${[name, ...path].join('.')}: ${message}`).join('\n  '),
    });
  });
}
