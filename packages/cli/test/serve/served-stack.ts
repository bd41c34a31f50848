import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { EnvironmentUnderTest, passphrase } from '../../../../test/harness/environment-under-test.ts';
import { openCrypter } from '../../../engine/src/passphrase.ts';
import { deployStack } from '../../src/deploy/deploy.ts';
import { serve } from '../../src/serve/serve.ts';

/** Changes the configuration in the dev stack's file of a project. Keys of run tasks that are given as texts are encrypted. */
export async function changeStack(
  directory: string,
  edit: (config: Record<string, any>) => void,
): Promise<void> {
  const file = join(directory, 'Pulumi.dev.yaml');
  const yaml = parse(await readFile(file, 'utf8'));
  edit(yaml.config);
  const keys = yaml.config['gatehouse:runTaskKeys'] ?? {};
  const { encrypt } = await openCrypter(passphrase, yaml.encryptionsalt);
  for (const [name, key] of Object.entries(keys))
    if (typeof key === 'string') keys[name] = { secure: encrypt(key) };
  await writeFile(file, stringify(yaml));
}

interface ServedStackArgs {
  home: string;
  url?: string;
  /** Of the service, as the stack has it. Defaults to its own. */
  address?: (own: string) => string;
  env?: NodeJS.ProcessEnv;
}

/** `gatehouse serve` with platform and integrator, for the dev stack on an embedded service. */
export async function startServedStack({ home, url = '', address = (own) => own, env }: ServedStackArgs) {
  const service = await startEmbeddedService();
  const environment = await EnvironmentUnderTest.start({ ...service, address: address(service.address) });
  const directory = await environment.writeProject();
  const served = await serve({
    directory,
    home,
    port: 0,
    host: '127.0.0.1',
    version: '1.2.3',
    env: { ...environment.env, ...env, VAULT_ADDR: service.address, DATABASE_URL: url },
    endpoints: [{ name: 'review', keys: ['a key'], stack: 'dev' }],
    logTo: { write: () => {} },
  });
  const change = (edit: (config: Record<string, any>) => void) => changeStack(directory, edit);
  return {
    environment,
    change,
    directory,
    address: served.address,
    /** Has the stack ask its own integrator. */
    gate: (tasks: { name: string; stages: string[]; enforcement: string }[]) =>
      change((config) => {
        config['gatehouse:runTasks'] = tasks.map((task) => ({ ...task, url: '/integrator/review' }));
        config['gatehouse:runTaskKeys'] = Object.fromEntries(tasks.map(({ name }) => [name, 'a key']));
      }),
    deploy: (options: Partial<Parameters<typeof deployStack>[0]> = {}) =>
      deployStack({
        stack: 'dev',
        message: '',
        speculative: false,
        address: served.address,
        env: { VAULT_TOKEN: service.token },
        onChange: () => {},
        ...options,
      }),
    async close() {
      await served.close();
      await environment.close();
      await service.close();
    },
  };
}

export type ServedStack = Awaited<ReturnType<typeof startServedStack>>;
