import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { registerStack, root } from '../../../test/stacks/register-stack.ts';
import { requireEnvironment } from '../../cli/src/open/open-environment.ts';
import { planResources } from '../../core/src/review/plan/read-plan.ts';
import { review } from '../../core/src/review/review.ts';
import { ruleOptions } from '../../core/src/review/rules/rule-options.ts';
import { readStack } from '../../engine/src/stack-files/read-stack.ts';
import { HostedPack } from './hosted-pack.ts';
import { packFindings, reviewedFindings } from './pack-findings.ts';
import { sentPreview, writeBefore } from './sent-preview.ts';

/** As a preview would tell the first deployment of what the program registers. Its plugins are mocks. */
async function firstPreview() {
  const { registered } = await registerStack('prod', 'example');
  return {
    steps: registered.map(({ urn, type, inputs, provider }) => ({
      op: 'create',
      urn,
      newState: { type, custom: !type.startsWith('gatehouse:'), inputs, ...(provider && { provider }) },
    })),
  };
}

test('the pack has the findings of the review of the example of a production stack', async () => {
  const now = BigInt(Date.now()) * 1_000_000n;
  const scratch = temporaryFolder();
  const pack = await HostedPack.start();
  try {
    const env = { PULUMI_CONFIG_PASSPHRASE: 'example' };
    const stack = await readStack(root, 'prod', env);
    const json = await firstPreview();
    const options = ruleOptions(requireEnvironment(stack, env));
    const reviewed = reviewedFindings(review(planResources(json), { now, ...options }));
    expect(reviewed.length).toBeGreaterThan(0);
    const config = [...stack.config].map(([key, { value }]) => [key, value]);
    await pack.configureStack('prod', Object.fromEntries(config));
    const { resources, before } = sentPreview(json);
    await pack.configure({ 'cannot-be-judged': { properties: { before: writeBefore(scratch, before) } } });
    expect(packFindings(await pack.judge(resources))).toEqual(reviewed);
  } finally {
    await pack.close();
  }
});
