import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { type AuthMethod, type Graph, methodSubject, type Role, roleSubject } from '@gatehouse/core/graph';
import { keyFromPem, keysFromJwks } from '@gatehouse/core/login';
import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import {
  type Discovery,
  DiscoveryError,
  type DocumentSource,
  exchange,
  type ServiceClient,
} from '@gatehouse/service-client';
import { attempt, type CheckOutcome, inNamespace } from '../open/check.ts';
import { openAnonymousClient } from '../open/open-client.ts';
import { type DeclaredNamespace, openNamespaces } from '../open/open-environment.ts';
import { documentsOf, ProviderDocuments } from '../open/provider-documents.ts';
import { preflightDeclared, takenAlgorithms } from './preflight.ts';

/** Where a workload's token comes from. */
export type WorkloadToken = { token: string } | { command: string };

export interface VerifyRequest {
  stack: Stack;
  env: NodeJS.ProcessEnv;
  /** Tokens of workloads, by role: its name, or `<path of the method>/<name>` where several have it. */
  tokens: Map<string, WorkloadToken>;
}

/**
 * Tries whether everyone who should sign in can start to: for people an address to sign in at for every role and
 * redirect URI, for every provider its documents, its keys and what it says of its client, and for workloads a sign-in
 * where a token is given. The checks need no token of the service, and leave none behind.
 *
 * @throws GatehouseError `role_unknown` for a token of no role, and what `openDeclared` throws
 */
export async function verify({ stack, env, tokens }: VerifyRequest): Promise<CheckOutcome[]> {
  const all = await openNamespaces(stack, env);
  const workloads = all.flatMap(({ path, graph }) =>
    graph.roles.flatMap((role) => (role.roleType === 'jwt' ? { path, role } : [])),
  );
  const sources = tokensOf(workloads, tokens);
  const checks = all.map(async (declared): Promise<CheckOutcome[]> => {
    const namespaceChecks = await verifyNamespace(declared, sources, { stack, env });
    return namespaceChecks.map((check) => inNamespace(check, declared.path));
  });
  return (await Promise.all(checks)).flat();
}

async function verifyNamespace(
  declared: DeclaredNamespace,
  sources: ReadonlyMap<Role, WorkloadToken>,
  { stack, env }: Pick<VerifyRequest, 'stack' | 'env'>,
): Promise<CheckOutcome[]> {
  const { environment, graph } = declared;
  const workloads = graph.roles.filter(({ roleType }) => roleType === 'jwt');
  const client = openAnonymousClient(environment.service, env);
  const documents = documentsOf(graph);
  try {
    const checks = await Promise.all([
      ...graph.methods.map((method) =>
        verifyProvider(method, environment.service.address, documents.get(method.path)),
      ),
      ...peopleOf(graph).map((role) => verifyAddresses(client, role)),
      ...workloads.map((role) => verifyWorkload(client, role, sources.get(role), env)),
      preflightDeclared(declared, stack, env, documents),
    ]);
    return checks.flat();
  } finally {
    client.close();
  }
}

function peopleOf({ roles }: Graph): Role[] {
  return roles.filter(({ roleType }) => roleType === 'oidc');
}

/** A role is named by itself, with its method, or with its namespace and method; the first one of that name is meant. */
function tokensOf(
  workloads: { path: string; role: Role }[],
  tokens: Map<string, WorkloadToken>,
): Map<Role, WorkloadToken> {
  const namesOf = ({ path, role: { method, name } }: (typeof workloads)[number]) =>
    path === '' ? [name, `${method}/${name}`] : [`${path}/${method}/${name}`];
  return new Map(
    [...tokens].map(([name, source]) => {
      const workload = workloads.find((candidate) => namesOf(candidate).includes(name));
      if (workload !== undefined) return [workload.role, source];
      throw new GatehouseError('role_unknown.workload', {
        given: name,
        allowed: workloads.map((candidate) => namesOf(candidate).at(-1)).join(', '),
      });
    }),
  );
}

/** Tries whether the service gives people an address to sign in at. */
export async function verifyAddresses(client: ServiceClient, role: Role): Promise<CheckOutcome[]> {
  const subject = roleSubject(role);
  const uris = role.allowedRedirectUris ?? [];
  return Promise.all(
    uris.map(async (uri): Promise<CheckOutcome> => {
      const what = `an address to sign in at, for ${uri}`;
      return attempt(subject, what, async () => {
        const { data } = await client.post(`auth/${role.method}/oidc/auth_url`, {
          role: role.name,
          redirect_uri: uri,
          client_nonce: randomUUID(),
        });
        const url = URL.parse(String(data['auth_url']));
        if (url === null) throw new Error('the service gives none; its log says why');
        return `at ${url.host}`;
      });
    }),
  );
}

async function verifyWorkload(
  client: ServiceClient,
  role: Role,
  source: WorkloadToken | undefined,
  env: NodeJS.ProcessEnv,
): Promise<CheckOutcome[]> {
  const subject = roleSubject(role);
  const what = 'a sign-in';
  if (source === undefined) {
    const options = `--token ${role.name}=FILE, or --token-command ${role.name}=COMMAND`;
    const detail = `no token was given: ${options}`;
    return [{ subject, what, outcome: 'unverified', detail }];
  }
  return [
    await attempt(subject, what, async () => {
      const jwt = 'token' in source ? source.token : await output(source.command, env);
      const { auth } = await client.post(`auth/${role.method}/login`, { role: role.name, jwt: jwt.trim() });
      const policies = Array.isArray(auth?.['policies']) ? auth['policies'].join(', ') : 'none';
      const token = auth?.['client_token'];
      // A batch token cannot be revoked; it ends by itself.
      if (typeof token === 'string' && auth?.['token_type'] !== 'batch') {
        await client.with({ token }).post('auth/token/revoke-self', {});
      }
      return `policies: ${policies}`;
    }),
  ];
}

/** The output of a command. It is a token, so no part of it is ever shown. */
async function output(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env, timeout: 60_000 });
    return stdout;
  } catch (error) {
    const { code, killed } = error as { code?: unknown; killed?: boolean };
    throw new Error(
      `the command for the token ${killed ? 'takes over a minute' : `ends with ${String(code)}`}`,
    );
  }
}

/**
 * Seconds that the clocks of provider and service may be apart: what a role allows by default
 * (docs/inside/measured/sign-in.md#leeways).
 */
const clockSkew = 60;

/** Tries whether the keys of a method are to be had, and whether its provider's clock is right. */
export async function verifyProvider(
  method: AuthMethod,
  serviceAddress: string,
  documents = new ProviderDocuments(method.config),
): Promise<CheckOutcome[]> {
  const subject = methodSubject(method);
  const { jwtValidationPubkeys: pems } = method.config;
  if (pems?.length) {
    return [
      await attempt(subject, 'its public keys', async () => {
        const wrong = pems.findIndex((pem) => keyFromPem(pem) === undefined);
        if (wrong >= 0) throw new Error(`number ${wrong + 1} is no public key in PEM`);
        return `${pems.length} in the configuration`;
      }),
    ];
  }
  const { configuredPlaces: places } = documents;
  if (places.length > 0) return Promise.all(places.map((place) => verifyKeys(method, documents, place)));
  if (documents.hasDiscovery) return verifyDiscovery(method, documents, serviceAddress);
  return [{ subject, what: 'its keys', outcome: 'failed', detail: 'the method has no source of keys' }];
}

async function verifyDiscovery(
  method: AuthMethod,
  documents: ProviderDocuments,
  serviceAddress: string,
): Promise<CheckOutcome[]> {
  const subject = methodSubject(method);
  let date: string | undefined;
  let isRead = false;
  const discovery = await attempt(subject, 'its discovery document', async () => {
    const read = await openly(documents.discovery(), method.type);
    ({ date } = read);
    isRead = true;
    const missing = missingIn(read.document, method);
    if (missing.length > 0) throw new Error(`a sign-in needs more of it: ${missing.join('; ')}`);
    return read.document.issuer;
  });
  if (!isRead) return [discovery];
  const places = await documents.keyPlaces();
  const otherChecks = [
    ...places.map((place) => verifyKeys(method, documents, place)),
    attempt(subject, 'its clock', () => clocks(date, serviceAddress)),
  ];
  return [discovery, ...(await Promise.all(otherChecks))];
}

/** Explains why a document could not be read without signing in, as the service reads it. */
async function openly<Answer>(answer: Promise<Answer>, type?: AuthMethod['type']): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const status = error instanceof DiscoveryError ? error.status : undefined;
    const why = status === undefined ? undefined : meaningOf(status, type);
    throw why === undefined ? error : new Error(`${(error as Error).message}: ${why}`);
  }
}

function meaningOf(status: number, type: AuthMethod['type'] | undefined): string | undefined {
  if (status === 401 || status === 403) {
    // A Kubernetes cluster closes its documents by default.
    const ofCluster = type === 'jwt' ? '; `cluster.openDiscovery: true` opens a Kubernetes cluster’s' : '';
    return `it must be open to callers who are not signed in${ofCluster}`;
  }
  if (status === 404 || status === 410) return 'there is no such document';
  if (status === 429) return 'it was asked too often; try again later';
  if (status >= 500) return 'the provider has an error of its own; try again later';
  return status >= 300 && status < 400 ? 'redirects are not followed' : undefined;
}

/** What a discovery document lacks for a sign-in by browser. Tokens need the keys only. */
function missingIn(document: Discovery, { type, config }: AuthMethod): string[] {
  const isUrl = (name: string) => /^https?:$/.test(URL.parse(String(document[name]))?.protocol ?? '');
  if (type === 'jwt') return isUrl('jwks_uri') ? [] : ['jwks_uri is not a URL'];
  const types = config.oidcResponseTypes?.length ? config.oidcResponseTypes : ['code'];
  const places = [
    'authorization_endpoint',
    ...(types.includes('code') ? ['token_endpoint'] : []),
    'jwks_uri',
  ];
  const lacks = (name: string, required: string[]) => {
    const listed = document[name];
    // The order of words means nothing: `id_token code` is `code id_token`.
    const offered = Array.isArray(listed)
      ? listed.map((value) => String(value).split(' ').sort().join(' '))
      : required;
    const absent = required.filter((value) => !offered.includes(value));
    return absent.map((value) => `${name} lacks ${value}`);
  };
  return [
    ...places
      .filter((name) => !isUrl(name))
      .map((name) => (document[name] === undefined ? `no ${name}` : `${name} is not a URL`)),
    ...lacks('response_types_supported', [types.toSorted().join(' ')]),
    ...lacks('response_modes_supported', config.oidcResponseMode === 'form_post' ? ['form_post'] : []),
    ...lacks('scopes_supported', ['openid']),
  ];
}

function verifyKeys(
  method: AuthMethod,
  documents: ProviderDocuments,
  place: DocumentSource,
): Promise<CheckOutcome> {
  return attempt(methodSubject(method), 'its keys', async () => {
    const keys = keysFromJwks({ keys: await openly(documents.keys(place)) }) ?? [];
    if (keys.length === 0) throw new Error(`${place.url} has no key that verifies signatures`);
    const taken = takenAlgorithms(method);
    if (!keys.some((key) => key.algorithms.some((algorithm) => taken?.includes(algorithm) ?? true))) {
      throw new Error(`none of the ${keys.length} at ${place.url} verifies ${taken?.join(', ')}`);
    }
    return `${keys.length} at ${place.url}`;
  });
}

/** Compares the clocks of the provider and of the service, by the `Date` of their answers. */
async function clocks(date: string | undefined, serviceAddress: string): Promise<string> {
  const providerAhead = secondsAhead(date);
  const health = await exchange(`${serviceAddress}/v1/sys/health?standbyok=true`).catch(() => undefined);
  const serviceAhead = secondsAhead(health?.headers['date']);
  if (providerAhead === undefined) return 'its answer has no date';
  // Where the service says nothing, this machine's clock stands in for its own.
  const apart = Math.round(providerAhead - (serviceAhead ?? 0));
  const than = serviceAhead === undefined ? 'this machine’s' : 'the service’s';
  const words = `${Math.abs(apart)} s ${apart < 0 ? 'behind' : 'ahead of'} ${than}`;
  if (Math.abs(apart) > clockSkew) throw new Error(`${words}: tokens are refused beyond ${clockSkew} s`);
  return words;
}

function secondsAhead(date: unknown): number | undefined {
  const time = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) ? undefined : (time - Date.now()) / 1000;
}
