import { type Claims, claim } from '../../../core/login/claims.ts';
import { LoginRefused, LoginStep } from '../../../core/login/login-refused.ts';
import type { LoginRole } from '../../../core/login/login-role.ts';
import type { Config } from './config.ts';
import { issuerFetch } from './issuer-fetch.ts';
import { providerOf } from './provider-config.ts';

/**
 * The claims with what the provider config has fetched besides. A cloud directory leaves the groups of someone in
 * more than 200 of them out of the token and says where they are (OpenID Connect Core, 5.6.2): they are fetched
 * from there, with the access token of the sign-in.
 *
 * @throws LoginRefused at step `groups` when they cannot be had
 */
export async function withFetchedGroups(
  config: Config,
  role: LoginRole,
  claims: Claims,
  accessToken: string,
): Promise<Claims> {
  const name = role.groupsClaim;
  const isElsewhere = name !== undefined && name !== '' && claim(claims, name) === undefined;
  if (!isElsewhere || providerOf(config.provider_config) !== 'cloud_directory') return claims;
  const source = claim(claims, `/_claim_names/${name}`);
  if (typeof source !== 'string') {
    throw refused(
      `unable to get claim sources: unable to locate groups claim ${JSON.stringify(name)} in _claim_names`,
    );
  }
  const endpoint = claim(claims, `/_claim_sources/${source}/endpoint`);
  if (typeof endpoint !== 'string') {
    throw refused(
      `unable to get claim sources: unable to locate /_claim_sources/${source}/endpoint in claims`,
    );
  }
  try {
    const answer = await issuerFetch(endpoint, {
      method: 'POST',
      headers: { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' },
      body: '{"securityEnabledOnly": false}',
      caPem: config.oidc_discovery_ca_pem,
    });
    if (answer.status !== 200) throw new Error(`failed to get groups: status ${answer.status}`);
    return { ...claims, [name]: ((await answer.json()) as { value?: unknown } | null)?.value };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw refused(`${JSON.stringify(name)} claim not found in token: ${reason}`);
  }
}

/**
 * Refuses a sign-in that real servers would ask the workspace suite about: this service does not, and the token's
 * own groups are no substitute.
 *
 * @throws LoginRefused
 */
export function refuseSuiteLookups({ provider_config: given }: Config, role: LoginRole): void {
  if (providerOf(given) !== 'workspace_suite') return;
  const wants = (name: string) => String(given[name] ?? false) === 'true';
  if (wants('fetch_user_info')) {
    throw new LoginRefused(
      LoginStep.claimMappings,
      'fetch_user_info is set, and this service does not ask the workspace suite',
    );
  }
  if (role.groupsClaim && wants('fetch_groups')) {
    throw refused('fetch_groups is set, and this service does not ask the workspace suite');
  }
}

function refused(problem: string): LoginRefused {
  return new LoginRefused(LoginStep.groups, `failed to fetch groups: ${problem}`);
}
