import type { ProviderKind } from '@gatehouse/core/graph';
import type { RunView } from '@gatehouse/core/run-task';
import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { readStack } from '@gatehouse/engine/stack-files';
import { startIdentity, type TlsFiles } from '@gatehouse/secrets-service';
import { defaultPlatformAddress } from '../deploy/deploy.ts';
import { openClient } from '../open/open-client.ts';
import type { Declared } from '../open/open-environment.ts';
import { LastStart } from './last-start.ts';
import { type DevMessages, messagesByState } from './messages.ts';
import { clientsOf, declaredBy } from './provider-clients.ts';
import { type DevRunTasks, startDevRunTasks } from './run-tasks.ts';
import { startDevService } from './service.ts';
import { type DevSignIn, signPersonIn, signWorkloadIn } from './sign-in.ts';

/** The passphrase of the dev stack. It is public (README.md): nothing that it protects is secret. */
export const developmentPassphrase = 'gatehouse';

interface DevRequest {
  directory: string;
  env: NodeJS.ProcessEnv;
  /** Ports of the secrets service and the identity provider; 0 lets the system choose. Default to the stack's. */
  port?: number;
  identityPort?: number;
  /** Port of the run tasks and their pages; 0 lets the system choose. Defaults to 8300. */
  runTaskPort?: number;
  /** Version of Gatehouse. */
  version: string;
  /** Certificate and key of the secrets service. Defaults to plain HTTP. */
  tls?: TlsFiles;
  /** Path of the secrets service's audit log. Defaults to none. */
  auditFile?: string;
  /** Called with what is being done, in a few words. */
  onProgress?: (what: string) => void;
}

/** What is running, and what was shown to work. */
export interface Dev {
  address: string;
  identityAddress: string;
  /** Root token of the service, created at the first start. */
  token: string;
  /** Address of the run tasks, whose pages are below `/ui/`. */
  runTaskAddress: string;
  /** The deployment of the dev stack by this start, or by the last one that had anything to look at. */
  run: RunView;
  /** Whether all that a deployment depends on is as the last start left it: then the program is not run, and nothing is planned. */
  isUnchanged: boolean;
  /** Milliseconds of the deployment. */
  deployMs: number;
  /** Environment variables for commands in another terminal. */
  variables: Record<string, string>;
  methods: { path: string; kind: ProviderKind; type: string; roles: string[] }[];
  groups: string[];
  policies: string[];
  messages: DevMessages;
  person: DevSignIn;
  workload: DevSignIn;
  close(): Promise<void>;
}

/**
 * Starts the embedded secrets service and identity provider on loopback, deploys the dev stack with the local engine,
 * gated by its run tasks, and signs a person and a workload in. The service's data is kept for the next start, which then
 * finds nothing to change. If a later part fails, the earlier ones are stopped.
 *
 * @throws GatehouseError `port_in_use`, `storage_locked`, `dev_not_applied`, and what the parts throw
 */
export async function startDev(request: DevRequest): Promise<Dev> {
  const { directory, onProgress = () => {} } = request;
  const env: NodeJS.ProcessEnv = { PULUMI_CONFIG_PASSPHRASE: developmentPassphrase, ...request.env };
  const stack = await readStack(directory, 'dev', env);
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const declared = declaredBy(stack, env);
    onProgress('starting the secrets service');
    const service = await startServiceOfStack(request, stack, declared);
    closers.push(() => service.close());

    onProgress('starting the identity provider');
    const serviceEnv = withServiceAt(service, env, request.tls);
    const identity = await startIdentityProvider(request, stack, declared, serviceEnv);
    closers.push(() => identity.close());

    onProgress('starting the run tasks');
    const engineEnv = {
      ...serviceEnv,
      VAULT_ADDR: service.address,
      GATEHOUSE_IDENTITY_ADDRESS: identity.address,
    };
    const { configured } = service;
    const lastStart = new LastStart({ stack, env: engineEnv, configured, identityOrigin: identity.address });
    const runTasks = await startRunTasks(request, stack, engineEnv);
    closers.push(() => runTasks.close());

    onProgress('deploying the dev stack');
    const deployment = await deployUnlessUnchanged(runTasks, lastStart, onProgress);
    const applied = declaredBy(stack, engineEnv);
    const client = openClient(applied.environment.service, engineEnv);
    closers.push(async () => client.close());
    onProgress('signing a person in');
    const person = await signPersonIn(client, applied.graph);
    onProgress('signing a workload in');
    const workload = await signWorkloadIn(client, applied.graph, identity);
    return {
      ...declaredParts(applied),
      address: service.address,
      identityAddress: identity.address,
      token: service.token,
      runTaskAddress: runTasks.address,
      ...deployment,
      variables: {
        ...variablesFor(declared, applied, service.token, env.PULUMI_CONFIG_PASSPHRASE),
        ...variablesForPlatform(runTasks.address, request.tls),
      },
      messages: await messagesByState(client),
      person,
      workload,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function startServiceOfStack({ port, tls, auditFile }: DevRequest, stack: Stack, { environment }: Declared) {
  const starting = startDevService(stack, {
    port: port ?? portOf(environment.service.address),
    tls,
    auditFile,
  });
  return listening(starting, '--port (0: any), or GATEHOUSE_SERVICE_ADDRESS');
}

/** The variables with which everything else finds the secrets service. */
function withServiceAt(
  { token, address }: { token: string; address: string },
  env: NodeJS.ProcessEnv,
  tls: TlsFiles | undefined,
): NodeJS.ProcessEnv {
  return {
    ...env,
    VAULT_TOKEN: token,
    GATEHOUSE_SERVICE_ADDRESS: address,
    // A self-signed certificate is its own CA.
    ...(tls && { VAULT_CACERT: env['VAULT_CACERT'] ?? tls.certificate }),
  };
}

/** @param env has the address of the secrets service, which the redirect URIs of the clients depend on */
function startIdentityProvider(
  { identityPort }: DevRequest,
  stack: Stack,
  { environment }: Declared,
  env: NodeJS.ProcessEnv,
) {
  const starting = startIdentity({
    port: identityPort ?? portOf(environment.identity?.address ?? 'http://127.0.0.1:0'),
    clients: clientsOf(declaredBy(stack, env), stack),
  });
  return listening(starting, '--identity-port (0: any), or GATEHOUSE_IDENTITY_ADDRESS');
}

function startRunTasks({ runTaskPort, version }: DevRequest, stack: Stack, env: NodeJS.ProcessEnv) {
  const port = runTaskPort ?? portOf(defaultPlatformAddress);
  return listening(startDevRunTasks(stack, { port, env, version }), '--run-task-port (0: any)');
}

/** Deploys the dev stack, unless all that a deployment depends on is as the last start left it. */
async function deployUnlessUnchanged(
  runTasks: Pick<DevRunTasks, 'deploy'>,
  lastStart: LastStart,
  onProgress: (what: string) => void,
): Promise<Pick<Dev, 'run' | 'isUnchanged' | 'deployMs'>> {
  const startedAt = Date.now();
  const lastRun = await lastStart.unchanged(() =>
    onProgress('what was kept of the last start is damaged: deploying'),
  );
  const run = lastRun ?? (await runTasks.deploy());
  if (lastRun === undefined) await lastStart.keep(run);
  return { run, isUnchanged: lastRun !== undefined, deployMs: Date.now() - startedAt };
}

/** Says which option chooses the port where it is in use: there are three ports. */
async function listening<Server>(starting: Promise<Server>, option: string): Promise<Server> {
  try {
    return await starting;
  } catch (error) {
    if (!(error instanceof GatehouseError) || error.code !== 'port_in_use') throw error;
    throw new GatehouseError('port_in_use.option', {
      cause: error.cause,
      values: { problem: error.parts.what, option },
    });
  }
}

/**
 * Variables for commands in another terminal. They have an address only if it differs from the stack file's.
 *
 * @param inFile what the stack file declares, without the ports that were chosen for this start
 */
function variablesFor(
  inFile: Declared,
  { environment }: Declared,
  token: string,
  passphrase = developmentPassphrase,
): Record<string, string> {
  const { service, identity } = environment;
  const variables: Record<string, string> = { VAULT_TOKEN: token, PULUMI_CONFIG_PASSPHRASE: passphrase };
  if (service.address !== inFile.environment.service.address) {
    variables['GATEHOUSE_SERVICE_ADDRESS'] = service.address;
  }
  if (identity !== undefined && identity.address !== inFile.environment.identity?.address) {
    variables['GATEHOUSE_IDENTITY_ADDRESS'] = identity.address;
  }
  return variables;
}

/** The certificate only where there is one, and the address only where it is not the default one. */
function variablesForPlatform(address: string, tls: TlsFiles | undefined): Record<string, string> {
  return {
    ...(tls && { VAULT_CACERT: tls.certificate }),
    ...(address !== defaultPlatformAddress && { GATEHOUSE_PLATFORM_ADDRESS: address }),
  };
}

function portOf(address: string): number {
  return Number(new URL(address).port);
}

function declaredParts({
  environment,
  graph: { methods, roles, groups },
}: Declared): Pick<Dev, 'methods' | 'groups' | 'policies'> {
  return {
    methods: environment.providers.map(({ kind, name, path = name }) => ({
      path,
      kind,
      type: methods.find((method) => method.path === path)?.type ?? '',
      roles: roles.filter(({ method }) => method === path).map((role) => role.name),
    })),
    groups: groups.map(({ name }) => name),
    policies: environment.policies.map(({ name }) => name),
  };
}
