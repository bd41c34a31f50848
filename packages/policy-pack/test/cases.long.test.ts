import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../../test/harness/environment-under-test.ts';
import { started } from '../../../test/harness/started.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { planResources } from '../../core/src/review/plan/read-plan.ts';
import { review } from '../../core/src/review/review.ts';
import { HostedPack } from './hosted-pack.ts';
import { packFindings, reviewedFindings } from './pack-findings.ts';
import { sentPreview, writeBefore } from './sent-preview.ts';

const now = BigInt(Date.now()) * 1_000_000n;
const folder = 'packages/core/test/review/cases/pulumi';
const cases = [
  'examples/plans/pulumi-preview.json',
  ...readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
];
describe('the pack in the SDK’s own host has the findings of the review', () => {
  const pack = started(() => HostedPack.start());
  const scratch = temporaryFolder();

  const findingsOf = async (json: unknown) => {
    const { resources, before } = sentPreview(json);
    await pack().configure({ 'cannot-be-judged': { properties: { before: writeBefore(scratch, before) } } });
    return packFindings(await pack().judge(resources));
  };

  test.each(cases)('of %s', async (path) => {
    const json = JSON.parse(readFileSync(join(root, path), 'utf8'));
    expect(await findingsOf(json)).toEqual(reviewedFindings(review(planResources(json), { now })));
  });
});
