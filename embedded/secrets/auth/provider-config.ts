import { statSync } from 'node:fs';
import { objectIn } from '../../../core/model/values/json.ts';
import { names } from '../../../core/model/values/wire.ts';
import type { Fields } from '../protocol/fields.ts';
import { Refusal } from '../protocol/refusal.ts';
import { settingOf, settingProblems } from './provider-settings.ts';

const dialects = Object.values(names);

/** Secret settings, which reads never return. */
export const secretNames: string[] = dialects.map((words) => words.suiteServiceAccount);

const adminNames = dialects.map((words) => words.suiteAdminImpersonate);

/** The provider of a config in either dialect, by interface.md's name. */
export function providerOf(config: Fields): 'cloud_directory' | 'workspace_suite' | undefined {
  const given = config['provider'];
  if (dialects.some((words) => words.cloudDirectory === given)) return 'cloud_directory';
  if (dialects.some((words) => words.workspaceSuite === given)) return 'workspace_suite';
  return undefined;
}

/** @throws {Refusal} 400 */
export function checkProviderConfig(config: Fields): void {
  if (Object.keys(config).length === 0) return;
  if (typeof config['provider'] !== 'string') throw refused("'provider' field not found in provider_config");
  const provider = providerOf(config);
  if (provider === undefined) {
    throw refused(`provider ${JSON.stringify(config['provider'])} not found in custom providers`);
  }
  if (provider === 'workspace_suite') checkWorkspaceSuite(config);
}

function checkWorkspaceSuite(config: Fields): void {
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
  // Required by interface.md B3. Real servers accept the config, and every sign-in fails.
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

function refused(problem: string): Refusal {
  return new Refusal(400, `invalid provider_config: ${problem}`);
}
