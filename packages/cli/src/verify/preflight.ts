import {
  type AuthMethod,
  type Graph,
  methodSubject,
  type Role,
  roleSubject,
  type Subject,
} from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import {
  askWithMadeUpUri,
  type ProviderClient,
  type ProviderEvidence,
  showRedirectUri,
  showSecret,
} from '@gatehouse/service-client';
import { type CheckOutcome, inNamespace } from '../open/check.ts';
import { type DeclaredNamespace, openNamespaces, stackSecrets } from '../open/open-environment.ts';
import { unsealed } from '../open/open-stack.ts';
import { documentsOf, ProviderDocuments } from '../open/provider-documents.ts';

/** `preflight` of what a stack declares. @throws GatehouseError what `openNamespaces` throws */
export async function preflightStack(stack: Stack, env: NodeJS.ProcessEnv): Promise<CheckOutcome[]> {
  const checks = (await openNamespaces(stack, env)).map(async (declared) => {
    const namespaceChecks = await preflightDeclared(declared, stack, env);
    return namespaceChecks.map((check) => inNamespace(check, declared.path));
  });
  return (await Promise.all(checks)).flat();
}

/**
 * `preflight` with the client secrets of the stack. Where they cannot be read, each is `unverified` and says why.
 */
export async function preflightDeclared(
  { environment, graph }: DeclaredNamespace,
  stack: Stack,
  env: NodeJS.ProcessEnv,
  documents = documentsOf(graph),
): Promise<CheckOutcome[]> {
  const secretOf = await clientSecrets(stack, env);
  const secrets = environment.providers.flatMap(({ name, path = name }) => {
    const secret = secretOf(name);
    return secret === undefined ? [] : [[path, secret] as const];
  });
  return preflight(graph, new Map(secrets), documents);
}

/** A client secret, or why it is not known. */
type KnownSecret = string | { unread: string };

async function clientSecrets(
  stack: Stack,
  env: NodeJS.ProcessEnv,
): Promise<(provider: string) => KnownSecret | undefined> {
  try {
    const secrets = stackSecrets(await unsealed(stack, env), 'clientSecrets');
    return (provider) => secrets[provider];
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    const unread = `the stack's secrets cannot be read: ${error.parts.what}`;
    const sealed = stackSecrets(stack, 'clientSecrets');
    return (provider) => (sealed[provider] === undefined ? undefined : { unread });
  }
}

/**
 * Asks the identity providers whether people could sign in: whether each signs with an algorithm that its method takes,
 * takes the client secret, offers the scopes of each role, and would lead back to each redirect URI with them. No one
 * signs in, and the secrets service is not asked. A check that the provider's answer does not settle is `unverified`, never
 * `ok`.
 *
 * @param secrets client secrets, by the path of the method
 */
export async function preflight(
  graph: Graph,
  secrets: ReadonlyMap<string, KnownSecret>,
  documents = documentsOf(graph),
): Promise<CheckOutcome[]> {
  const checks = graph.methods
    .filter(({ config }) => config.oidcDiscoveryUrl)
    .map(async (method) => {
      const questions = questionsOf(method, rolesFor(method, graph.roles), secrets.get(method.path));
      return await ofMethod(method, questions, documents.get(method.path));
    });
  return (await Promise.all(checks)).flat();
}

function questionsOf(method: AuthMethod, roles: Role[], secret: KnownSecret | undefined): ProviderQuestion[] {
  return [
    algorithmsCheck(method),
    ...(method.type === 'oidc' && method.config.oidcClientId
      ? [
          ...secretCheck(method, roles, secret),
          ...roles.flatMap((role) => [...scopesCheck(role), ...uriChecks(role)]),
        ]
      : []),
  ];
}

async function ofMethod(
  { config }: AuthMethod,
  questions: ProviderQuestion[],
  documents = new ProviderDocuments(config),
): Promise<CheckOutcome[]> {
  const { oidcDiscoveryCaPem: caPem, oidcClientId: clientId = '' } = config;
  let client: ProviderClient;
  try {
    client = { document: (await documents.discovery()).document, caPem, clientId };
  } catch {
    const detail = 'the provider’s discovery document cannot be read';
    return questions.map(({ subject, what }) => ({ subject, what, outcome: 'unverified', detail }));
  }
  return await Promise.all(questions.map(({ ask, ...check }) => checked(check, () => ask(client))));
}

/** Asks the provider of a method whether it takes a client secret. @returns undefined where no role leads back from it */
export async function preflightSecret(
  method: AuthMethod,
  { roles }: Graph,
  secret: string,
): Promise<CheckOutcome | undefined> {
  const [check] = await ofMethod(method, secretCheck(method, rolesFor(method, roles), secret));
  return check;
}

function rolesFor({ path }: AuthMethod, roles: Role[]): Role[] {
  return roles.filter(({ method, roleType }) => method === path && roleType === 'oidc');
}

interface ProviderQuestion {
  subject: Subject;
  what: string;
  ask(client: ProviderClient): ProviderEvidence | Promise<ProviderEvidence>;
}

/** The algorithms that a method takes. A JWT method without a list takes whatever is signed with a key pair. */
export function takenAlgorithms({ type, config }: AuthMethod): string[] | undefined {
  if (config.jwtSupportedAlgs?.length) return config.jwtSupportedAlgs;
  return type === 'oidc' ? ['RS256'] : undefined;
}

function algorithmsCheck(method: AuthMethod): ProviderQuestion {
  const taken = takenAlgorithms(method);
  return {
    subject: methodSubject(method),
    what: 'its algorithms',
    ask({ document }) {
      const offered = document['id_token_signing_alg_values_supported'];
      if (!Array.isArray(offered)) return { is: 'unknown', detail: 'the provider names none' };
      const common = offered.filter((name) => taken === undefined || taken.includes(name));
      if (common.length > 0) return { is: 'so', detail: common.join(', ') };
      const detail = `the provider signs with ${offered.join(', ')}, and the method takes ${taken?.join(', ')}`;
      return { is: 'not so', detail };
    },
  };
}

/** A provider need not list every scope that it takes (OpenID Connect Discovery, section 3). */
function scopesCheck(role: Role): ProviderQuestion[] {
  const { oidcScopes: scopes = [] } = role;
  if (scopes.length === 0) return [];
  return [
    {
      subject: roleSubject(role),
      what: 'its scopes',
      ask({ document }) {
        const offered = document['scopes_supported'];
        if (!Array.isArray(offered)) return { is: 'unknown', detail: 'the provider lists none' };
        const absent = scopes.filter((scope) => !offered.includes(scope));
        if (absent.length === 0) return { is: 'so', detail: scopes.join(', ') };
        return {
          is: 'unknown',
          detail: `the provider does not list ${absent.join(', ')}; it need not list all`,
        };
      },
    },
  ];
}

function secretCheck(method: AuthMethod, roles: Role[], secret: KnownSecret | undefined): ProviderQuestion[] {
  const [uri] = roles.flatMap(({ allowedRedirectUris = [] }) => allowedRedirectUris);
  if (uri === undefined) return [];
  const what = 'its client secret';
  const subject = methodSubject(method);
  if (typeof secret === 'string') {
    return [{ subject, what, ask: (client) => showSecret(client, secret, uri) }];
  }
  const detail = secret?.unread ?? 'the stack has none: the program makes it, or it was never set';
  return [{ subject, what, ask: () => ({ is: 'unknown', detail }) }];
}

function uriChecks(role: Role): ProviderQuestion[] {
  const scopes = [...new Set(['openid', ...(role.oidcScopes ?? [])])];
  // Asked once for all URIs of the role.
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

async function checked(
  check: Pick<CheckOutcome, 'subject' | 'what'>,
  ask: () => ProviderEvidence | Promise<ProviderEvidence>,
): Promise<CheckOutcome> {
  try {
    const { is: answer, detail } = await ask();
    return { ...check, outcome: outcomes[answer], detail };
  } catch (error) {
    return { ...check, outcome: 'unverified', detail: (error as Error).message };
  }
}
