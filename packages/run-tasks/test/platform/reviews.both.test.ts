import { describe, expect, test } from '@jest/globals';
import { longTest } from '../../../../test/harness/long-run.ts';
import { keptMs, sweepOld } from '../../src/retention.ts';
import { callBack } from './scripted-integrator.ts';
import { describePlatform } from './started-platform.ts';

describePlatform('signed reviews of a platform', (under) => {
  const listed = async (query = '') =>
    (await under.ask('GET', `/reviews?stack=${under.stack}${query}`, 'reader')).body.reviews;
  const exchange = (body: object = {}, token = 'deployer') =>
    under.ask('POST', '/deploying-tokens', token, { stack: under.stack, statements: ['signed'], ...body });
  const signs = (statement = 'signed') => {
    under.work.onPlan = async () => ({
      json: { steps: ['a change'] },
      hasChanges: true,
      review: { digest: 'plan', statement },
    });
  };

  describe('of a run', () => {
    longTest('are kept, with when it began and when it was applied', async () => {
      signs();
      const { id } = await under.ended((await under.run()).id);
      const at = new Date(under.now).toISOString();
      expect(await listed()).toEqual([
        {
          number: expect.any(Number),
          statement: 'signed',
          run: id,
          takenAt: at,
          takenBy: 'alice',
          appliedAt: at,
        },
      ]);
    });

    test('are kept of one that only plans, and were taken by no one', async () => {
      signs();
      await under.ended((await under.run(under.stack, { isSpeculative: true })).id);
      expect(await listed()).toMatchObject([{ takenAt: null, takenBy: null, appliedAt: null }]);
    });

    longTest('name who accepted that a task did not pass, and why', async () => {
      signs();
      under.work.decisions = { confirm: 'never', acceptWith: { namespace: '', name: 'accept-failures' } };
      const { run, request } = await under.asked('post_plan');
      await callBack(request, 'failed');
      await under.runWhen(run.id, ({ status }) => status === 'waiting_for_acceptance');
      const given = { task: 'review', reason: 'a false alarm' };
      await under.ask('POST', `/runs/${run.id}/accept`, 'accepter', given);
      await under.ended(run.id);
      expect(await listed()).toMatchObject([{ statement: 'signed, accepted by accepter: a false alarm' }]);
    });

    test('are good for nothing while a task or a person may still stop it, or once one did', async () => {
      signs();
      const { run, request } = await under.asked('post_plan');
      const before = await listed();
      await callBack(request, 'failed');
      expect([(await under.ended(run.id)).status, before, await listed()]).toEqual(['stopped', [], []]);
    });

    longTest('outlive it', async () => {
      signs();
      await under.ended((await under.run()).id);
      await sweepOld({ database: under.database, now: () => under.now + keptMs + 1000 });
      expect(await listed()).toMatchObject([{ statement: 'signed', run: null }]);
    });

    test('let no token be given for what it began to apply', async () => {
      signs();
      await under.ended((await under.run()).id);
      expect((await exchange()).body.error.code).toBe('review_missing');
    });
  });

  test('are listed ten at a time', async () => {
    for (let file = 0; file < 12; file += 1) {
      await exchange({
        statements: [`signed ${file}`],
        file: `${file % 10}`.repeat(64).slice(0, 63) + (file > 9 ? 'a' : 'b'),
      });
    }
    const first = await listed();
    const then = await listed(`&before=${first.at(-1).number}`);
    expect(
      [first, then].map((page) => page.map(({ statement }: { statement: string }) => statement)),
    ).toEqual([Array.from({ length: 10 }, (_, at) => `signed ${11 - at}`), ['signed 1', 'signed 0']]);
  });

  describe('are exchanged', () => {
    test('for a token of the stack', async () => {
      expect(await exchange()).toEqual({
        status: 201,
        body: { token: 'deploying', expiresAt: '2026-12-01T13:00:00.000Z' },
      });
      expect(await listed()).toMatchObject([{ statement: 'signed', run: null, takenBy: 'deployer' }]);
    });

    test('once', async () => {
      await exchange();
      expect(await exchange()).toMatchObject({ status: 422, body: { error: { code: 'review_missing' } } });
    });

    test('once, also by two at the same time', async () => {
      let asked = 0;
      const both = Promise.withResolvers<void>();
      under.work.onExchange = () => {
        asked += 1;
        if (asked === 2) both.resolve();
        return both.promise;
      };
      const answers = await Promise.all([exchange(), exchange()]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
      expect(under.work.done).toEqual(['revoke']);
    });

    test('by no one who may not deploy', async () => {
      expect(await exchange({}, 'reader')).toMatchObject({
        status: 403,
        body: { error: { code: 'acting_refused' } },
      });
    });

    longTest.each<[string, object | string]>([
      ['no statement', { statements: [] }],
      ['a statement that is no text', { statements: [1] }],
      ['a file by its name', { file: 'tfplan' }],
      ['a field that is not known', { policies: ['root'] }],
      ['a stack that no database can name', { stack: 'a\0' }],
      ['lists in lists', `{"stack":"a","statements":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
      ['many statements', { statements: Array.from({ length: 200_000 }, () => 'a') }],
      ['a list', '[]'],
      ['a part that comes twice', '{"stack":"dev","statements":["signed"],"stack":"prod"}'],
      ['the same part in other letters', '{"stack":"dev","statements":["signed"],"\\u0073tack":"prod"}'],
    ])('not with %s', async (_, body) => {
      const answer = await (typeof body === 'string'
        ? under.ask('POST', '/deploying-tokens', 'deployer', body)
        : exchange(body));
      expect(answer).toMatchObject({ status: 422, body: { error: { code: 'request_invalid' } } });
      expect(answer.body.error.message.length).toBeLessThan(1000);
    });
  });

  test('are not shown to everyone', async () => {
    expect((await under.ask('GET', `/reviews?stack=${under.stack}`)).status).toBe(401);
    expect((await under.ask('GET', '/reviews', 'reader')).status).toBe(422);
  });
});
