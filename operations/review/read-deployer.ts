import { ServiceClient } from '../../client/service-client.ts';
import { tlsOptions } from '../../client/tls-options.ts';
import type { Environment } from '../../core/model/environment.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { Deployer } from '../../core/review/access/lock-out.ts';

/**
 * Who applies a change: the policies of the token, and the role it was signed in with.
 *
 * @returns undefined where there is no token, or the service does not say. A root token needs no guard.
 */
export async function readDeployer(
  { service }: Environment,
  env: NodeJS.ProcessEnv,
): Promise<Deployer | undefined> {
  const token = env['VAULT_TOKEN'];
  if (token === undefined || token === '') return undefined;
  const { address, dialect, namespace } = service;
  const root = new ServiceClient({ address, dialect, token, ...tlsOptions(env) });
  const client = namespace === undefined ? root : root.with({ namespace });
  try {
    const data = (await client.read('auth/token/lookup-self'))?.data ?? {};
    const policies = [...texts(data['policies']), ...texts(data['identity_policies'])];
    if (policies.includes('root')) return undefined;
    const name = (data['meta'] as { role?: unknown } | null | undefined)?.role;
    const [, method] = /^auth\/(.+?)\/(?:oidc\/callback|login)$/.exec(String(data['path'] ?? '')) ?? [];
    return {
      policies,
      ...(typeof name === 'string' && method !== undefined ? { role: { method, name } } : {}),
    };
  } catch (error) {
    if (error instanceof GatehouseError) return undefined;
    throw error;
  } finally {
    root.close();
  }
}

function texts(given: unknown): string[] {
  return Array.isArray(given) ? given.map(String) : [];
}
