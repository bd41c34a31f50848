import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { delegatedScopes } from '@gatehouse/core/graph';
import {
  type Claims,
  claim,
  type Directory,
  LoginReason,
  LoginRefused,
  type LoginRole,
  withClaim,
} from '@gatehouse/core/login';
import { names } from '@gatehouse/core/values';
import { issuerFetch } from '@gatehouse/service-client';
import { SignJWT } from 'jose';
import type { RequestFields } from '../protocol/fields.ts';
import { messageOf } from '../protocol/refusal.ts';
import { isFile, settingOf } from './provider-config.ts';

/** Addresses of directories. No request can change them: access tokens are sent there. */
export interface DirectoryAddresses {
  /** Group API of the cloud directory, with its version. Defaults to the public ones. */
  cloudDirectory?: string;
  /** Directory API of the workspace suite. Defaults to the public one. */
  workspaceSuite?: string;
  /** Token endpoint for the suite's service accounts. Defaults to the public one. */
  workspaceSuiteTokens?: string;
}

const publicApi = 'https://admin.googleapis.com';
const publicTokens = 'https://oauth2.googleapis.com/token';
/** Requests per sign-in: one for each page, and for each group that is followed. */
const requestLimit = 500;
/** Milliseconds for all of them. */
const timeLimit = 30_000;

interface SuiteDirectoryArgs {
  /** `provider_config` of the method (docs/inside/specification.md B3), in either dialect. */
  config: RequestFields;
  addresses: DirectoryAddresses;
  /** Nanoseconds since 1970. */
  now: bigint;
}

/**
 * The directory of a workspace suite (docs/inside/specification.md B-3): groups, nested ones included, and custom
 * attributes of the person that the role's user claim names (openbao builtin/credential/jwt/provider_gsuite.go). One
 * per sign-in.
 */
export function workspaceSuite(args: SuiteDirectoryArgs): Directory {
  return new SuiteDirectory(args);
}

class SuiteDirectory implements Directory {
  readonly #args: SuiteDirectoryArgs;
  /** Fetched with the first request. */
  #token: Promise<string> | undefined;

  constructor(args: SuiteDirectoryArgs) {
    this.#args = args;
  }

  /** Adds each custom schema as a claim, which replaces the token's. */
  async withUserInfo(role: LoginRole, claims: Claims): Promise<Claims> {
    const schemas = this.#text('user_custom_schemas');
    if (!this.#isSet('fetch_user_info') || schemas === '') return claims;
    try {
      const query = { projection: 'custom', customFieldMask: schemas, fields: 'customSchemas' };
      const user = encodeURIComponent(userOf(role, claims));
      const { customSchemas } = await this.#get(`users/${user}`, query);
      return typeof customSchemas === 'object' ? { ...claims, ...customSchemas } : claims;
    } catch (error) {
      const problem = `failed to fetch user info: ${messageOf(error)}`;
      throw new LoginRefused(LoginReason.userInfoUnavailable, problem);
    }
  }

  /** Only the directory's groups: if they are not fetched, the token's do not replace them. */
  async withGroups(role: LoginRole, claims: Claims): Promise<Claims> {
    const name = role.groupsClaim ?? '';
    if (!this.#isSet('fetch_groups')) return withClaim(claims, name, undefined);
    try {
      return withClaim(claims, name, await this.#groupsOf(userOf(role, claims)));
    } catch (error) {
      throw new LoginRefused(LoginReason.groupsUnavailable, `failed to fetch groups: ${messageOf(error)}`);
    }
  }

  #text(name: string): string {
    return String(settingOf(this.#args.config, name) ?? '');
  }

  #isSet(name: string): boolean {
    return this.#text(name) === 'true';
  }

  /** Breadth first, so each group is visited once, at its lowest depth. */
  async #groupsOf(user: string): Promise<string[]> {
    const deepest = Number(settingOf(this.#args.config, 'groups_recurse_max_depth') ?? 0);
    const countRequest = requestCounter();
    const groups = new Set<string>();
    let members = [user];
    for (let depth = 0; depth <= deepest && members.length > 0; depth += 1) {
      const next: string[] = [];
      for (const member of members) {
        for await (const email of this.#directGroupsOf(member, countRequest)) {
          if (!groups.has(email)) next.push(email);
          groups.add(email);
        }
      }
      members = next;
    }
    return [...groups];
  }

  /** The groups that list a person or group as their member, page by page. */
  async *#directGroupsOf(member: string, countRequest: () => void): AsyncGenerator<string> {
    let pageToken = '';
    do {
      countRequest();
      const page = await this.#readPage(member, pageToken);
      yield* page.groups;
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
  }

  async #readPage(member: string, pageToken: string): Promise<{ groups: string[]; nextPageToken: string }> {
    const domain = this.#text('domain');
    const { groups = [], nextPageToken = '' } = await this.#get('groups', {
      userKey: member,
      fields: 'nextPageToken,groups(email)',
      ...(domain !== '' && { domain }),
      ...(pageToken !== '' && { pageToken }),
    });
    const emails = Array.isArray(groups)
      ? groups.map((group) => (group as Claims | null)?.['email'])
      : [undefined];
    if (emails.some((email) => typeof email !== 'string') || typeof nextPageToken !== 'string') {
      throw new Error('the workspace suite returned an invalid list of groups');
    }
    return { groups: emails as string[], nextPageToken };
  }

  async #get(path: string, query: Record<string, string>): Promise<Claims> {
    const { addresses, now } = this.#args;
    this.#token ??= serviceAccountToken(
      this.#text(names.vault.suiteServiceAccount) || this.#text(names.neutral.suiteServiceAccount),
      this.#text(names.vault.suiteAdminImpersonate) || this.#text(names.neutral.suiteAdminImpersonate),
      addresses.workspaceSuiteTokens ?? publicTokens,
      now,
    );
    const base = addresses.workspaceSuite ?? publicApi;
    const response = await issuerFetch(`${base}/admin/directory/v1/${path}?${new URLSearchParams(query)}`, {
      headers: { Authorization: `Bearer ${await this.#token}`, Accept: 'application/json' },
      caPem: '',
    });
    if (response.status !== 200) throw new Error(`the workspace suite answers ${response.status}`);
    const document: unknown = await response.json().catch(() => undefined);
    if (typeof document === 'object' && document !== null) return document as Claims;
    throw new Error('the workspace suite did not return JSON');
  }
}

/** Counts the requests of a sign-in; throws once they are too many or take too long. */
function requestCounter(): () => void {
  const over = AbortSignal.timeout(timeLimit);
  let requests = 0;
  return () => {
    requests += 1;
    if (requests > requestLimit) throw new Error(`this takes more than ${requestLimit} requests`);
    if (over.aborted) throw new Error(`this takes more than ${timeLimit / 1000} seconds`);
  };
}

/** The role's user claim, which the directory also uses. */
function userOf({ userClaim }: LoginRole, claims: Claims): string {
  const user = claim(claims, userClaim);
  if (user === undefined) throw new Error(`unable to locate ${JSON.stringify(userClaim)} in claims`);
  if (typeof user === 'string') return user;
  throw new Error(`claim ${JSON.stringify(userClaim)} could not be converted to string`);
}

/** Seconds that an assertion is valid, the most that the suite accepts. */
const lifetime = 3600;

/**
 * An access token for a service account, in exchange for an assertion signed with its key (RFC 7523, section 2.1; the
 * claims are those of golang.org/x/oauth2/jwt). The key's `token_uri` is ignored.
 *
 * @param account Path of the key file, or the key as JSON.
 * @param admin Administrator to impersonate; empty for none.
 * @throws Error with a reason that holds neither key nor token
 */
async function serviceAccountToken(
  account: string,
  admin: string,
  tokenUrl: string,
  now: bigint,
): Promise<string> {
  const key = await readKey(account);
  const issuedAt = Number(now / 1_000_000_000n);
  const assertion = await new SignJWT({ scope: delegatedScopes.join(' ') })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key.id })
    .setIssuer(key.email)
    .setAudience(tokenUrl)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetime)
    .setSubject(admin === '' ? key.email : admin)
    .sign(key.privateKey);
  const answer = await issuerFetch(tokenUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
    }).toString(),
    caPem: '',
  });
  const answered = (await answer.json().catch(() => undefined)) as Claims | null | undefined;
  const { error, access_token: token } = answered ?? {};
  if (answer.status !== 200) {
    const code = typeof error === 'string' && /^\w{1,60}$/.test(error) ? ` (${error})` : '';
    throw new Error(`the workspace suite refused the service account a token: ${answer.status}${code}`);
  }
  if (typeof token !== 'string') throw new Error('the workspace suite returned no access token');
  return token;
}

async function readKey(account: string) {
  const text = isFile(account) ? await readFile(account, 'utf8') : account;
  // Errors of the parsers would repeat the key.
  try {
    const key = JSON.parse(text) as Claims;
    const { client_email: email, private_key: pem, private_key_id: id } = key;
    if (typeof email !== 'string' || typeof pem !== 'string') throw new Error('incomplete');
    return { email, privateKey: createPrivateKey(pem), id: typeof id === 'string' ? id : undefined };
  } catch {
    throw new Error('the service account key is not usable');
  }
}
