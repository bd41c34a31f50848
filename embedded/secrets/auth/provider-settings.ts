import { names } from '../../../core/model/values/wire.ts';
import type { Fields } from '../protocol/fields.ts';

const [vault, neutral] = [names.vault, names.neutral];

/** The settings of a workspace suite with their types, in the order in which a service reads them. */
const settings: [name: string, type: 'string' | 'bool' | 'int', other?: string][] = [
  [vault.suiteServiceAccount, 'string', neutral.suiteServiceAccount],
  [vault.suiteAdminImpersonate, 'string', neutral.suiteAdminImpersonate],
  ['fetch_groups', 'bool'],
  ['fetch_user_info', 'bool'],
  ['groups_recurse_max_depth', 'int'],
  ['user_custom_schemas', 'string'],
  ['impersonate_principal', 'string'],
  ['domain', 'string'],
];

/** The value of a setting. As for Go's decoder, its name may be in any case; the exact one goes first. */
export function settingOf(config: Fields, name: string): unknown {
  if (Object.hasOwn(config, name)) return config[name];
  const found = Object.keys(config).find((one) => one.toLowerCase() === name);
  return found === undefined ? undefined : config[found];
}

/**
 * What is wrong with the types of a workspace suite's settings, as OpenBao says it (go-viper/mapstructure, with strict
 * types): a text is no boolean and no number; a number is a text; null is the default.
 */
export function settingProblems(config: Fields): string[] {
  return settings.flatMap(([name, type, other]) => {
    const used = other !== undefined && settingOf(config, other) !== undefined ? other : name;
    const value = settingOf(config, used);
    if (value === undefined || value === null) return [];
    if (type === 'string' && (typeof value === 'string' || typeof value === 'number')) return [];
    if (type === 'bool' && typeof value === 'boolean') return [];
    if (type !== 'int' || typeof value !== 'number') {
      return [`'${used}' expected type '${type}', got unconvertible type '${goType(value)}'`];
    }
    if (Number.isSafeInteger(value)) return [];
    const why = /^-?\d+$/.test(String(value)) ? 'value out of range' : 'invalid syntax';
    return [`'${used}' cannot parse value as 'int': strconv.ParseInt: parsing "${value}": ${why}`];
  });
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'number' ? 'json.Number' : 'string';
}
