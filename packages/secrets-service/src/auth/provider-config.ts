import { statSync } from 'node:fs';
import { names, objectIn } from '@gatehouse/core/values';
import type { RequestFields } from '../protocol/fields.ts';
import { RequestRefusal } from '../protocol/refusal.ts';

const dialects = Object.values(names);

/** Secret settings, which reads never return. */
export const secretNames: string[] = dialects.map((words) => words.suiteServiceAccount);

const adminNames = dialects.map((words) => words.suiteAdminImpersonate);

/** The provider of a config in either dialect, by its name in docs/inside/specification.md B3. */
export function providerOf(config: RequestFields): 'cloud_directory' | 'workspace_suite' | undefined {
  const provider = config['provider'];
  if (dialects.some((words) => words.cloudDirectory === provider)) return 'cloud_directory';
  if (dialects.some((words) => words.workspaceSuite === provider)) return 'workspace_suite';
  return undefined;
}

/** @throws {RequestRefusal} 400 */
export function checkProviderConfig(config: RequestFields): void {
  if (Object.keys(config).length === 0) return;
  if (typeof config['provider'] !== 'string') throw refused("'provider' field not found in provider_config");
  const provider = providerOf(config);
  if (provider === undefined) {
    throw refused(`provider ${JSON.stringify(config['provider'])} not found in custom providers`);
  }
  if (provider === 'workspace_suite') checkWorkspaceSuite(config);
}

function checkWorkspaceSuite(config: RequestFields): void {
  const text = (name: string) => String(settingOf(config, name) ?? '');
  const prefix = `error initializing ${JSON.stringify(config['provider'])} provider_config`;
  const problems = settingProblems(config);
  if (problems.length > 0) {
    throw refused(`${prefix}: decoding failed due to the following error(s):\n\n${problems.join('\n')}`);
  }
  if (Number(settingOf(config, 'groups_recurse_max_depth') ?? 0) < 0) {
    throw refused(`${prefix}: 'gsuite_recurse_max_depth' must be a positive integer`);
  }
  const account = secretNames.map((name) => settingOf(config, name)).find((value) => value !== undefined);
  if (typeof account !== 'string' || account === '') throw refused(`${prefix}: no service account is given`);
  if (!isFile(account) && !isServiceAccount(account)) {
    throw refused(`${prefix}: error parsing service account JSON`);
  }
  // Required by docs/inside/specification.md B3. Real servers accept the config, and every sign-in fails.
  if (adminNames.every((name) => text(name) === '')) {
    throw refused(`${prefix}: no administrator to impersonate is given`);
  }
  if (text('fetch_user_info') === 'true' && text('user_custom_schemas') === '') {
    throw refused(`${prefix}: 'user_custom_schemas' must be set if 'fetch_user_info' is true`);
  }
}

/** Errors are dropped: for a key given as JSON they would repeat it. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isServiceAccount(text: string): boolean {
  return objectIn(text)?.['type'] === 'service_account';
}

function refused(problem: string): RequestRefusal {
  return new RequestRefusal(400, `invalid provider_config: ${problem}`);
}

/** The settings of a workspace suite with their types, in the order in which a service reads them. */
const settings: [name: string, type: 'string' | 'bool' | 'int', other?: string][] = [
  [names.vault.suiteServiceAccount, 'string', names.neutral.suiteServiceAccount],
  [names.vault.suiteAdminImpersonate, 'string', names.neutral.suiteAdminImpersonate],
  ['fetch_groups', 'bool'],
  ['fetch_user_info', 'bool'],
  ['groups_recurse_max_depth', 'int'],
  ['user_custom_schemas', 'string'],
  ['impersonate_principal', 'string'],
  ['domain', 'string'],
];

/** The value of a setting. As for Go's decoder, its name may be in any case; the exact one goes first. */
export function settingOf(config: RequestFields, name: string): unknown {
  if (Object.hasOwn(config, name)) return config[name];
  const spelling = Object.keys(config).find((key) => key.toLowerCase() === name);
  return spelling === undefined ? undefined : config[spelling];
}

/**
 * Type errors in a workspace suite's settings, in the words of OpenBao (go-viper/mapstructure, with strict types): a
 * text is no boolean and no number; a number is a text; null is the default.
 */
function settingProblems(config: RequestFields): string[] {
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
