import { describe, expect, test } from '@jest/globals';
import { testRunTask } from '../../../operations/serve/run-task.ts';
import { type Faults, startFaultyIntegrator } from './faulty-integrator.ts';

/** The checks that an integrator with these faults does not stand, or that are skipped. */
async function objections(
  faults: Faults,
  given: { key: string | undefined } = { key: 'k' },
  patienceMs = 2400,
) {
  const integrator = await startFaultyIntegrator(faults);
  const checks = await testRunTask({
    ...{ url: integrator.address, ...given, port: 0, host: '127.0.0.1', patienceMs, quietMs: 800 },
  }).finally(integrator.close);
  return checks.filter(({ verdict }) => verdict !== 'right').map(({ name, verdict }) => `${verdict} ${name}`);
}

const stages = ['pre_plan', 'post_plan', 'pre_apply', 'post_apply'];

describe('gatehouse run-task test', () => {
  test.concurrent('has no objection to an integrator that does it right', async () => {
    // On a busy machine, too.
    expect(await objections({}, { key: 'k' }, 12_000)).toEqual([]);
  });

  test.concurrent('skips the checks of signatures without a key, and no others', async () => {
    expect(await objections({ keys: [] }, { key: undefined }, 12_000)).toEqual([
      'skipped a body that is neither signed nor JSON: refused for its signature',
      'skipped signature of another key: refused, and no work',
      'skipped signature of other bytes: refused, and no work',
      'skipped signature left empty: refused, and no work',
    ]);
  });

  test.concurrent.each<[string, Faults, string[]]>([
    [
      'does not look at the signature',
      { keys: [] },
      ['signature of another key', 'signature of other bytes', 'signature left empty'],
    ],
    ['works on a verification request', { worksOnVerification: true }, ['verification request']],
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
  ])('objects to one that %s', async (_, faults, names) => {
    const wrong = await objections(faults);
    for (const name of names) expect(wrong).toContainEqual(expect.stringContaining(`wrong ${name}`));
  });

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
