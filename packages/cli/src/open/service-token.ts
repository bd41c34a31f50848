import { readFileSync } from 'node:fs';
import type { ServiceSettings } from '@gatehouse/core/environment';
import { GatehouseError, partName } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { loginWithToken, type SignedInToken } from './login.ts';
import { openAnonymousClient } from './open-client.ts';
import { declaredPlace, requireEnvironment } from './open-environment.ts';
import { openStack } from './open-stack.ts';

/** Names of variables with the token of one stack or service. `VAULT_TOKEN_NAME` is the plugin's: what its tokens are called. */
const ofOne = /^VAULT_(TOKEN|JWT)_(?!NAME$)/;

/**
 * The environment in which a stack's service is talked to: `VAULT_TOKEN` is the token for it, and there is none for others.
 * In this order, the token comes from
 * - `VAULT_TOKEN_<STACK>`, or the file that `VAULT_TOKEN_<STACK>_FILE` names, which is read each time
 * - `VAULT_TOKEN_<SERVICE>`, likewise: the host of the address, and its port where it has one
 * - a sign-in with the JWT of `VAULT_JWT_<STACK>` or `VAULT_JWT_<SERVICE>`, likewise, as `gatehouse:service.signIn` says
 * - `VAULT_TOKEN`
 *
 * What is set is used: a token that is not one, or a file that is not there, never leads to the next source.
 *
 * @throws GatehouseError `token_invalid`, `token_missing`, `token_refused`, and what the client and `openEnvironment` throw
 */
export async function withServiceToken(stack: Stack, env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const otherVariables = Object.entries(env).filter(([name]) => !ofOne.test(name));
  const own = Object.fromEntries(otherVariables);
  if (otherVariables.length === Object.keys(env).length) return env;
  const names = variableNames(stack, env).map(({ name }) => name);
  const token = firstVariable(names, 'VAULT_TOKEN', env);
  if (token !== undefined) return { ...own, VAULT_TOKEN: token.value };
  const jwt = firstVariable(names, 'VAULT_JWT', env);
  return jwt === undefined ? own : { ...own, VAULT_TOKEN: await signedInWith(jwt, stack, own) };
}

/**
 * Opens the stack of a command, and the environment in which its service is talked to.
 *
 * @throws GatehouseError what `openStack` and `withServiceToken` throw
 */
export async function openWithToken(
  directory: string,
  name: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<{ stack: Stack; env: NodeJS.ProcessEnv }> {
  const stack = await openStack(directory, name, env);
  return { stack, env: await withServiceToken(stack, env) };
}

/**
 * Checks that no variable that is set would give two stacks, or two services, one token.
 *
 * @throws GatehouseError `token_ambiguous`
 */
export function checkTokenNames(stacks: readonly Stack[], env: NodeJS.ProcessEnv): void {
  if (!Object.keys(env).some((name) => ofOne.test(name))) return;
  const owners = new Map<string, string>();
  for (const { name, owner } of stacks.flatMap((stack) => variableNames(stack, env))) {
    for (const start of ['VAULT_TOKEN', 'VAULT_JWT']) {
      for (const variable of [`${start}_${name}`, `${start}_${name}_FILE`]) {
        if (env[variable] === undefined || !ofOne.test(variable)) continue;
        const other = owners.get(variable) ?? owner;
        owners.set(variable, other);
        if (other === owner) continue;
        throw new GatehouseError('token_ambiguous', { where: variable, values: { other, owner } });
      }
    }
  }
}

/** Whose token a stack takes, as it stands in the names of variables: its own, then its service's. */
function variableNames(stack: Stack, env: NodeJS.ProcessEnv): { name: string; owner: string }[] {
  const address = declaredPlace(stack, env)?.address;
  const folded = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]/g, '_');
  return [
    { name: folded(stack.name), owner: `the stack ${stack.name}` },
    ...(address ? [{ name: folded(address.host), owner: `the service ${address.origin}` }] : []),
  ];
}

/** A value, and the variable that gives it. */
interface TokenVariable {
  variable: string;
  value: string;
}

const shapes = {
  // Tokens as services make them. A path, or what a proxy or a failed command left in a file, does not match.
  VAULT_TOKEN: /^[\w.~+=:@-][\w.~+/=:@-]{0,8191}$/,
  VAULT_JWT: /^[\w-]+\.[\w-]+\.[\w-]+$/,
};

/**
 * What the first variable that is set gives, by itself or by a file. Neither is ever shown, nor why a file cannot be read: a
 * token may stand where a path should.
 */
function firstVariable(
  names: string[],
  start: keyof typeof shapes,
  env: NodeJS.ProcessEnv,
): TokenVariable | undefined {
  for (const name of names) {
    for (const end of ['', '_FILE']) {
      const variable = `${start}_${name}${end}`;
      const content = env[variable];
      if (content === undefined || !ofOne.test(variable)) continue;
      const value = (end === '' ? content : contentOf(content, variable)).trim();
      if (value === '') throw new GatehouseError('token_invalid.empty', { where: variable });
      if (shapes[start].test(value)) return { variable, value };
      throw new GatehouseError(start === 'VAULT_JWT' ? 'token_invalid.jwt' : 'token_invalid.variable', {
        where: variable,
      });
    }
  }
  return undefined;
}

function contentOf(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new GatehouseError('token_invalid.file', { where: variable });
  }
}

/** A sign-in, its token, and until when it is used: two thirds of its time. */
interface CachedSignIn {
  service: ServiceSettings;
  env: NodeJS.ProcessEnv;
  signedIn: Promise<SignedInToken>;
  until: number;
}

const signIns = new Map<string, CachedSignIn>();
let isRevokedAtExit = false;

async function signedInWith(
  { variable, value: jwt }: TokenVariable,
  stack: Stack,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const { service } = requireEnvironment(stack, env);
  const { signIn, address, namespace } = service;
  if (signIn === undefined) {
    throw new GatehouseError('token_missing.sign_in', { where: variable });
  }
  // Otherwise sign-ins with earlier JWTs would stay forever.
  for (const [key, { until }] of signIns) if (until <= Date.now()) signIns.delete(key);
  const key = JSON.stringify([address, namespace, signIn.path, signIn.role, jwt]);
  const known = signIns.get(key);
  if (known !== undefined) return (await known.signedIn).token;
  if (!isRevokedAtExit) process.once('beforeExit', revokeSignIns);
  isRevokedAtExit = true;
  const remembered: CachedSignIn = {
    service,
    env,
    until: Infinity,
    signedIn: signInAt(service, signIn, jwt, env).catch((error) => {
      throw asRefusedJwt(error, variable, `${partName('role', signIn.path, signIn.role)} at ${address}`);
    }),
  };
  signIns.set(key, remembered);
  try {
    const { token, leaseSeconds } = await remembered.signedIn;
    // A token without a lease does not end.
    remembered.until = Date.now() + ((leaseSeconds || Infinity) * 1000 * 2) / 3;
    return token;
  } catch (error) {
    signIns.delete(key);
    throw error;
  }
}

async function signInAt(
  service: ServiceSettings,
  { path, role }: { path: string; role: string },
  jwt: string,
  env: NodeJS.ProcessEnv,
): Promise<SignedInToken> {
  const client = openAnonymousClient(service, env);
  return await loginWithToken({ client, method: path, role, jwt }).finally(() => client.close());
}

function asRefusedJwt(cause: unknown, variable: string, role: string): unknown {
  if (!(cause instanceof GatehouseError) || cause.code !== 'login_refused') return cause;
  return new GatehouseError('token_refused.jwt', {
    where: variable,
    given: role,
    cause,
    values: { reason: cause.parts.what },
  });
}

/** Revokes the tokens of all sign-ins. At the end of the process, this happens by itself. */
export async function revokeSignIns(): Promise<void> {
  const all = [...signIns.values()];
  signIns.clear();
  for (const { service, env, signedIn } of all) {
    const { token, tokenType } = (await signedIn.catch(() => undefined)) ?? {};
    // A batch token cannot be revoked. It ends by itself, as does one whose service cannot be reached.
    if (token === undefined || tokenType === 'batch') continue;
    const client = openAnonymousClient(service, env).with({ token });
    await client.post('auth/token/revoke-self', {}).catch(() => {});
    client.close();
  }
}
