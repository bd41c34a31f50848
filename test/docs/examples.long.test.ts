import { globSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { baseSetting } from '../../packages/core/src/graph/kinds/kind.ts';
import { kindById, kindNamed } from '../../packages/core/src/graph/kinds/kinds.ts';
import type { DeploymentRequest, DeploymentResult } from '../../packages/engine/src/engine.ts';
import type { Stack } from '../../packages/engine/src/stack.ts';
import { readStack } from '../../packages/engine/src/stack-files/read-stack.ts';
import {
  changes,
  type EnvironmentUnderTest,
  environmentFor,
  passphrase,
  root,
} from '../harness/environment-under-test.ts';
import { describeWithPulumi } from '../harness/pulumi/pulumi.ts';
import { PulumiProject } from '../harness/pulumi/pulumi-project.ts';
import { serviceAccountKey } from '../harness/service-account-key.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { describeOnEmbeddedService, describeOnOpenBao, type TestedServer } from '../harness/two-servers.ts';

const env = { PULUMI_CONFIG_PASSPHRASE: passphrase };
const names = globSync('examples/*/Pulumi.*.yaml', { cwd: root })
  .map((path) => /Pulumi\.(.+)\.yaml$/.exec(path)?.[1] ?? '')
  // A program of its own.
  .filter((name) => name !== 'example')
  .sort();

describeOnEmbeddedService('the examples, by the local engine', (service) =>
  testExamples(service, async (environment) => environment.run.bind(environment)),
);

describeOnOpenBao('the examples, by Pulumi', (service) => {
  describeWithPulumi('the newest', 'newest', (home) =>
    testExamples(service, async (environment) => {
      const project = await PulumiProject.make(home(), environment);
      return project.run.bind(project);
    }),
  );
});

type Run = (
  verb: DeploymentRequest['verb'],
  stack: Stack,
  options?: Partial<DeploymentRequest>,
) => Promise<DeploymentResult>;

function testExamples(
  service: () => TestedServer,
  runnerOf: (environment: EnvironmentUnderTest) => Promise<Run>,
): void {
  let run: Run;
  let folder: string;
  const environment = environmentFor(service);
  beforeAll(async () => {
    run = await runnerOf(environment());
    folder = temporaryFolder();
    await copyFile(join(root, 'Pulumi.yaml'), join(folder, 'Pulumi.yaml'));
    await writeFile(join(folder, 'key.json'), JSON.stringify(serviceAccountKey));
  });

  /** A provider of an example, played by the embedded identity provider. */
  function played(given: Record<string, unknown>): object {
    const kind = kindById(kindNamed(given['kind']) ?? 'oidc');
    const provider: Record<string, unknown> = { ...given, ...kind.embedded?.issuer };
    for (const setting of [baseSetting(kind.issuer), ...(kind.insteadOfIssuer ?? [])])
      delete provider[setting];
    const { directory } = given;
    return typeof directory === 'object'
      ? { ...provider, directory: { ...directory, serviceAccountFile: join(folder, 'key.json') } }
      : provider;
  }

  async function stackOf(name: string): Promise<Stack> {
    await copyFile(join(root, `examples/${name}/Pulumi.${name}.yaml`), join(folder, `Pulumi.${name}.yaml`));
    const example = await readStack(folder, name, env);
    return environment().stack((config) => {
      for (const key of Object.keys(config)) delete config[key];
      for (const [key, { value }] of example.config)
        config[key.slice('gatehouse:'.length)] = JSON.parse(value);
      config['providers'] = (config['providers'] ?? []).map(played);
      if (service().kind === 'embedded') return;
      // OpenBao has no custom messages.
      delete config['messages'];
      config['service'] = { ...config['service'], features: { messages: false } };
    });
  }

  test.each(names)('%s is applied, leaves nothing to change, and is destroyed', async (name) => {
    const stack = await stackOf(name);
    const before = await environment().live();
    const applied = await run('up', stack);
    expect(applied.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const providers = JSON.parse(stack.config.get('gatehouse:providers')?.value ?? '[]');
    expect(await environment().live()).toMatchObject({
      mounts: expect.arrayContaining(providers.map((one: { name: string }) => `${one.name}/`)),
    });
    expect(changes(await run('preview', stack, { refresh: true }))).toEqual([]);
    await run('destroy', stack);
    expect(await environment().live()).toEqual(before);
  });
}
