import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll } from '@jest/globals';
import { clientsOf, declaredBy } from '../../packages/cli/src/dev/provider-clients.ts';
import { isSecretKey } from '../../packages/core/src/graph/values/secret-keys.ts';
import type { DeploymentRequest, DeploymentResult, Step } from '../../packages/engine/src/engine.ts';
import { LocalEngine } from '../../packages/engine/src/local/local-engine.ts';
import type { Stack } from '../../packages/engine/src/stack.ts';
import { readStack } from '../../packages/engine/src/stack-files/read-stack.ts';
import {
  type EmbeddedIdentityProvider,
  type IdentityArgs,
  startIdentity,
} from '../../packages/secrets-service/src/identity-provider/identity.ts';
import { signIn } from '../../packages/secrets-service/src/identity-provider/sign-in.ts';
import { ServiceClient } from '../../packages/service-client/src/service-client.ts';
import { programEnv } from './program-env.ts';
import { started } from './started.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const passphrase = 'gatehouse';

/** The dev stack's providers and the rest of its configuration, to be changed by a test. */
export type DevConfig = Record<string, any>;

/**
 * The project's own program and dev stack, applied by the local engine to a service of the test's own, with the
 * embedded identity provider for all eight kinds. Its state lies in a folder of its own.
 */
export class EnvironmentUnderTest {
  readonly env: NodeJS.ProcessEnv;
  readonly client: ServiceClient;
  readonly identity: EmbeddedIdentityProvider;
  /** Of the identity provider, by kind. A test may change their secrets. */
  readonly clients: NonNullable<IdentityArgs['clients']>;
  readonly #home: string;
  readonly #dev: Stack;
  readonly #hasMessages: boolean;

  /**
   * OpenBao has no custom messages: there the dev stack leaves them out.
   *
   * @param clients of the identity provider. Default to those of the dev stack.
   */
  static async start(
    service: { address: string; token: string; kind?: 'embedded' | 'openbao' },
    clients?: IdentityArgs['clients'],
  ): Promise<EnvironmentUnderTest> {
    const home = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    const dev = await readStack(root, 'dev', { PULUMI_CONFIG_PASSPHRASE: passphrase });
    const declared = declaredBy(dev, { GATEHOUSE_SERVICE_ADDRESS: service.address });
    const known = clients ?? clientsOf(declared, dev);
    const identity = await startIdentity({ clients: known });
    return new EnvironmentUnderTest(service, { identity, clients: known, home, dev });
  }

  private constructor(
    service: { address: string; token: string; kind?: 'embedded' | 'openbao' },
    {
      identity,
      clients,
      home,
      dev,
    }: Pick<EnvironmentUnderTest, 'identity' | 'clients'> & { home: string; dev: Stack },
  ) {
    this.identity = identity;
    this.clients = clients;
    this.#home = home;
    this.#dev = dev;
    this.#hasMessages = service.kind !== 'openbao';
    this.client = new ServiceClient(service);
    this.env = {
      ...process.env,
      ...programEnv,
      PULUMI_CONFIG_PASSPHRASE: passphrase,
      VAULT_TOKEN: service.token,
      GATEHOUSE_SERVICE_ADDRESS: service.address,
      GATEHOUSE_IDENTITY_ADDRESS: identity.address,
    };
  }

  /** The dev stack, its configuration changed by the test. */
  stack(change: (config: DevConfig) => void = () => {}): Stack {
    const config: DevConfig = {};
    for (const [key, { value }] of this.#dev.config)
      config[key.slice('gatehouse:'.length)] = JSON.parse(value);
    if (!this.#hasMessages) config['service'].features = { messages: false };
    change(config);
    return {
      ...this.#dev,
      home: this.#home,
      config: new Map(
        Object.entries(config).map(([key, value]) => [
          `gatehouse:${key}`,
          { value: JSON.stringify(value), secret: isSecretKey(key) },
        ]),
      ),
    };
  }

  /** A folder with the project as a user has it, the text of its dev stack changed by the test. */
  async writeProject(change: (yaml: string) => string = (yaml) => yaml): Promise<string> {
    const folder = join(this.#home, 'project');
    await mkdir(join(folder, '.gatehouse'), { recursive: true });
    await shareCompiled(join(folder, '.gatehouse'));
    await writeFile(
      join(folder, 'Pulumi.dev.yaml'),
      change(await readFile(join(root, 'Pulumi.dev.yaml'), 'utf8')),
    );
    await copyFile(join(root, 'Pulumi.yaml'), join(folder, 'Pulumi.yaml'));
    // A copy: what a command writes there stays in the folder.
    await cp(join(root, 'policies'), join(folder, 'policies'), { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', main: 'main.mjs' }));
    await writeFile(join(folder, 'main.mjs'), `export * from ${JSON.stringify(join(root, 'main.mjs'))};\n`);
    return folder;
  }

  /** A folder with a project as a team has it before it adopts: no stack yet, and policies are read from its own folder. */
  async writeProjectWithoutStack(): Promise<string> {
    const folder = await this.writeProject();
    await rm(join(folder, 'Pulumi.dev.yaml'));
    const built = `import { buildEnvironment } from ${JSON.stringify(join(root, 'stacks/environment.ts'))};`;
    const exported =
      'export const { address, methods, groups } = await buildEnvironment(import.meta.dirname);';
    await writeFile(join(folder, 'main.mjs'), `${built}\n${exported}\n`);
    return folder;
  }

  async run(
    verb: DeploymentRequest['verb'],
    stack = this.stack(),
    options: Partial<DeploymentRequest> = {},
  ): Promise<DeploymentResult> {
    const request = { dryRun: verb === 'preview', refresh: false, targets: [], ...options };
    return await new LocalEngine({ env: this.env }).run({ verb, stack, ...request });
  }

  /** Applies a stack, and says what changed. */
  async up(stack = this.stack(), options: Partial<DeploymentRequest> = {}): Promise<string[]> {
    const result = await this.run('up', stack, options);
    const errors = result.diagnostics.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
    return changes(result);
  }

  /** What a login set-up looks like on the service, by name: what an `up` must leave as it found it or fix. */
  async live(): Promise<{
    mounts: string[];
    roles: string[];
    groups: string[];
    policies: string[];
    aliases: string[];
  }> {
    const auth = (await this.client.read('sys/auth'))?.data ?? {};
    const mounts = Object.keys(auth)
      .filter((path) => ['oidc', 'jwt'].includes((auth[path] as any).type))
      .sort();
    const roles = await Promise.all(
      mounts.map(async (path) => (await this.#keys(`auth/${path}role`)).map((role) => `${path}${role}`)),
    );
    const aliases = (await this.client.list('identity/group-alias/id'))?.data['key_info'] ?? {};
    return {
      mounts,
      roles: roles.flat().sort(),
      groups: (await this.#keys('identity/group/name')).sort(),
      policies: (await this.#keys('sys/policies/acl')).sort(),
      aliases: Object.values(aliases as Record<string, any>)
        .map(({ name, mount_path }) => `${mount_path}${name}`)
        .sort(),
    };
  }

  async #keys(path: string): Promise<string[]> {
    return ((await this.client.list(path))?.data['keys'] as string[] | undefined) ?? [];
  }

  /** Signs alice in as a browser would, by default to the method's default role; resolves with what the service answers. */
  async signInAlice(method: string, role?: string): Promise<Record<string, unknown>> {
    const redirect_uri = 'http://localhost:8250/oidc/callback';
    const { data } = await this.client.post(`auth/${method}/oidc/auth_url`, { role, redirect_uri });
    const { redirectUrl } = await signIn({ authUrl: String(data['auth_url']), username: 'alice' });
    const query = Object.fromEntries(new URL(redirectUrl).searchParams);
    return (await this.client.read(`auth/${method}/oidc/callback`, query))?.auth ?? {};
  }

  async close(): Promise<void> {
    this.client.close();
    await this.identity.close();
    await rm(this.#home, { recursive: true, force: true });
  }
}

/** What the SDK is compiled to, for programs that are kept apart: they read what others compiled, and write nothing. */
async function shareCompiled(home: string): Promise<void> {
  const compiled = process.env['NODE_COMPILE_CACHE'];
  const place = join(home, 'compile-cache');
  if (compiled === undefined || existsSync(place)) return;
  await mkdir(compiled, { recursive: true });
  await symlink(compiled, place);
}

type Service = () => Parameters<typeof EnvironmentUnderTest.start>[0];

/** An environment on the service of a block of tests, from its beginning to its end. */
export function environmentFor(service: Service): () => EnvironmentUnderTest {
  return started(() => EnvironmentUnderTest.start(service()));
}

/** The same, with the dev stack applied to it before the first test. */
export function appliedEnvironmentFor(service: Service): () => EnvironmentUnderTest {
  const environment = environmentFor(service);
  beforeAll(async () => {
    await environment().up();
  });
  return environment;
}

/** The steps that do something, as `operation name`; a refresh only where it found something. */
export function changes({ steps }: DeploymentResult): string[] {
  return steps
    .filter(
      (step) =>
        step.op !== 'same' && (step.op !== 'refresh' || Object.keys(step.detailedDiff ?? {}).length > 0),
    )
    .map(short)
    .sort();
}

function short({ op, urn }: Step): string {
  return `${op} ${urn.slice(urn.lastIndexOf('::') + 2)}`;
}
