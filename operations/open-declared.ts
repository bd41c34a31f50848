import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { declare } from '../core/model/declared.ts';
import type { Environment } from '../core/model/environment.ts';
import { resolveEnvironment } from '../core/model/resolve.ts';
import type { State } from '../core/model/state.ts';
import { GatehouseError } from '../core/model/values/errors.ts';
import { issuerFetch } from '../embedded/secrets/auth/issuer-fetch.ts';
import type { Stack } from '../engine/stack.ts';
import { openEnvironment } from './open-environment.ts';

/** An environment and what it comes to. */
export interface Declared {
  environment: Environment;
  state: State;
}

/**
 * What a stack declares, worked out as its program does, without running it.
 *
 * @throws GatehouseError `environment_missing`, `environment_invalid`, `policy_file_unreadable`, `issuer_unreadable`
 */
export async function openDeclared(stack: Stack, env: NodeJS.ProcessEnv): Promise<Declared> {
  const given = openEnvironment(stack, env);
  if (given === undefined) {
    throw new GatehouseError({
      code: 'environment_missing',
      what: 'The stack declares no environment: it has no key that begins with gatehouse:.',
      given: stack.name,
    });
  }
  const environment = await resolveEnvironment(given, {
    readFile: (path) => readFile(join(stack.directory, path), 'utf8'),
    readIssuer,
  });
  return { environment, state: declare(environment) };
}

/** As the program's own (providers/read-issuer.ts), which is out of reach from here. */
async function readIssuer(apiServer: string, caPem = ''): Promise<string> {
  const where = `${apiServer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  try {
    const answer = await issuerFetch(where, { caPem });
    if (answer.status !== 200) throw new Error(`the cluster answered ${answer.status}`);
    const { issuer } = (await answer.json()) as { issuer?: unknown };
    if (typeof issuer !== 'string') throw new Error('the document has no issuer');
    return issuer;
  } catch (cause) {
    throw new GatehouseError({
      code: 'issuer_unreadable',
      where,
      what: `the cluster’s document cannot be read: ${(cause as Error).message}`,
      fix: 'open the issuer’s discovery documents (cluster.openDiscovery), give caPem where the cluster has its own CA, or give the issuer itself',
      cause,
    });
  }
}
