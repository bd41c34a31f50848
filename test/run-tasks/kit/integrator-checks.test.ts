import { beforeAll, describe, expect, test } from '@jest/globals';
import { testRunTask } from '../../../operations/serve/run-task.ts';
import { integratorChecks } from '../../../run-tasks/kit/integrator-checks.ts';
import { openTestPlatform } from '../../../run-tasks/kit/test-platform.ts';
import { type Faults, startFaultyIntegrator } from './faulty-integrator.ts';

const stages = ['pre_plan', 'post_plan', 'pre_apply', 'post_apply'];

/** What is wrong with an integrator, and the checks that must notice it. */
const faulty: [what: string, faults: Faults, checks: string[]][] = [
  [
    'does not look at the signature',
    { keys: [] },
    ['signature of another key', 'signature of other bytes', 'signature left empty'],
  ],
  ['works on a verification request', { worksOnVerification: true }, ['verification request as a whole']],
  [
    'refuses a verification request that is no whole payload',
    { readsVerification: true },
    [
      'verification request of stage "test"',
      'verification request of level "test" without a stage',
      'verification request that is the token alone',
    ],
  ],
  ['parses before it verifies', { parsesFirst: true }, ['a body that is neither signed nor JSON']],
  ['works before it answers', { worksFirst: true }, ['a slow platform']],
  [
    'passes at pre_apply what failed at post_plan',
    { passesAtPreApply: true },
    ['a plan that failed at post_plan'],
  ],
  ['sends a message over the limit', { message: 'x'.repeat(1001) }, stages],
  ['sends a description over the limit', { outcome: { description: 'x'.repeat(1001) } }, stages],
  ['sends an outcome-id over the limit', { outcome: { 'outcome-id': 'x'.repeat(65) } }, stages],
  ['sends a label over the limit', { outcome: { tags: { Status: [{ label: 'x'.repeat(33) }] } } }, stages],
  ['sends more than 250 outcomes in one callback', { outcomes: 251 }, stages],
  ['works again on a repeated request', { takesRepeated: true }, ['the same request again']],
  ['forgets a callback that was refused', { repeatsCallback: false }, ['a callback answered 503']],
  ['goes on after 422', { repeatsAfter422: true }, ['a final result whose answer was lost']],
  ['passes without a look at the plan', { readsPlan: false }, ['a plan that is not JSON']],
  [
    'sends outcomes to whom does not take them',
    { sendsOutcomesAlways: true },
    ['a platform without outcomes'],
  ],
  ['fails over a body that is no JSON', { crashesOnNoJson: true }, ['a body that is not JSON']],
  ['sends a final result twice', { callbacks: 2 }, stages],
  ['sends another content type', { contentType: 'application/json' }, stages],
  ['answers 202', { status: 202 }, stages],
  ['answers with content', { content: 'ok' }, stages],
  ['calls back with another token', { token: 'other' }, stages],
  ['never calls back', { isSilent: true }, stages],
];

/** What each of these checks says of an integrator with these faults. */
async function objections(faults: Faults, names: string[]): Promise<string[][]> {
  const [integrator, platform] = [await startFaultyIntegrator(faults), await openTestPlatform()];
  const bench = { platform, url: integrator.address, key: 'k', patienceMs: 2400, quietMs: 3000 };
  const checks = names.map((name) => integratorChecks.find((one) => one.name.startsWith(name)));
  return await Promise.all(checks.map((check) => check?.run(bench) ?? [])).finally(async () => {
    await platform.close();
    await integrator.close();
  });
}

describe('gatehouse run-task test', () => {
  /** The checks that a right integrator does not stand, or that are skipped; patient on a busy machine, too. */
  async function allObjections(key: string | undefined) {
    const integrator = await startFaultyIntegrator({ keys: key === undefined ? [] : [key] });
    const at = { url: integrator.address, port: 0, host: '127.0.0.1' };
    const testing = testRunTask({ ...at, key, patienceMs: 6000, quietMs: 50 });
    const checks = await testing.finally(integrator.close);
    return checks
      .filter(({ verdict }) => verdict !== 'right')
      .map(({ name, verdict }) => `${verdict} ${name}`);
  }

  test.concurrent('has no objection to an integrator that does it right', async () => {
    expect(await allObjections('k')).toEqual([]);
  });

  test.concurrent('skips the checks of signatures without a key, and no others', async () => {
    expect(await allObjections(undefined)).toEqual([
      'skipped a body that is neither signed nor JSON: refused for its signature',
      'skipped signature of another key: refused, and no work',
      'skipped signature of other bytes: refused, and no work',
      'skipped signature left empty: refused, and no work',
    ]);
  });

  let found: string[][][];
  // All at once: most of their time is waiting.
  beforeAll(async () => {
    found = await Promise.all(faulty.map(([, faults, checks]) => objections(faults, checks)));
  });

  test.each(faulty.map(([what, , checks], at) => ({ what, checks, at })))(
    'objects to one that $what',
    ({ checks, at }) => {
      expect(found[at]?.map((problems) => problems.length > 0)).toEqual(checks.map(() => true));
    },
  );

  test('says what cannot be reached', async () => {
    const checks = await testRunTask({
      ...{ url: 'http://127.0.0.1:1/', key: 'k', port: 0, host: '127.0.0.1', patienceMs: 100, quietMs: 10 },
    });
    expect(checks[0]).toMatchObject({
      verdict: 'wrong',
      details: [expect.stringMatching(/^cannot be reached/)],
    });
  });
});
