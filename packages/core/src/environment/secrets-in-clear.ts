import { isObject, objectIn } from '../graph/values/json.ts';
import { objectOf } from '../graph/values/loose-values.ts';
import { isSecretKey } from '../graph/values/secret-keys.ts';
import { yamlValue } from '../graph/values/yaml-document.ts';

/** The unencrypted part of the value of a secret key: all of it, or the secrets of these names. */
export type InClear = 'all' | readonly string[];

/** Where a stack is read from. */
interface StackSource {
  readFile: (path: string) => string;
  stack: string;
}

/**
 * The unencrypted secrets in a stack's file. Programs need this: Pulumi says which keys hold a secret, but not which parts
 * of a key are one.
 *
 * @returns nothing for a key that is not in the file, or if the file cannot be read
 */
export function inClearInStackFile(source: StackSource): (fullKey: string) => InClear {
  let config: Record<string, unknown> | undefined;
  return (fullKey) => {
    config ??= configOf(source);
    const key = writtenKeys(fullKey.slice('gatehouse:'.length)).find((spelling) =>
      Object.hasOwn(config ?? {}, spelling),
    );
    return key === undefined ? [] : inClear(config[key]);
  };
}

function configOf(source: StackSource): Record<string, unknown> {
  try {
    const file = stackFileOf(source);
    return objectOf(objectOf(yamlValue(file, source.readFile(file)))?.['config']) ?? {};
  } catch {
    // The stack may be configured by a file with another name.
    return {};
  }
}

/** Whether a YAML text has a secret that is not encrypted: a stack file, the file of a project or that of `gatehouse:file`. */
export function hasSecretInClear(text: string): boolean {
  const root = objectOf(yamlValue('', text)) ?? {};
  return [root, objectOf(root['config']) ?? {}].some((keys) =>
    Object.entries(keys).some(([key, value]) => {
      const clear = isSecretKey(key.split(':').at(-1) ?? '') ? inClear(value) : [];
      return clear === 'all' || clear.length > 0;
    }),
  );
}

/** The unencrypted part of a secret key's value in YAML. Pulumi's CLI writes maps, and JSON in a text. */
function inClear(value: unknown): InClear {
  if (isSealed(value)) return [];
  const secrets = isObject(value) ? value : typeof value === 'string' ? objectIn(value) : undefined;
  if (secrets === undefined) return value === null || value === '' ? [] : 'all';
  const isText = typeof value === 'string';
  return Object.keys(secrets).filter((name) => isText || !isSealed(secrets[name]));
}

/** As Pulumi encrypts: a mapping with only the key `secure` and a text. */
function isSealed(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 1 && typeof value['secure'] === 'string';
}

/** The spellings of a key in stack files: with `gatehouse:`, without it in a project of that name, and the old form. */
export function writtenKeys(key: string): string[] {
  return [`gatehouse:${key}`, key, `gatehouse:config:${key}`];
}

/** The path of a stack's file, below the project's folder: it may be in a folder that the project names. */
export function stackFileOf({ readFile, stack }: StackSource): string {
  let folder: unknown;
  try {
    folder = objectOf(yamlValue('Pulumi.yaml', readFile('Pulumi.yaml')))?.['stackConfigDir'];
  } catch {
    // Without a project file there is no other folder.
  }
  return `${typeof folder === 'string' ? `${folder.replace(/\/+$/, '')}/` : ''}Pulumi.${stack}.yaml`;
}
