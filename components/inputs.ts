import { type BoundValue, checked, type Field, type Refusal } from '@gatehouse/core/graph';
import { addAll, GatehouseError, maskError, maskOf } from '@gatehouse/core/values';
import * as pulumi from '@pulumi/pulumi';

// An input that TypeScript programs may write in several ways. Other languages, whose types have no unions, have one. The
// SDK's analyzer takes the type of an input from its promise: packages/pulumi-package/schema.json has that.

/** A duration: a text such as `1h`, or seconds. For other languages a text. */
export type DurationInput = string | number | Promise<string> | pulumi.Output<string | number>;

/** One text, or several; one must match. For other languages a list. */
export type TextsInput =
  | string
  | pulumi.Input<string>[]
  | Promise<pulumi.Input<string>[]>
  | pulumi.Output<string | string[]>;

/**
 * One value of a claim, or several; one must match; types count. For other languages anything, which is checked later.
 */
export type ClaimInput =
  | BoundValue
  | BoundValue[]
  | Promise<pulumi.Inputs[string]>
  | pulumi.Output<BoundValue | BoundValue[]>;

/** Known now or later. An output of nothing is as good as none: Pulumi leaves both out. */
export type Later<T> = T | pulumi.Output<NonNullable<T>>;

/** A part of a graph, each of its fields known now or later. */
export type LaterFields<Part> = { [Name in keyof Part]: Later<Part[Name]> };

/** Arguments of components that are secret, marked so or not. */
export const secretInputs: readonly string[] = ['oidcClientSecret', 'clientSecret', 'serviceAccountKey'];

/** A component's arguments as it registers them: what is secret among them is marked. */
export function withSecrets(args: object): pulumi.Inputs {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      secretInputs.includes(name) && value !== undefined ? pulumi.secret(value) : value,
    ]),
  );
}

/**
 * Applies a pure function to an input. Plain values are mapped at once, so that an error stops the program at its line,
 * and no promise is created. A value that contains outputs or promises is mapped inside `apply`; the secrets in it are
 * masked in errors.
 */
export function mapInput<Given, To>(input: Given, map: (plain: pulumi.Unwrap<Given>) => To): Later<To> {
  if (isPlain(input)) return map(input as pulumi.Unwrap<Given>);
  return pulumi.output(input).apply((plain) => {
    try {
      return map(plain as pulumi.Unwrap<Given>);
    } catch (error) {
      return secretsIn(input).then((secrets) => {
        throw runError(maskError(error, maskOf(secrets)));
      });
    }
  }) as pulumi.Output<NonNullable<To>>;
}

/**
 * Arguments as a table of fields reads them, and refused where servers refuse them: at once where they are plain, all of them
 * together. Other languages have no types, or others, for what the table says.
 *
 * @param refusals what servers refuse of several fields, as far as these are known. Defaults to nothing
 * @throws GatehouseError `inputs_invalid`
 */
export function checkedInputs<Args extends object, Values extends object = never>(
  table: Readonly<Record<string, CheckedField>>,
  args: Args,
  refusals: readonly Refusal<Values, PropertyKey>[] = [],
): Args {
  const problems: string[] = [];
  const read = Object.entries(args).map(([name, argument]) => {
    const field = table[name];
    if (field === undefined || argument === undefined) return [name, argument];
    if (!isPlain(argument)) {
      return [name, mapInput(argument, (plain) => requireValid(parsed(name, field, plain)))];
    }
    const { value, problems: own } = parsed(name, field, argument);
    addAll(problems, own);
    return [name, value];
  });
  const known = Object.fromEntries(
    read.filter(([, value]) => value !== null && isPlain(value)),
  ) as Partial<Values>;
  const isWhole = Object.values(args).every(isPlain);
  for (const { field, message, isOfWhole, isRefused } of refusals) {
    if ((!isOfWhole || isWhole) && isRefused(known)) problems.push(`${String(field)}: ${message}`);
  }
  return requireValid({ value: Object.fromEntries(read) as Args, problems });
}

type CheckedField = Pick<Field, 'schema' | 'check'>;

function parsed(name: string, field: CheckedField, input: unknown): { value: unknown; problems: string[] } {
  const { success, data, error } = checked(field).optional().safeParse(input);
  if (success) return { value: data, problems: [] };
  const problems = error.issues.map(({ path, message }) => `${[name, ...path].join('.')}: ${message}`);
  return { value: input, problems };
}

function requireValid<Value>({ value, problems }: { value: Value; problems: readonly string[] }): Value {
  if (problems.length === 0) return value;
  throw new GatehouseError('inputs_invalid', { values: { problems: problems.join('\n  ') } });
}

/** Whether nothing in a value is known only later. */
export function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (pulumi.Output.isInstance(value) || value instanceof Promise || pulumi.Resource.isInstance(value))
    return false;
  return Object.values(value).every(isPlain);
}

export async function secretsIn(value: unknown): Promise<string[]> {
  if (typeof value !== 'object' || value === null) return [];
  if (value instanceof Promise) return secretsIn(await value);
  if (!pulumi.Output.isInstance(value)) {
    return (await Promise.all(Object.values(value).map(secretsIn))).flat();
  }
  const { promise } = value as pulumi.Output<unknown> & { promise(): Promise<unknown> };
  return (await pulumi.isSecret(value)) ? textsIn(await promise()) : [];
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  return [String(value)];
}

/**
 * Converts an error that the user can act on: Pulumi prints only the message of a `RunError`, without a stack trace, so
 * the code is in it. Other errors are returned unchanged.
 */
export function runError(error: unknown): unknown {
  if (!(error instanceof GatehouseError)) return error;
  return Object.assign(new pulumi.RunError(`${error.message}\n  (${error.code})`), { code: error.code });
}
