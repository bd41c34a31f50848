import { type Place, readDiscovery } from '../client/discovery.ts';
import {
  askWithMadeUpUri,
  type ProviderClient,
  type Shown,
  showRedirectUri,
  showSecret,
} from '../client/provider-client.ts';
import type { AuthMethod } from '../core/model/resources/auth-method.ts';
import type { Role } from '../core/model/resources/role.ts';
import type { State } from '../core/model/state.ts';
import { methodSubject, roleSubject, type Subject } from '../core/model/subject.ts';
import type { Stack } from '../engine/stack.ts';
import type { Check } from './check.ts';
import { type Declared, openDeclared, stackSecrets } from './open-environment.ts';

/** `preflight` of what a stack declares. @throws GatehouseError what `openDeclared` throws */
export async function preflightStack(stack: Stack, env: NodeJS.ProcessEnv): Promise<Check[]> {
  return await preflightDeclared(await openDeclared(stack, env), stack);
}

/** `preflight` with the client secrets of the stack. */
export async function preflightDeclared({ environment, state }: Declared, stack: Stack): Promise<Check[]> {
  const given = stackSecrets(stack, 'clientSecrets');
  const secrets = environment.providers.flatMap(({ name, path = name }) => {
    const secret = given[name];
    return secret === undefined ? [] : [[path, secret] as const];
  });
  return await preflight(state, new Map(secrets));
}

/**
 * Asks the identity providers whether people could sign in: whether each takes the client secret, and would lead back to
 * each redirect URI with the scopes of the role. Nobody signs in, and the secrets service is not asked. What a provider's
 * answer does not tell is `unverified`, never `ok`.
 *
 * @param secrets client secrets, by the path of the method
 */
export async function preflight(
  { methods, roles }: State,
  secrets: ReadonlyMap<string, string>,
): Promise<Check[]> {
  const checks = methods
    .filter(({ type, config }) => type === 'oidc' && config.oidcDiscoveryUrl && config.oidcClientId)
    .map((method) =>
      ofMethod(
        method,
        roles.filter((role) => role.method === method.path && role.roleType === 'oidc'),
        secrets.get(method.path),
      ),
    );
  return (await Promise.all(checks)).flat();
}

async function ofMethod(method: AuthMethod, roles: Role[], secret: string | undefined): Promise<Check[]> {
  const {
    oidcDiscoveryUrl = '',
    oidcDiscoveryCaPem: caPem = '',
    oidcClientId: clientId = '',
  } = method.config;
  const asked = secretCheck(method, roles, secret);
  const all = [...asked, ...roles.flatMap((role) => uriChecks(role))];
  const place: Place = { url: oidcDiscoveryUrl, caPem };
  let client: ProviderClient;
  try {
    client = { document: (await readDiscovery(place)).document, caPem, clientId };
  } catch {
    const detail = 'the provider’s discovery document cannot be read';
    return all.map(({ subject, what }) => ({ subject, what, outcome: 'unverified', detail }));
  }
  return await Promise.all(all.map(({ ask, ...check }) => checked(check, () => ask(client))));
}

interface Question {
  subject: Subject;
  what: string;
  ask(client: ProviderClient): Promise<Shown>;
}

function secretCheck(method: AuthMethod, roles: Role[], secret: string | undefined): Question[] {
  const [uri] = roles.flatMap(({ allowedRedirectUris = [] }) => allowedRedirectUris);
  if (uri === undefined) return [];
  const what = 'its client secret';
  const subject = methodSubject(method);
  if (secret !== undefined) return [{ subject, what, ask: (client) => showSecret(client, secret, uri) }];
  const detail = 'the stack has none: the program makes it, or nobody gave it';
  return [{ subject, what, ask: async () => ({ is: 'unknown', detail }) }];
}

function uriChecks(role: Role): Question[] {
  const scopes = [...new Set(['openid', ...(role.oidcScopes ?? [])])];
  // One for all URIs of the role.
  let madeUp: ReturnType<typeof askWithMadeUpUri> | undefined;
  return (role.allowedRedirectUris ?? []).map((uri) => ({
    subject: roleSubject(role),
    what: `its registration at the provider, for ${uri}`,
    ask: async (client) => {
      madeUp ??= askWithMadeUpUri(client, scopes);
      return showRedirectUri(client, uri, await madeUp);
    },
  }));
}

const outcomes = { so: 'ok', 'not so': 'failed', unknown: 'unverified' } as const;

async function checked(check: Pick<Check, 'subject' | 'what'>, ask: () => Promise<Shown>): Promise<Check> {
  try {
    const { is, detail } = await ask();
    return { ...check, outcome: outcomes[is], detail };
  } catch (error) {
    return { ...check, outcome: 'unverified', detail: (error as Error).message };
  }
}
