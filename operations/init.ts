import { environmentSchema, parseEnvironment } from '../core/model/environment.ts';
import type { Question } from '../core/model/kinds/kind.ts';
import { kindById, type ProviderKind, providerKinds } from '../core/model/kinds/kinds.ts';
import { redirectUris } from '../core/model/redirect-uris.ts';
import { setSecretCommand } from '../core/model/values/secret-keys.ts';
import { type PropertyMap, Secret } from '../engine/property-value.ts';
import { createStackFile } from '../engine/stack-files/write-stack.ts';

export { checkNewStack } from '../engine/stack-files/write-stack.ts';

/** A new environment: one service, one provider, one role. */
interface InitRequest {
  /** The folder that holds `Pulumi.yaml`. */
  directory: string;
  stack: string;
  address: string;
  kind: ProviderKind;
  /** Name of the provider, and of its auth method. */
  name: string;
  /** Answers to `initQuestions`. */
  settings: Record<string, string | string[]>;
  /** Of a kind for people; without it, it has to be set before the first preview. Written encrypted. */
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

/** What is asked of the first role of a kind, in addition to its name and policies. */
export function roleQuestions(kind: ProviderKind): readonly Question[] {
  return kindById(kind).roleQuestions ?? [];
}

/** The questions of all kinds, each setting once. */
export function allInitQuestions(): Question[] {
  const all = providerKinds.flatMap((kind) => [...initQuestions(kind), ...roleQuestions(kind)]);
  return [...new Map(all.map((question) => [question.setting, question])).values()];
}

/** What is wrong with the address of a service; undefined for one that can be declared. */
export function addressProblem(address: string): string | undefined {
  return environmentSchema.shape.service.safeParse({ address }).error?.issues[0]?.message;
}

/**
 * What is wrong with the settings of a provider, or of its first role, that were given so far.
 *
 * @param names the settings to judge
 */
export function settingProblem(
  { kind, role, ...given }: { kind: ProviderKind; name?: string; role?: object; [setting: string]: unknown },
  names: readonly string[],
): string | undefined {
  const roles = role === undefined ? [] : [role];
  const { error } = kindById(kind).settings.safeParse({ ...given, kind, roles });
  return error?.issues.find(({ path }) =>
    names.includes(String(role === undefined ? path[0] : path[0] === 'roles' && path[2])),
  )?.message;
}

/** Why the issuer of a provider cannot be discovered from here; undefined where it can, or has no discovery. */
export async function discoveryProblem(
  kind: ProviderKind,
  settings: Record<string, unknown>,
): Promise<string | undefined> {
  const parsed = kindById(kind).settings.safeParse({ name: 'new', clientId: 'new', ...settings, kind });
  const url = parsed.success ? kindById(kind).config(parsed.data).oidcDiscoveryUrl : undefined;
  if (url === undefined) return undefined;
  // Loaded late: --help needs none of it.
  const { DiscoveryError, readDiscovery } = await import('../client/discovery.ts');
  try {
    await readDiscovery({ url });
    return undefined;
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    return error.message;
  }
}

export interface Initialized {
  /** Absolute path. */
  file: string;
  /** What to register with the identity provider; none for workloads. */
  redirectUris: string[];
  /** The commands that come next. */
  next: string[];
}

/**
 * Checks the configuration of a new environment, and writes its file.
 *
 * @throws GatehouseError `environment_invalid`, and what `createStackFile` throws
 */
export async function init(request: InitRequest): Promise<Initialized> {
  const { stack, kind, name, settings, role, policies, roleSettings, clientSecret } = request;
  const service = { address: request.address };
  const roles = [{ name: role, policies, ...roleSettings }];
  const providers: PropertyMap[] = [{ kind, name, ...settings, defaultRole: role, roles }];
  const isSecretNeeded = isForPeople(kind);
  const environment = parseEnvironment({ service, providers, clientSecrets: isSecretNeeded ? [name] : [] });
  const isSecretGiven = isSecretNeeded && clientSecret;
  const file = await createStackFile(
    request.directory,
    stack,
    {
      'gatehouse:service': service,
      'gatehouse:providers': providers,
      ...(isSecretGiven && { 'gatehouse:clientSecrets': { [name]: new Secret(clientSecret) } }),
    },
    request.env,
  );
  return {
    file,
    redirectUris: isSecretNeeded ? redirectUris(environment.service, name) : [],
    next: [
      ...(isSecretNeeded && !isSecretGiven ? [setSecretCommand('clientSecrets', name, stack)] : []),
      `gatehouse preview -s ${stack}`,
      `gatehouse up -s ${stack} --preflight`,
      `gatehouse verify -s ${stack}`,
    ],
  };
}
