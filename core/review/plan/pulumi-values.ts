import { jsonIn } from '../../model/values/json.ts';
import { unknownTexts } from '../../model/values/unknown-text.ts';
import { toSnakeCase } from '../../model/values/wire.ts';
import { type HiddenValues, shown } from './hidden-values.ts';
import type { Fields } from './planned-resource.ts';
import type { PulumiState } from './pulumi-preview.ts';
import { type PlannedType, secretFields, typeInPlan } from './resource-types.ts';

/** What stands for a value that is not shown. */
const hiddenText = '[secret]';
/** The key of an object that is a secret, or something else that JSON cannot say; and what it has for a secret. */
const signature = '4dabf18193072939515e22adb298388d';
const secretSignature = '1b47061264138c4ac30d75fd1eb44270';

/** The values of one side of a resource. */
export interface PulumiFields {
  fields: Fields;
  unknown: string[];
  hidden: string[];
  references: Record<string, string[]>;
}

/**
 * Reads the values of a state. A secret that is only "[secret]" is taken for the same as that of the other side,
 * unless it differs.
 */
export function readValues(
  type: PlannedType,
  values: Fields,
  { propertyDependencies }: PulumiState,
  hidden: HiddenValues,
  { urn, differs }: { urn: string; differs: (field: string) => boolean },
): PulumiFields {
  const read: PulumiFields = { fields: {}, unknown: [], hidden: [], references: {} };
  for (const [name, given] of Object.entries(values)) {
    const field = toSnakeCase(name);
    const value = shown(withoutMarks(given));
    if (name.startsWith('__') || secretFields.has(field) || value === null || value === undefined) continue;
    const targets = propertyDependencies?.[name];
    if (holds(value, isUnknown)) {
      read.unknown.push(field);
      if (targets?.length) read.references[field] = targets;
      continue;
    }
    if (typeInPlan(type).isWrite && (field.startsWith('data') || field.startsWith('write_data'))) {
      read.fields[field] = isSecret(value) ? secretText(value, field) : hidden.hideJson(value);
    } else if (!holds(value, isSecret)) read.fields[field] = value;
    else {
      read.hidden.push(field);
      read.fields[field] = isSecret(value)
        ? whole(value, field)
        : hide(value, field, (secret, at) => leaf(secret, field, at));
    }
  }
  return read;

  function secretText(secret: unknown, field: string): unknown {
    const plain = plaintext(secret);
    return plain === undefined ? leaf(secret, field, field) : hidden.hideJson(plain.value);
  }

  function whole(secret: unknown, field: string): unknown {
    const plain = plaintext(secret);
    return plain === undefined
      ? hidden.shaped(type, field, leaf(secret, field, field))
      : hidden.hideAll(plain.value);
  }

  function leaf(secret: unknown, field: string, at: string): string {
    const plain = plaintext(secret);
    if (plain !== undefined) return hidden.text(plain.value);
    const cipher = (secret as { ciphertext?: unknown } | null)?.ciphertext;
    if (typeof cipher === 'string' && cipher !== '' && !cipher.includes(hiddenText) && !differs(field)) {
      return hidden.text({ cipher });
    }
    return differs(field) ? hidden.fresh() : hidden.text({ urn, at });
  }
}

/** A value without what Pulumi notes in it: `__defaults`. */
function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== '__defaults')
      .map(([name, one]) => [name, withoutMarks(one)]),
  );
}

/** The value of a secret that is shown, as `--show-secrets` has it. */
export function plaintext(secret: unknown): { value: unknown } | undefined {
  const { plaintext: plain, value } = (typeof secret === 'object' ? (secret ?? {}) : {}) as Fields;
  if (value !== undefined) return { value };
  if (typeof plain !== 'string') return undefined;
  const json = jsonIn(plain);
  return { value: json === undefined ? plain : json };
}

function hide(value: unknown, at: string, text: (secret: unknown, at: string) => string): unknown {
  if (isSecret(value)) return text(value, at);
  if (Array.isArray(value)) return value.map((one, index) => hide(one, `${at}[${index}]`, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, hide(one, `${at}.${name}`, text)]),
  );
}

/** Whether a value is a secret, shown or not. */
export function isSecret(value: unknown): boolean {
  if (value === hiddenText) return true;
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as Fields)[signature] !== undefined &&
    (value as Fields)[signature] === secretSignature
  );
}

/** Unknown, or something of Pulumi's own that no field of the service can be. */
function isUnknown(value: unknown): boolean {
  if (unknownTexts.has(value)) return true;
  return typeof value === 'object' && value !== null && Object.hasOwn(value, signature) && !isSecret(value);
}

function holds(value: unknown, is: (value: unknown) => boolean): boolean {
  if (is(value)) return true;
  if (typeof value !== 'object' || value === null || isSecret(value)) return false;
  return Object.values(value).some((one) => holds(one, is));
}
