import { parseEnvironment } from '../core/model/environment.ts';
import type { Question } from '../core/model/kinds/kind.ts';
import { kindById, type ProviderKind, providerKinds } from '../core/model/kinds/kinds.ts';
import { type PropertyMap, Secret } from '../engine/property-value.ts';
import { createStackFile } from '../engine/stack-files/write-stack.ts';

/** A new environment: one service, one provider, one role. */
interface InitRequest {
  /** The folder that holds `Pulumi.yaml`. */
  directory: string;
  stack: string;
  /** Address of the secrets service. */
  address: string;
  kind: ProviderKind;
  /** Name of the provider, and of its auth method. */
  name: string;
  /** Answers to `initQuestions`. */
  settings: Record<string, string | string[]>;
  /** Required for a kind for people. Written encrypted. */
  clientSecret?: string;
  role: string;
  policies: string[];
  /** Answers to `roleQuestions`. */
  roleSettings: Record<string, string | string[]>;
  /** `PULUMI_CONFIG_PASSPHRASE` or `PULUMI_CONFIG_PASSPHRASE_FILE` encrypts the secret. */
  env: NodeJS.ProcessEnv;
}

/**
 * Writes the file of a stack that declares nothing yet.
 *
 * @returns the file's absolute path
 * @throws GatehouseError what `createStackFile` throws
 */
export function initStack(directory: string, stack: string, env: NodeJS.ProcessEnv): Promise<string> {
  return createStackFile(directory, stack, {}, env);
}

/** Whether a kind is for people, whose client has a secret, or for workloads. */
export function isForPeople(kind: ProviderKind): boolean {
  return kindById(kind).methodType === 'oidc';
}

/** The settings of a kind that have no default. Everything else is set in the file afterwards. */
export function initQuestions(kind: ProviderKind): Question[] {
  const client: Question = { setting: 'clientId', asks: 'client (application) id' };
  return [...kindById(kind).questions, ...(isForPeople(kind) ? [client] : [])];
}

/** What is asked of the first role of a kind, besides its name and policies. */
export function roleQuestions(kind: ProviderKind): readonly Question[] {
  return kindById(kind).roleQuestions ?? [];
}

/** The questions of all kinds, each setting once. */
export function allInitQuestions(): Question[] {
  const all = providerKinds.flatMap((kind) => [...initQuestions(kind), ...roleQuestions(kind)]);
  return [...new Map(all.map((question) => [question.setting, question])).values()];
}

/**
 * Checks the configuration of a new environment, and writes its file.
 *
 * @returns the file's absolute path
 * @throws GatehouseError `environment_invalid`, and what `createStackFile` throws
 */
export async function init(request: InitRequest): Promise<string> {
  const { kind, name, settings, role, policies, roleSettings, clientSecret } = request;
  const service = { address: request.address };
  const providers: PropertyMap[] = [
    {
      kind,
      name,
      ...settings,
      defaultRole: role,
      roles: [{ name: role, policies, ...roleSettings }],
    },
  ];
  const secrets = isForPeople(kind) && clientSecret ? { [name]: new Secret(clientSecret) } : {};
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
