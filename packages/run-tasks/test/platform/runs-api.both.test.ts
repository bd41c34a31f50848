import { describe, expect, test } from '@jest/globals';
import { GatehouseError } from '../../../core/src/graph/values/errors.ts';
import { RunClient } from '../../src/client/run-client.ts';
import { callBack } from './scripted-integrator.ts';
import { describePlatform } from './started-platform.ts';

describePlatform('the API of runs', (under) => {
  const refused = (status: number, code: string) => ({ status, body: { error: { code } } });
  const create = (token?: string, body: unknown = { stack: under.stack }) =>
    under.ask('POST', '/runs', token, body);

  test('makes a run in the name of the caller', async () => {
    expect(await create('deployer', { stack: under.stack, message: 'why', speculative: true })).toMatchObject(
      {
        status: 201,
        body: {
          stack: under.stack,
          status: 'pending',
          message: 'why',
          isSpeculative: true,
          createdBy: 'deployer',
          tasks: [],
        },
      },
    );
  });

  test('makes none of files that are not committed, unless that is allowed', async () => {
    under.work.commit = 'c0ffee';
    under.work.version = '';
    under.work.uncommitted = ['stack/Pulumi.dev.yaml'];
    const answer = await create('deployer');
    expect(answer).toMatchObject(refused(422, 'files_uncommitted'));
    expect(JSON.stringify(answer.body)).toContain('stack/Pulumi.dev.yaml');
    under.work.uncommitted = undefined;
    const allowed = await create('deployer', { stack: under.stack, allowUncommitted: true });
    expect([allowed.status, (await under.ended(allowed.body.id)).status]).toEqual([201, 'applied']);
    const again = await under.ask('POST', `/runs/${allowed.body.id}/rerun`, 'deployer');
    expect((await under.ended(again.body.id)).status).toBe('applied');
  });

  test('shows a run, and lists the newest first', async () => {
    const [first, second] = [(await create('root')).body, (await create('root')).body];
    await under.ended(second.id);
    expect((await under.ask('GET', `/runs/${first.id}`, 'reader')).body).toMatchObject({ status: 'applied' });
    const { body } = await under.ask('GET', `/runs?stack=${under.stack}`, 'reader');
    expect(body.runs.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
  });

  describe('lets nobody in', () => {
    const requests = [
      ['POST', '/runs'],
      ['GET', '/runs'],
      ['GET', '/runs/run-1'],
      ['GET', '/runs/run-1/events'],
      ...(['cancel', 'rerun', 'confirm', 'discard', 'retry'] as const).map(
        (verb) => ['POST', `/runs/run-1/${verb}`] as const,
      ),
    ] as const;
    test.each(requests)('without a token: %s %s', async (method, path) => {
      expect(await under.ask(method, path)).toMatchObject(refused(401, 'sign_in_needed'));
    });

    test.each(requests)(
      'with a token that the secrets service does not know: %s %s',
      async (method, path) => {
        expect((await under.ask(method, path, 'unknown')).status).toBe(401);
      },
    );

    test.each(requests)('with a token of another namespace: %s %s', async (method, path) => {
      expect(await under.ask(method, path, 'tenant')).toMatchObject(
        refused(403, 'caller_of_other_namespace'),
      );
    });

    test.each(requests.filter(([method]) => method === 'POST'))(
      'to act without the policy for it: %s %s',
      async (method, path) => {
        expect(await under.ask(method, path, 'reader', { stack: under.stack })).toMatchObject(
          refused(403, 'acting_refused'),
        );
      },
    );
  });

  test.each([
    ['no JSON', '{'],
    ['no stack', {}],
    ['an unknown field', { stack: 'dev', force: true }],
    ['a message without end', { stack: 'dev', message: 'x'.repeat(1001) }],
  ])('refuses %s', async (_, body) => {
    expect(await create('deployer', body)).toMatchObject(refused(422, 'request_invalid'));
  });

  test.each(['/runs?stack=a&stack=b', '/reviews?stack=a&stack=b', '/reviews', '/reviews?stack=a&before=x'])(
    'refuses a query that it cannot read: %s',
    async (path) => {
      expect(await under.ask('GET', path, 'reader')).toMatchObject(refused(422, 'request_invalid'));
    },
  );

  test('says what is wrong with the stack, by its code', async () => {
    under.work.describeError = new GatehouseError({ code: 'stack_unknown', what: 'no such stack' });
    expect(await create('deployer')).toEqual({
      status: 422,
      body: { error: { code: 'stack_unknown', message: 'no such stack' } },
    });
  });

  test('knows no run but those there are', async () => {
    for (const [method, path] of [
      ['GET', '/runs/none'],
      ['GET', '/runs/none/events'],
      ['POST', '/runs/none/cancel'],
      ['POST', '/runs/none/rerun'],
    ] as const) {
      expect((await under.ask(method, path, 'deployer')).status).toBe(404);
    }
  });

  test('cancels a run, and says no after its end', async () => {
    under.work.tasks = [under.task('review', ['pre_plan'])];
    const { body } = await create('deployer');
    expect((await under.ask('POST', `/runs/${body.id}/cancel`, 'deployer')).body.status).toBe('canceled');
    const again = (await under.ask('POST', `/runs/${body.id}/rerun`, 'deployer')).body;
    await callBack(await under.requested(again, 'pre_plan'), 'failed');
    await under.ended(again.id);
    expect((await under.ask('POST', `/runs/${again.id}/cancel`, 'deployer')).status).toBe(409);
  });

  test('streams a run to its end, as a client follows it', async () => {
    under.work.tasks = [under.task('review', ['post_plan'])];
    const client = new RunClient({ address: under.address, token: 'deployer' });
    const run = await client.create({ stack: under.stack, message: '', speculative: false });
    const seen: string[] = [];
    for await (const { status, tasks } of client.watch(run.id)) {
      seen.push(status);
      const [task] = tasks;
      if (task?.status === 'pending') {
        await callBack(await under.requested(run, 'post_plan'), 'passed', {
          outcomes: [{ id: 'a', description: 'looked at' }],
        });
      }
    }
    expect(seen).toContain('post_plan');
    expect(seen.at(-1)).toBe('applied');
  });

  test('tells a client what the platform refuses, by its code', async () => {
    const client = new RunClient({ address: under.address, token: 'reader' });
    await expect(client.create({ stack: under.stack, message: '', speculative: false })).rejects.toEqual(
      expect.objectContaining({ code: 'acting_refused' }),
    );
  });
});
