import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import type { RunView } from '../../../core/run-task/run.ts';
import { deployStack } from '../../../operations/deploy.ts';
import { type Served, serve } from '../../../operations/serve/serve.ts';
import { installPulumiCliDouble } from '../../engine/pulumi/pulumi-cli-double.ts';
import { startEmbeddedService } from '../../harness/embedded-service.ts';
import { EnvironmentUnderTest } from '../../harness/environment-under-test.ts';
import { describeOnPglite } from '../../harness/two-databases.ts';
import { recordedStream } from '../../recorded/recorded.ts';

const rules = { off: { 'redirect-uri-plain-http': 'the service of a test' } };
const stages = ['pre_plan', 'post_plan', 'pre_apply'];

// The CLI is a double that says what a real one said: two previews of the same change, and its `up`. It applies nothing, so
// the review after the apply, which looks at the service, is left out.
describeOnPglite('a gated deployment through the Pulumi CLI', (databases) => {
  let service: Awaited<ReturnType<typeof startEmbeddedService>>;
  let environment: EnvironmentUnderTest;
  let served: Served;
  let cli: Awaited<ReturnType<typeof installPulumiCliDouble>>;
  beforeAll(async () => {
    service = await startEmbeddedService();
    // Where the service is not on loopback, the CLI deploys; this address is not, and leads there all the same.
    const address = service.address.replace('127.0.0.1', '0.0.0.0');
    environment = await EnvironmentUnderTest.start({ ...service, address });
    const directory = await environment.writeProject();
    const file = join(directory, 'Pulumi.dev.yaml');
    const yaml = parse(await readFile(file, 'utf8'));
    yaml.config['gatehouse:runTasks'] = [
      { name: 'gate', stages, enforcement: 'mandatory', url: '/integrator/review' },
    ];
    yaml.config['gatehouse:runTaskKeys'] = JSON.stringify({ gate: 'a key' });
    yaml.config['gatehouse:deployments'] = { confirm: 'always' };
    yaml.config['gatehouse:rules'] = rules;
    await writeFile(file, stringify(yaml));
    cli = await installPulumiCliDouble({
      stdout: { preview: recordedStream('preview-update'), up: recordedStream('up-update') },
    });
    const { home } = await databases.place();
    served = await serve({
      ...{ directory, home, port: 0, host: '127.0.0.1', version: '1.2.3' },
      env: {
        ...environment.env,
        PATH: cli.env.PATH,
        VAULT_ADDR: service.address,
        DATABASE_URL: '',
      },
      endpoints: [{ name: 'review', keys: ['a key'], stack: 'dev' }],
      logTo: { write: () => {} },
    });
  }, 60_000);
  afterAll(async () => {
    await served?.close();
    await environment.close();
    await service.close();
  });

  test('is planned, reviewed, confirmed and applied', async () => {
    const waited: RunView[] = [];
    const run = await deployStack({
      ...{ stack: 'dev', message: '', speculative: false, address: served.address },
      env: { VAULT_TOKEN: service.token },
      onChange: () => {},
      onWait: async (snapshot) => {
        waited.push(snapshot);
        return { verb: 'confirm' };
      },
    });
    expect(run.tasks.map(({ stage, status }) => [stage, status])).toEqual(
      stages.map((stage) => [stage, 'passed']),
    );
    expect([run.status, run.hasApplied, run.reason]).toEqual(['applied', true, null]);
    expect(waited.map(({ status }) => status)).toEqual(['waiting_for_confirmation']);
    // The plan is made again before it is applied, and is the one that was approved.
    expect((await cli.calls()).map(({ argv }) => argv[0])).toEqual(['preview', 'preview', 'up']);
  }, 120_000);
});
