import {
  GatehouseError,
  hasCustomMessages,
  hasNamespaces,
  parseServiceVersion,
  type ServiceVersion,
} from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import type { ServiceClient } from '@gatehouse/service-client';
import { openClient } from '../open/open-client.ts';
import { openEnvironment } from '../open/open-environment.ts';

/**
 * Checks, before anything is planned, that the stack's configuration is valid, and that its service is there and supports
 * what it declares. The stack of another program is left to that program.
 *
 * @throws GatehouseError `service_unreachable`, `service_sealed`, `service_version_invalid`,
 * `messages_unsupported`, `namespaces_unsupported`, `token_missing`, `token_refused`, and what `openEnvironment` throws
 */
export async function checkReady(stack: Stack, env: NodeJS.ProcessEnv): Promise<void> {
  const environment = openEnvironment(stack, env);
  if (environment === undefined) return;
  const { service } = environment;
  const client = openClient(service, env);
  try {
    const status = await client.read('sys/seal-status');
    const version = String(status?.data['version'] ?? '');
    if (status?.data['sealed'] === true) {
      throw new GatehouseError('service_sealed', { where: service.address });
    }
    const parsed = checkVersion(service.address, version);
    const declaresMessages = service.features.messages && environment.messages.length > 0;
    if (declaresMessages && !hasCustomMessages(parsed)) {
      throw new GatehouseError('messages_unsupported', {
        where: 'gatehouse:messages',
        given: `version ${version} at ${service.address}`,
        allowed: 'an enterprise version (`ent`) from 1.16 on',
      });
    }
    const namespaces = environment.namespaces.map(({ path }) => path);
    const isInside = service.namespace !== undefined || namespaces.length > 0;
    if (isInside && !hasNamespaces(parsed)) {
      throw new GatehouseError('namespaces_unsupported', {
        where: service.namespace === undefined ? 'gatehouse:namespaces' : 'gatehouse:service',
        given: `version ${version} at ${service.address}`,
        allowed: 'HashiCorp’s enterprise edition (`ent`), or OpenBao from 2.3 on',
      });
    }
    await checkToken(client.with({ namespace: service.namespace }));
  } finally {
    client.close();
  }
}

/** @throws GatehouseError `token_refused`, and what the client throws */
export async function checkToken(client: ServiceClient): Promise<void> {
  try {
    await client.read('auth/token/lookup-self');
  } catch (cause) {
    if (!(cause instanceof GatehouseError) || cause.code !== 'permission_denied') throw cause;
    throw new GatehouseError('token_refused', { cause });
  }
}

function checkVersion(address: string, version: string): ServiceVersion {
  const parsed = parseServiceVersion(version);
  if (parsed !== undefined) return parsed;
  throw new GatehouseError('service_version_invalid', {
    where: address,
    given: JSON.stringify(version.slice(0, 40)),
    allowed: 'major.minor.patch, as in 1.21.0+ent',
  });
}
