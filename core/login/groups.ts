import { type Claims, claim, listOf, shown } from './claims.ts';
import { LoginRefused, LoginStep } from './login-refused.ts';

/**
 * The names of the groups that the claim gives; one text is a list of one, empty names are left out.
 *
 * @throws LoginRefused at step `groups`
 */
export function groupsOf(name: string, claims: Claims): string[] {
  const given = claim(claims, name);
  const quoted = JSON.stringify(name);
  if (given === undefined) throw refused(`failed to fetch groups: ${quoted} claim not found in token`);
  const groups = listOf(given);
  if (groups === undefined) throw refused(`${quoted} claim could not be converted to string list`);
  return groups
    .map((group) => {
      if (typeof group === 'string') return group;
      throw refused(`value ${shown(group)} in groups claim could not be parsed as string`);
    })
    .filter((group) => group !== '');
}

function refused(message: string): LoginRefused {
  return new LoginRefused(LoginStep.groups, message);
}
