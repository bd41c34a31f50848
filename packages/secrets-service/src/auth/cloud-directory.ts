import {
  type Claims,
  claim,
  type Directory,
  LoginReason,
  LoginRefused,
  own,
  withClaim,
} from '@gatehouse/core/login';
import { issuerFetch } from '@gatehouse/service-client';
import { messageOf } from '../protocol/refusal.ts';

/** Group APIs of the directory's clouds, each with the former host that tokens still name. */
const clouds = [
  { groupApi: 'https://graph.microsoft.com/v1.0', formerHost: 'graph.windows.net' },
  { groupApi: 'https://graph.microsoft.us/v1.0', formerHost: 'graph.microsoftazure.us' },
] as const;

interface CloudGroupsArgs {
  /** Group API for every cloud. Defaults to each cloud's. */
  groupApi?: string;
  issuer: string;
  /** PEM certificates; empty for the system's. */
  caPem: string;
  accessToken?: string;
}

/**
 * Fetches the groups of people in more than 200, which a cloud directory omits from the token. The token says where
 * they are (`_claim_names` and `_claim_sources`: OpenID Connect Core, 5.6.2), or only that some exist (`hasgroups`).
 * As in openbao builtin/credential/jwt/provider_azure.go, but the access token goes to the group API only.
 */
export function cloudDirectory(args: CloudGroupsArgs): Directory {
  return {
    withUserInfo: async (_role, claims) => claims,
    async withGroups({ groupsClaim = '' }, claims) {
      if (claim(claims, groupsClaim) !== undefined) return claims;
      const endpoint = endpointOf(args, groupsClaim, claims);
      try {
        return withClaim(claims, groupsClaim, await fetchGroups(args, endpoint));
      } catch (error) {
        throw refused(`${JSON.stringify(groupsClaim)} claim not found in token: ${messageOf(error)}`);
      }
    },
  };
}

function endpointOf({ groupApi, issuer }: CloudGroupsArgs, groupsClaim: string, claims: Claims): URL {
  const source = claim(claims, `/_claim_names/${groupsClaim}`);
  if (typeof source === 'string') return namedEndpoint(groupApi, source, claims);
  if (String(own(claims, 'hasgroups')) === 'true') {
    const isGovernment = URL.parse(issuer)?.hostname.endsWith('.us') === true;
    return new URL(`${groupApi ?? clouds[isGovernment ? 1 : 0].groupApi}/me/getMemberObjects`);
  }
  throw refused(
    `unable to get claim sources: unable to locate groups claim ${JSON.stringify(groupsClaim)} in _claim_names`,
  );
}

/** The address that the token names, at the group API or at its former host. */
function namedEndpoint(groupApi: string | undefined, source: string, claims: Claims): URL {
  const pointer = `/_claim_sources/${source}/endpoint`;
  const address = claim(claims, pointer);
  if (typeof address !== 'string') {
    throw refused(`unable to get claim sources: unable to locate ${pointer} in claims`);
  }
  const url = URL.parse(address);
  const former = clouds.find(({ formerHost }) => url?.protocol === 'https:' && url.host === formerHost);
  if (url !== null && former !== undefined) {
    return new URL(`${groupApi ?? former.groupApi}${url.pathname}${url.search}`);
  }
  const allowed = groupApi === undefined ? clouds.map((cloud) => cloud.groupApi) : [groupApi];
  if (url === null || !allowed.some((api) => new URL(api).origin === url.origin)) {
    throw refused(
      'unable to get claim sources: the endpoint in the token is not at the directory’s group API',
    );
  }
  return url;
}

async function fetchGroups({ accessToken, caPem }: CloudGroupsArgs, endpoint: URL): Promise<unknown> {
  if (accessToken === undefined) throw new Error('there is no access token for the group API');
  const answer = await issuerFetch(endpoint.href, {
    method: 'POST',
    headers: { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' },
    body: '{"securityEnabledOnly": false}',
    caPem,
  });
  if (answer.status !== 200) throw new Error(`the group API answers ${answer.status}`);
  const page = (await answer.json().catch(() => undefined)) as Claims | null | undefined;
  const groups = page?.['value'];
  if (!Array.isArray(groups)) throw new Error('the group API returned no list of groups');
  // With part of the groups someone would silently get part of their access.
  if (page?.['@odata.nextLink'] === undefined) return groups;
  throw new Error('the group API returned only part of the groups');
}

function refused(problem: string): LoginRefused {
  return new LoginRefused(LoginReason.groupsUnavailable, `failed to fetch groups: ${problem}`);
}
