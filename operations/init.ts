import { parseEnvironment } from '../core/model/environment.ts';
import type { ProviderKind } from '../core/model/kinds/kind.ts';
import { type PropertyMap, Secret } from '../engine/property-value.ts';
import { createStackFile } from '../engine/stack-files/write-stack.ts';

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

// Only the type: the kinds' schemas take long to load, and `gatehouse --help` needs none of them.

/** One thing that an administrator must say about a provider of some kind. */
export interface InitQuestion {
  /** The setting's name in the YAML; on the command line in kebab case. */
  setting: string;
  /** What is asked for, with an example where that helps. */
  asks: string;
  /** True when several are given, separated by commas. */
  list?: boolean;
}

const clientId: InitQuestion = { setting: 'clientId', asks: 'client (application) id' };

/** What has no default, by kind. Everything else is set in the file afterwards. */
export const initQuestions: Record<ProviderKind, InitQuestion[]> = {
  cloud_directory: [
    { setting: 'tenantId', asks: 'tenant id of the directory, or one of its domains' },
    clientId,
  ],
  hosted_identity_platform: [
    { setting: 'domain', asks: "tenant's domain, for example example.eu.auth0.com" },
    clientId,
  ],
  access_management_suite: [
    { setting: 'authority', asks: 'base URL, for example https://am.example.com/am' },
    { setting: 'scopes', asks: "the OAuth 2.0 client's scopes, separated by commas", list: true },
    clientId,
  ],
  source_hosting: [clientId],
  workspace_suite: [clientId],
  open_source_identity_server: [
    { setting: 'authority', asks: 'base URL, for example https://id.example.com' },
    { setting: 'realm', asks: 'realm' },
    clientId,
  ],
  enterprise_identity_provider: [
    { setting: 'authority', asks: 'base URL, for example https://example.okta.com' },
    clientId,
  ],
  container_orchestrator: [{ setting: 'issuer', asks: "issuer of the cluster's service account tokens" }],
};

/** Every setting that some kind asks for, once. */
export const initSettings: InitQuestion[] = [
  ...new Map(
    Object.values(initQuestions)
      .flat()
      .map((question) => [question.setting, question]),
  ).values(),
];

/** Whether people sign in through it, with a client secret: all kinds but workloads' own. */
export function hasClientSecret(kind: ProviderKind): boolean {
  return kind !== 'container_orchestrator';
}

export const providerKinds = Object.keys(initQuestions) as ProviderKind[];
