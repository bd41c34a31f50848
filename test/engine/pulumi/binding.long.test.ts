import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DeploymentRequest, PolicyPackRequest } from '../../../engine/engine.ts';
import { withBinding } from '../../../engine/pulumi/binding.ts';
import type { Stack } from '../../../engine/stack.ts';
import { readStack } from '../../../engine/stack-files/read-stack.ts';
import { digest } from '../../../operations/description/digest.ts';
import { type DevConfig, EnvironmentUnderTest, root } from '../../harness/environment-under-test.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { describeOnBothServers } from '../../harness/two-servers.ts';
import { type Diagnostic, EnforcementLevel, HostedPack } from '../../packages/policy-pack/hosted-pack.ts';
import { sentPreview } from '../../packages/policy-pack/sent-preview.ts';

const provider = (config: DevConfig, name: string) =>
  config['providers'].find((one: { name: string }) => one.name === name);
const reader = (config: DevConfig) =>
  provider(config, 'staff').roles.find(({ name }: any) => name === 'reader');

describeOnBothServers('the policy pack of a reviewed up', (server) => {
  let environment: EnvironmentUnderTest;
  beforeAll(async () => {
    environment = await EnvironmentUnderTest.start(server());
  });
  afterAll(() => environment?.close());

  /** Shows a stack to the pack that holds an `up` to the preview of another, as the CLI would. */
  const saidAfterReviewOf = async (
    reviewedStack: Stack,
    stack = reviewedStack,
    {
      policyPacks = [],
      show = 'analyze',
    }: { policyPacks?: PolicyPackRequest[]; show?: 'analyze' | 'judge' } = {},
  ): Promise<Diagnostic[]> => {
    const reviewed = await environment.run('preview', reviewedStack);
    const planned = await environment.run('preview', stack);
    const { resources } = sentPreview(digest(stack, planned, { unchanged: true }));
    const request: DeploymentRequest = {
      ...{ verb: 'up', dryRun: false, refresh: false, targets: [] },
      ...{ stack, reviewed, policyPacks },
    };
    return withBinding(
      request,
      async () => false,
      { allowsUnbound: false },
      async ({ policyPacks: [own, ...others] = [] }) => {
        expect(others).toEqual([]);
        const pack = await HostedPack.start(own?.folder);
        try {
          await pack.configureFrom(JSON.parse(await readFile(own?.config ?? '', 'utf8')));
          return await pack[show](resources);
        } finally {
          await pack.close();
        }
      },
    );
  };

  test('has nothing against a first up that makes what was reviewed, nor against one that changes nothing', async () => {
    expect(await saidAfterReviewOf(environment.stack())).toEqual([]);
    await environment.up();
    expect(await saidAfterReviewOf(environment.stack())).toEqual([]);
  });

  test('refuses a policy that a role got after the review', async () => {
    await environment.up();
    const reviewed = environment.stack((config) => {
      reader(config).ttl = '30m';
    });
    const shimmed = environment.stack((config) => {
      Object.assign(reader(config), { ttl: '30m', policies: ['secrets-read', 'login-admin'] });
    });
    expect(await saidAfterReviewOf(reviewed, shimmed)).toMatchObject([
      {
        level: EnforcementLevel.MANDATORY,
        message: expect.stringContaining('Other values than in the plan that was reviewed: tokenPolicies.'),
      },
    ]);
    expect(await saidAfterReviewOf(reviewed)).toEqual([]);
  });

  test('refuses a role that came after the review', async () => {
    await environment.up();
    const more = environment.stack((config) => {
      provider(config, 'cluster').roles.push({ ...provider(config, 'cluster').roles[0], name: 'more' });
    });
    const said = await saidAfterReviewOf(environment.stack(), more);
    expect(said).toMatchObject([
      {
        level: EnforcementLevel.MANDATORY,
        message: expect.stringContaining('It is not in the plan that was reviewed.'),
      },
    ]);
  });

  test('judges as it was asked to, too', async () => {
    const config = join(temporaryFolder(), 'config.json');
    await writeFile(config, JSON.stringify({ 'cannot-be-judged': { before: '/nowhere/before.json' } }));
    const policyPacks = [{ folder: `${root}/packages/policy-pack`, config }];
    const judged = saidAfterReviewOf(environment.stack(), undefined, { policyPacks, show: 'judge' });
    await expect(judged).rejects.toThrow('the file with the state before cannot be read');
  });
});

test.each([
  ['no file', undefined, 'there is no such file'],
  ['no object', '[]', 'not a JSON object'],
])('a configuration of our own pack that is %s is refused', async (_, text, message) => {
  const config = join(temporaryFolder(), 'config.json');
  if (text !== undefined) await writeFile(config, text);
  const policyPacks = [{ folder: `${root}/packages/policy-pack`, config }];
  const request: DeploymentRequest = {
    ...{ verb: 'up', dryRun: false, refresh: false, targets: [], policyPacks },
    stack: await readStack(root, 'dev', { PULUMI_CONFIG_PASSPHRASE: 'gatehouse' }),
    reviewed: { succeeded: true, steps: [], changes: {}, outputs: {}, diagnostics: [], durationMs: 0 },
  };
  const bound = withBinding(
    request,
    async () => false,
    { allowsUnbound: false },
    async () => 'run',
  );
  await expect(bound).rejects.toMatchObject({
    code: 'policy_config_invalid',
    message: expect.stringContaining(message),
  });
});
