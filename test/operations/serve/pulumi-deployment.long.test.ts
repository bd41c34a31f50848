import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { RunView } from '../../../core/run-task/run.ts';
import { installPulumiCliDouble } from '../../engine/pulumi/pulumi-cli-double.ts';
import { describeOnPglite } from '../../harness/two-databases.ts';
import { recordedStream } from '../../recorded/recorded.ts';
import { type ServedStack, startServedStack } from './served-stack.ts';

const rules = { disabled: { 'redirect-uri-plain-http': 'the service of a test' } };
const stages = ['pre_plan', 'post_plan', 'pre_apply'];

// The CLI is a double that says what a real one said: two previews of the same change, and its `up`. It applies nothing, so
// the review after the apply, which looks at the service, is left out.
describeOnPglite('a gated deployment through the Pulumi CLI', (databases) => {
  let under: ServedStack;
  let cli: Awaited<ReturnType<typeof installPulumiCliDouble>>;
  beforeAll(async () => {
    cli = await installPulumiCliDouble({
      stdout: { preview: recordedStream('preview-update'), up: recordedStream('up-update') },
    });
    // Where the service is not on loopback, the CLI deploys; this address is not, and leads there all the same.
    const address = (own: string) => own.replace('127.0.0.1', '0.0.0.0');
    under = await startServedStack({ ...(await databases.place()), address, env: { PATH: cli.env.PATH } });
    await under.gate([{ name: 'gate', stages, enforcement: 'mandatory' }]);
    await under.change((config) => {
      config['gatehouse:deployments'] = { confirm: 'always' };
      config['gatehouse:rules'] = rules;
    });
  }, 60_000);
  afterAll(() => under?.close());

  test('is planned, reviewed, confirmed and applied', async () => {
    const waited: RunView[] = [];
    const run = await under.deploy({
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
    // This CLI has no update plans: the policy pack holds it to the plan.
    expect((await cli.call())?.argv).toContain('--policy-pack');
  }, 120_000);
});
