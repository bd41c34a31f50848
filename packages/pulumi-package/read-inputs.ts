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
const basic: Record<string, { is: (value: unknown) => boolean; called: string }> = {
  string: { is: (value) => typeof value === 'string', called: 'a text' },
  integer: { is: Number.isSafeInteger, called: 'a whole number' },
  boolean: { is: (value) => typeof value === 'boolean', called: 'true or false' },
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
  values: Record<string, unknown>,
  path: string,
  failures: Failure[],
  source?: pulumi.Output<unknown>,
): Promise<Record<string, unknown>> {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null) continue;
    const type = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (type === undefined) {
      const reason = `there is no such property; there are ${Object.keys(properties).sort().join(', ')}`;
      failures.push({ propertyPath: at(name), reason });
    } else read[name] = await readValue(type, value, at(name), failures, source);
  }
  for (const name of required) {
    if (read[name] === undefined) failures.push({ propertyPath: at(name), reason: 'it is required' });
  }
  return read;
}

/** @param source the output that a value was taken out of: what need not be plain in it goes on to depend on it */
async function readValue(
  type: TypeSpec,
  input: unknown,
  path: string,
  failures: Failure[],
  source?: pulumi.Output<unknown>,
): Promise<unknown> {
  const value = isUnknown(input) ? pulumi.output(input) : input;
  if (pulumi.Output.isInstance(value)) {
    return type.plain === true ? readOutput(type, value, path, failures) : value;
  }
  if (source !== undefined && type.plain !== true) {
    const read = await readValue(type, value, path, failures);
    return source.apply(() => read);
  }
  return readKnown(type, value, path, failures, source);
}

/** Takes the value of a plain property out of an output. */
async function readOutput(
  type: TypeSpec,
  output: pulumi.Output<unknown>,
  path: string,
  failures: Failure[],
): Promise<unknown> {
  const later = output as pulumi.Output<unknown> & KnownLater;
  const refuse = (reason: string) => {
    failures.push({ propertyPath: path, reason });
    return output;
  };
  if (await later.isSecret) return refuse('it cannot be secret: it names a resource, or has names in it');
  if (!(await later.isKnown)) {
    return refuse('it must be known when the program runs: it names a resource, or has names in it');
  }
  return readValue(type, await later.promise(), path, failures, output);
}

/** Reads a value that is no output. */
async function readKnown(
  type: TypeSpec,
  value: unknown,
  path: string,
  failures: Failure[],
  source: pulumi.Output<unknown> | undefined,
): Promise<unknown> {
  const { type: kind, items, additionalProperties, oneOf, $ref } = type;
  const refuse = (reason: string) => {
    failures.push({ propertyPath: path, reason });
    return value;
  };
  if ($ref === 'pulumi.json#/Any') return value;
  if ($ref !== undefined) {
    const named = schema.types[$ref.slice('#/types/'.length)];
    if (named !== undefined && 'enum' in named) {
      const choices = named.enum.map((choice) => choice.value);
      return choices.includes(value as string) ? value : refuse(`it must be one of ${choices.join(', ')}`);
    }
    return named !== undefined && isObject(value)
      ? readObject(named, value, path, failures, source)
      : refuse('it must be a map');
  }
  if (items !== undefined) {
    if (!Array.isArray(value)) return refuse('it must be a list');
    const read: unknown[] = [];
    for (const [index, item] of value.entries()) {
      read.push(await readValue(items, item, `${path}[${index}]`, failures, source));
    }
    return read;
  }
  if (additionalProperties !== undefined) {
    if (!isObject(value)) return refuse('it must be a map');
    const read: Record<string, unknown> = {};
    for (const [key, entry] of Object.entries(value)) {
      read[key] = await readValue(additionalProperties, entry, `${path}.${key}`, failures, source);
    }
    return read;
  }
  const known = (oneOf ?? [{ type: kind }]).flatMap(({ type = '' }) => basic[type] ?? []);
  if (known.some(({ is }) => is(value))) return value;
  return refuse(`it must be ${known.map(({ called }) => called).join(' or ')}`);
}

/** What the SDK knows of an output, and does not declare. */
interface KnownLater {
  isKnown: Promise<boolean>;
  isSecret: Promise<boolean>;
  promise(): Promise<unknown>;
}
