import { describe, expect, test } from '@jest/globals';
import { longTest } from '../../../../test/harness/long-run.ts';
import { hasEnded } from '../../../core/src/run-task/task-result.ts';
import { callBack, sendCallback } from './scripted-integrator.ts';
import { describePlatform } from './started-platform.ts';

const minute = 60_000;
const body = (attributes: unknown) => ({ data: { type: 'task-results', attributes } });

describePlatform('the callback of a run task', (under) => {
  const begin = () => under.asked('post_plan');
  const taskOf = async (id: string) => (await under.platform.readRun(id)).tasks[0];

  test.each(['running', 'passed', 'failed'])('with %s is answered with 200 and nothing', async (status) => {
    const { request } = await begin();
    expect(await callBack(request, status)).toEqual({ status: 200, body: '', contentType: null });
  });

  longTest('of 8 MB of brackets is refused before it is parsed', async () => {
    const { request } = await begin();
    const { task_result_callback_url: url, access_token: token } = request;
    const answer = await sendCallback(url, token, '['.repeat(8_000_000));
    expect([answer.status, answer.body]).toEqual([422, expect.stringContaining('nested too deep')]);
    await callBack(request, 'passed');
  });

  longTest.each(['running', 'passed', 'failed'])(
    'after a final status is refused, %s too',
    async (status) => {
      const { run, request } = await begin();
      await callBack(request, 'passed');
      const answer = await callBack(request, status);
      expect(answer).toMatchObject({ status: 422, contentType: 'application/vnd.api+json' });
      expect(JSON.parse(answer.body).errors[0]).toMatchObject({
        status: '422',
        source: { pointer: '/data/attributes/status' },
      });
      expect((await taskOf(run.id))?.status).toBe('passed');
    },
  );

  test.each([
    ['an unknown status', body({ status: 'pending' }), '/data/attributes/status'],
    ['no JSON', '{"data":', ''],
    ['nothing', '', ''],
  ])('with %s is refused, and changes nothing', async (_, given, pointer) => {
    const { run, request } = await begin();
    const answer = await sendCallback(request.task_result_callback_url, request.access_token, given);
    expect(answer.status).toBe(422);
    expect(JSON.parse(answer.body).errors[0]?.source.pointer).toBe(pointer);
    expect((await taskOf(run.id))?.status).toBe('pending');
  });

  test('may not bring outcomes without end', async () => {
    const { run, request } = await begin();
    const many = (from: number) =>
      Array.from({ length: 250 }, (_, index) => ({ id: `${from + index}`, description: 'one' }));
    for (let from = 0; from < 2500; from += 250) {
      expect((await callBack(request, 'running', { outcomes: many(from) })).status).toBe(200);
    }
    expect((await callBack(request, 'running', { outcomes: many(2500) })).status).toBe(422);
    expect((await taskOf(run.id))?.outcomes).toHaveLength(2500);
  });

  describe('is refused with 401, and changes nothing,', () => {
    test.each([
      ['without a token', () => undefined],
      ['with a wrong token', () => 'x'.repeat(43)],
      ['with a longer token', (token: string) => `${token}x`],
    ])('%s', async (_, change) => {
      const { run, request } = await begin();
      const answer = await sendCallback(
        request.task_result_callback_url,
        change(request.access_token),
        body({ status: 'passed' }),
      );
      expect(answer).toMatchObject({ status: 401, contentType: 'application/vnd.api+json' });
      expect(JSON.parse(answer.body).errors[0].status).toBe('401');
      expect((await taskOf(run.id))?.status).toBe('pending');
    });

    test('with the token of another task', async () => {
      under.work.tasks = ['review', 'other'].map((name) => under.task(name, ['post_plan']));
      const run = await under.run();
      const one = await under.requested(run, 'post_plan', 'review');
      const other = await under.requested(run, 'post_plan', 'other');
      const mixed = { ...one, access_token: other.access_token };
      expect((await callBack(mixed, 'passed')).status).toBe(401);
    });

    test('for a task that there is not', async () => {
      const { request } = await begin();
      const url = `${under.address}/api/v2/task-results/5ea8d46c-2ceb-42cd-83f2-82e54697bddd/callback`;
      expect((await sendCallback(url, request.access_token, body({ status: 'passed' }))).status).toBe(401);
    });
  });

  describe('an access token', () => {
    const plan = async (request: any, run = request.run_id) =>
      await fetch(`${under.address}/api/v2/plans/${run}/json-output`, {
        headers: { authorization: `Bearer ${request.access_token}` },
      });

    test('is not in the database, nor in what the platform shows', async () => {
      const { run, request } = await begin();
      await callBack(request, 'running', { outcomes: [{ id: 'a', description: 'one' }] });
      const tables = ['runs', 'task_results', 'access_tokens', 'pgboss.job'];
      const stored = await Promise.all(tables.map((table) => under.database.query(`SELECT * FROM ${table}`)));
      expect(JSON.stringify(stored)).not.toContain(request.access_token);
      expect(JSON.stringify(await under.platform.readRun(run.id))).not.toContain(request.access_token);
    });

    test('reads the plan in Terraform’s format, and as Pulumi’s preview where it asks for that', async () => {
      const urn = 'urn:pulumi:dev::login::vault:index/policy:Policy::reader';
      const state = { type: 'vault:index/policy:Policy', custom: true, inputs: { name: 'reader' } };
      const preview = { steps: [{ op: 'create', urn, newState: state }] };
      under.work.onPlan = async () => ({ json: preview, hasChanges: true });
      const { request } = await begin();
      const read = async (accept: string) => {
        const headers = { authorization: `Bearer ${request.access_token}`, accept };
        const answer = await fetch(request.plan_json_api_url, { headers });
        const plan: any = await answer.json();
        return [answer.headers.get('content-type'), plan] as const;
      };
      const own = 'application/vnd.gatehouse.pulumi-preview+json';
      expect(await read(`text/html, ${own};q=0.5`)).toEqual([own, preview]);
      for (const accept of ['application/json', '*/*']) {
        const [type, plan] = await read(accept);
        expect([type, plan.format_version]).toEqual(['application/json', '1.2']);
        expect(plan.resource_changes[0]).toMatchObject({
          address: 'vault_policy.reader',
          type: 'vault_policy',
        });
      }
    });

    test('gets neither files nor the page of a commit where the files of the run are not committed', async () => {
      under.work.commit = 'c0ffee';
      under.work.filesDigest = 'digest 1';
      under.work.version = '';
      under.work.tasks = [under.task('review', ['post_plan'])];
      const run = await under.run(under.stack, { allowsUncommitted: true });
      const request = await under.requested(run, 'post_plan');
      const { vcs_commit_url, configuration_version_id, configuration_version_download_url } = request;
      expect([vcs_commit_url, configuration_version_id, configuration_version_download_url]).toEqual([
        null,
        '',
        null,
      ]);
      const files = `${under.address}/api/v2/configuration-versions/${run.id}/download`;
      const headers = { authorization: `Bearer ${request.access_token}` };
      expect((await fetch(files, { headers })).status).toBe(404);
      expect((await under.ask('GET', `/runs/${run.id}`, 'reader')).body).toMatchObject({
        commit: 'c0ffee',
        hasUncommittedChanges: true,
      });
      await under.cancel(run.id, 'alice');
    });

    test('reads the committed files of its run, and of no other', async () => {
      under.work.commit = 'c0ffee';
      under.work.filesDigest = 'digest 1';
      const { request } = await begin();
      const read = async (token: string) => {
        const headers = { authorization: `Bearer ${token}` };
        const answer = await fetch(request.configuration_version_download_url, { headers });
        return [answer.status, answer.headers.get('content-type'), await answer.text()];
      };
      expect(await read(request.access_token)).toEqual([200, 'application/gzip', 'files with digest 1']);
      const other = await under.run(`${under.stack}-other`);
      const theirs = await under.requested(other, 'post_plan');
      expect((await read(theirs.access_token))[0]).toBe(401);
      expect((await read(''))[0]).toBe(401);
      await callBack(request, 'passed');
      expect((await read(request.access_token))[0]).toBe(401);
    });

    test('has no files to read where there is no git', async () => {
      const { request } = await begin();
      expect(request.configuration_version_download_url).toBeNull();
      const url = request.plan_json_api_url.replace(
        /plans\/(.*)\/json-output/,
        'configuration-versions/$1/download',
      );
      const answer = await fetch(url, { headers: { authorization: `Bearer ${request.access_token}` } });
      expect(answer.status).toBe(404);
    });

    test('reads no plan of another run', async () => {
      const { request } = await begin();
      const other = await under.run(`${under.stack}-other`);
      await under.requested(other, 'post_plan');
      expect((await plan(request, other.id)).status).toBe(401);
    });

    test('reads no plan before there is one', async () => {
      const { request } = await under.asked('pre_plan');
      expect((await plan(request)).status).toBe(404);
    });

    test('reads no plan once its task has ended', async () => {
      under.work.tasks = ['review', 'other'].map((name) => under.task(name, ['post_plan']));
      const request = await under.requested(await under.run(), 'post_plan', 'review');
      await callBack(request, 'passed');
      expect((await plan(request)).status).toBe(401);
    });
  });

  describe('a task without a final status', () => {
    test('is errored ten minutes after its request, and not before', async () => {
      const { run, request } = await begin();
      under.now += 10 * minute - 1;
      await under.platform.sweep();
      expect((await taskOf(run.id))?.status).toBe('pending');
      under.now += 1;
      await under.platform.sweep();
      expect(await under.ended(run.id)).toMatchObject({ status: 'stopped', tasks: [{ status: 'errored' }] });
      expect((await callBack(request, 'passed')).status).toBe(422);
    });

    test('takes no final status that comes too late, swept or not', async () => {
      const { run, request } = await begin();
      under.now += 10 * minute;
      expect((await callBack(request, 'passed')).status).toBe(422);
      await under.platform.sweep();
      expect((await taskOf(run.id))?.status).toBe('errored');
    });

    test('is errored after a time of its own, where it has one', async () => {
      const timing = { finalStatusMs: minute, retryForMs: 10 * minute, retryPauseMs: 1000 };
      const quick = { ...under.task('quick', ['post_plan'], 'advisory'), timing };
      under.work.tasks = [quick, under.task('review', ['post_plan'])];
      const run = await under.run();
      for (const name of ['quick', 'review']) await under.requested(run, 'post_plan', name);
      under.now += minute;
      await under.platform.sweep();
      const { tasks } = await under.platform.readRun(run.id);
      expect(tasks.map(({ status }) => status)).toEqual(['errored', 'pending']);
      await under.cancel(run.id);
    });

    test('is errored once, whoever sweeps', async () => {
      const { run } = await begin();
      under.now += 10 * minute;
      await Promise.all(Array.from({ length: 5 }, () => under.platform.sweep()));
      const { tasks, version } = await under.ended(run.id);
      expect(tasks.every(hasEnded)).toBe(true);
      await under.platform.sweep();
      expect((await under.platform.readRun(run.id)).version).toBe(version);
    });
  });
});
