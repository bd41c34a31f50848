import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { ServiceClient } from '../client/service-client.ts';
import type { Role } from '../core/model/resources/role.ts';
import type { State } from '../core/model/state.ts';
import { roleSubject } from '../core/model/subject.ts';
import { GatehouseError } from '../core/model/values/errors.ts';
import type { Stack } from '../engine/stack.ts';
import { attempt, type Check } from './check.ts';
import { openAnonymousClient } from './open-client.ts';
import { openDeclared } from './open-declared.ts';
import { verifyProvider } from './verify-provider.ts';

/** Where a workload's token comes from. */
export type TokenSource = { token: string } | { command: string };

export interface VerifyRequest {
  stack: Stack;
  env: NodeJS.ProcessEnv;
  /** Tokens of workloads, by role: its name, or `<path of the method>/<name>` where several have it. */
  tokens: Map<string, TokenSource>;
}

/**
 * Tries whether everyone who should sign in can start to: for people an address to sign in at for every role and
 * redirect URI, for every provider its documents and keys, and for workloads a sign-in where a token is given. What is
 * tried needs no token of the service, and leaves none behind.
 *
 * @throws GatehouseError `role_unknown` for a token of no role, and what `openDeclared` throws
 */
export async function verify({ stack, env, tokens }: VerifyRequest): Promise<Check[]> {
  const { environment, state } = await openDeclared(stack, env);
  const workloads = state.roles.filter(({ roleType }) => roleType === 'jwt');
  const sources = tokensOf(workloads, tokens);
  const client = openAnonymousClient(environment.service, env);
  try {
    const checks = await Promise.all([
      ...state.methods.map((method) => verifyProvider(method, environment.service.address)),
      ...peopleOf(state).map((role) => verifyAddresses(client, role)),
      ...workloads.map((role) => verifyWorkload(client, role, sources.get(role), env)),
    ]);
    return checks.flat();
  } finally {
    client.close();
  }
}

function peopleOf({ roles }: State): Role[] {
  return roles.filter(({ roleType }) => roleType === 'oidc');
}

function tokensOf(workloads: Role[], tokens: Map<string, TokenSource>): Map<Role, TokenSource> {
  return new Map(
    [...tokens].map(([given, source]) => {
      const role = workloads.find(({ method, name }) => given === name || given === `${method}/${name}`);
      if (role !== undefined) return [role, source];
      throw new GatehouseError({
        code: 'role_unknown',
        what: 'A token is given for a role that is not one of workloads.',
        given,
        allowed: workloads.map(({ method, name }) => `${method}/${name}`).join(', '),
      });
    }),
  );
}

async function verifyAddresses(client: ServiceClient, role: Role): Promise<Check[]> {
  const subject = roleSubject(role);
  const uris = role.allowedRedirectUris ?? [];
  return Promise.all(
    uris.map(async (uri): Promise<Check> => {
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
  source: TokenSource | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Check[]> {
  const subject = roleSubject(role);
  const what = 'a sign-in';
  if (source === undefined) {
    const detail = `no token was given: --token ${role.name}=FILE, or --token-command ${role.name}=COMMAND`;
    return [{ subject, what, outcome: 'unverified', detail }];
  }
  return [
    await attempt(subject, what, async () => {
      const jwt = 'token' in source ? source.token : await output(source.command, env);
      const { auth } = await client.post(`auth/${role.method}/login`, { role: role.name, jwt: jwt.trim() });
      const policies = Array.isArray(auth?.['policies']) ? auth['policies'].join(', ') : 'none';
      const given = auth?.['client_token'];
      // A batch token cannot be revoked; it ends by itself.
      if (typeof given === 'string' && auth?.['token_type'] !== 'batch') {
        await client.with({ token: given }).post('auth/token/revoke-self', {});
      }
      return `policies: ${policies}`;
    }),
  ];
}

/** What a command prints. Nothing of it is ever shown: it is a token. */
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
