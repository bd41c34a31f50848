import { parseEnvironment } from '../core/model/environment.ts';
import type { ProviderKind } from '../core/model/kinds/kind.ts';
import { type PropertyMap, Secret } from '../engine/property-value.ts';
import { createStackFile } from '../engine/stack-files/write-stack.ts';
import { hasClientSecret } from './init-questions.ts';

/** What a new environment starts with: one service, one provider, one role. */
export interface InitRequest {
  /** The folder that holds `Pulumi.yaml`. */
  directory: string;
  stack: string;
  /** Address of the secrets service. */
  address: string;
  kind: ProviderKind;
  /** Name of the provider, and of its auth method. */
  name: string;
  /** The kind's own settings: see `init-questions.ts`. */
  settings: Record<string, string | string[]>;
  /** Needed for every kind but the container orchestrator. Written encrypted. */
  clientSecret?: string;
  role: string;
  policies: string[];
  /** The workload that may sign in, for a container orchestrator. */
  serviceAccount?: { namespace: string; name: string };
  /** `PULUMI_CONFIG_PASSPHRASE` or `PULUMI_CONFIG_PASSPHRASE_FILE` encrypts the secret. */
  env: NodeJS.ProcessEnv;
}

/**
 * Writes the configuration file of a new environment, checked as a whole before.
 *
 * @returns the file's absolute path
 * @throws GatehouseError `environment_invalid`, and what `createStackFile` throws
 */
export async function init(request: InitRequest): Promise<string> {
  const { kind, name, settings, role, policies, serviceAccount, clientSecret } = request;
  const service = { address: request.address };
  const providers: PropertyMap[] = [
    {
      kind,
      name,
      ...settings,
      defaultRole: role,
      roles: [
        {
          name: role,
          policies,
          ...(serviceAccount === undefined
            ? {}
            : { namespace: serviceAccount.namespace, serviceAccount: serviceAccount.name }),
        },
      ],
    },
  ];
  const secrets = hasClientSecret(kind) && clientSecret ? { [name]: new Secret(clientSecret) } : {};
  parseEnvironment({ service, providers, clientSecrets: Object.keys(secrets) });
  return createStackFile(
    request.directory,
    request.stack,
    {
      'gatehouse:service': service,
      'gatehouse:providers': providers,
      ...(Object.keys(secrets).length > 0 ? { 'gatehouse:clientSecrets': secrets } : {}),
    },
    request.env,
  );
}
