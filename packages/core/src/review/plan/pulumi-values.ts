import type { HiddenText } from '../../graph/values/hidden-text.ts';
import { isObject, shallowJsonIn } from '../../graph/values/json.ts';
import { unknownTexts } from '../../graph/values/unknown-text.ts';
import { toSnakeCase } from '../../graph/values/wire.ts';
import { type HiddenValues, shown } from './hidden-values.ts';
import { holds, rewritten } from './json-parts.ts';
import type { PlannedSide } from './planned-resource.ts';
import type { PulumiState } from './pulumi-preview.ts';
import { type Fields, isWrittenData, type PlannedType, secretFields } from './resource-types.ts';

/** What stands for a value that is not shown. */
const hiddenText = '[secret]';
/** The key of an object that is a secret, or something else that JSON cannot say; and what it has for a secret. */
const signature = '4dabf18193072939515e22adb298388d';
const secretSignature = '1b47061264138c4ac30d75fd1eb44270';

/** The values of one side of a resource, with the names of those that are hidden. */
export type PulumiFields = Pick<PlannedSide, 'fields' | 'unknown' | 'references'> & { hidden: string[] };

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
    const isWrite = isWrittenData(type, field);
    if (holds(withoutSecrets(value), isUnknown)) {
      read.unknown.push(field);
      if (targets?.length) read.references[field] = targets;
      // The names of its blocks are known.
      if (type === 'inert' && typeof value === 'object')
        read.fields[field] = rewritten(withoutSecrets(value), (part) => (isUnknown(part) ? null : undefined));
    } else if (isWrite && !isSecret(value)) read.fields[field] = hidden.hideJson(value);
    else if (!holds(value, isSecret)) read.fields[field] = value;
    else {
      if (!isWrite) read.hidden.push(field);
      read.fields[field] = rewritten(value, (part, path) => {
        if (!isSecret(part)) return undefined;
        const plain = plaintext(part);
        if (plain === undefined) {
          const text = untoldText(part, field, path);
          return path.length > 0 || isWrite ? text : hidden.shaped(type, field, text);
        }
        if (path.length > 0) return hidden.text(plain.value);
        return isWrite ? hidden.hideJson(plain.value) : hidden.hideAll(plain.value);
      });
    }
  }
  return read;

  function untoldText(secret: unknown, field: string, path: readonly unknown[]): HiddenText {
    if (differs(field)) return hidden.fresh();
    const cipher = isObject(secret) ? secret['ciphertext'] : undefined;
    const isTold = typeof cipher === 'string' && cipher !== '' && !cipher.includes(hiddenText);
    return hidden.text(isTold ? { cipher } : { urn, field, path });
  }
}

/** A value without what Pulumi notes in it. */
function withoutMarks(value: unknown): unknown {
  const nameOf = (name: string) => (name === '__defaults' ? undefined : name);
  return rewritten(value, () => undefined, nameOf);
}

function withoutSecrets(value: unknown): unknown {
  return rewritten(value, (part) => (isSecret(part) ? hiddenText : undefined));
}

/** The value of a secret that is shown, as `--show-secrets` has it. */
export function plaintext(secret: unknown): { value: unknown } | undefined {
  const { plaintext: plain, value } = (secret ?? {}) as { plaintext?: unknown; value?: unknown };
  if (value !== undefined) return { value };
  if (typeof plain !== 'string') return undefined;
  const json = shallowJsonIn(plain);
  return { value: json === undefined ? plain : json };
}

export function isSecret(value: unknown): boolean {
  return value === hiddenText || (isObject(value) && value[signature] === secretSignature);
}

/** Unknown, or something of Pulumi's own that no field of the service can be. */
function isUnknown(value: unknown): boolean {
  return unknownTexts.has(value) || (isObject(value) && Object.hasOwn(value, signature));
}
