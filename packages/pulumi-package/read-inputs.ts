import { isObject } from '@gatehouse/core/values';
import * as pulumi from '@pulumi/pulumi';
import { isUnknown } from '@pulumi/pulumi/output.js';
import { type ComponentSpec, type ObjectSpec, schema, type TypeSpec } from './schema.ts';

/** What is wrong with an input. */
interface Failure {
  propertyPath: string;
  reason: string;
}

/** A component's arguments, and what is wrong with them. */
interface ReadInputs {
  args: Record<string, unknown>;
  failures: Failure[];
}

/** How a value of a type is recognized, and what it is called. */
const basic: Record<string, { is: (given: unknown) => boolean; called: string }> = {
  string: { is: (given) => typeof given === 'string', called: 'a text' },
  integer: { is: Number.isSafeInteger, called: 'a whole number' },
  boolean: { is: (given) => typeof given === 'boolean', called: 'true or false' },
};

/**
 * Reads what another language's program gives a component. Programs can leave their SDK's types aside, and YAML has none:
 * what does not fit the schema is said with its path, before anything is made. Where a plain value is inside an output (a
 * value that depends on a resource may come as one), it is taken out, and the rest stays outputs.
 */
export async function readInputs(
  { inputProperties: properties, requiredInputs: required }: ComponentSpec,
  inputs: Record<string, unknown>,
): Promise<ReadInputs> {
  const failures: Failure[] = [];
  const args = await readObject({ properties, required }, inputs, '', failures);
  return { args, failures };
}

async function readObject(
  { properties, required }: ObjectSpec,
  given: Record<string, unknown>,
  path: string,
  failures: Failure[],
  from?: pulumi.Output<unknown>,
): Promise<Record<string, unknown>> {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    const type = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (type === undefined) {
      const reason = `there is no such property; there are ${Object.keys(properties).sort().join(', ')}`;
      failures.push({ propertyPath: at(name), reason });
    } else read[name] = await readValue(type, value, at(name), failures, from);
  }
  for (const name of required) {
    if (read[name] === undefined) failures.push({ propertyPath: at(name), reason: 'it is required' });
  }
  return read;
}

/** @param from the output that a value was taken out of: what need not be plain in it goes on to depend on it */
async function readValue(
  type: TypeSpec,
  value: unknown,
  path: string,
  failures: Failure[],
  from?: pulumi.Output<unknown>,
): Promise<unknown> {
  const given = isUnknown(value) ? pulumi.output(value) : value;
  const fail = (reason: string) => {
    failures.push({ propertyPath: path, reason });
    return given;
  };
  if (pulumi.Output.isInstance(given)) {
    if (type.plain !== true) return given;
    const output = given as pulumi.Output<unknown> & KnownLater;
    if (await output.isSecret) return fail('it cannot be secret: it names a resource, or has names in it');
    if (!(await output.isKnown)) {
      return fail('it must be known when the program runs: it names a resource, or has names in it');
    }
    return readValue(type, await output.promise(), path, failures, given);
  }
  if (from !== undefined && type.plain !== true) {
    const read = await readValue(type, given, path, failures);
    return from.apply(() => read);
  }
  const { type: kind, items, additionalProperties, oneOf, $ref } = type;
  if ($ref === 'pulumi.json#/Any') return given;
  if ($ref !== undefined) {
    const named = schema.types[$ref.slice('#/types/'.length)];
    if (named !== undefined && 'enum' in named) {
      const values = named.enum.map(({ value }) => value);
      return values.includes(given as string) ? given : fail(`it must be one of ${values.join(', ')}`);
    }
    return named !== undefined && isObject(given)
      ? readObject(named, given, path, failures, from)
      : fail('it must be a map');
  }
  if (items !== undefined) {
    if (!Array.isArray(given)) return fail('it must be a list');
    const read: unknown[] = [];
    for (const [index, one] of given.entries()) {
      read.push(await readValue(items, one, `${path}[${index}]`, failures, from));
    }
    return read;
  }
  if (additionalProperties !== undefined) {
    if (!isObject(given)) return fail('it must be a map');
    const read: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(given)) {
      read[key] = await readValue(additionalProperties, value, `${path}.${key}`, failures, from);
    }
    return read;
  }
  const known = (oneOf ?? [{ type: kind }]).flatMap(({ type = '' }) => basic[type] ?? []);
  if (known.some(({ is }) => is(given))) return given;
  return fail(`it must be ${known.map(({ called }) => called).join(' or ')}`);
}

/** What the SDK knows of an output, and does not declare. */
interface KnownLater {
  isKnown: Promise<boolean>;
  isSecret: Promise<boolean>;
  promise(): Promise<unknown>;
}
