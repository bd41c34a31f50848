import { beforeEach, describe, expect, test } from '@jest/globals';
import { callBack } from './scripted-integrator.ts';
import { describePlatform } from './started-platform.ts';

describePlatform('reading task results back', (under) => {
  let run: { id: string };
  let request: Record<string, string>;
  beforeEach(async () => {
    ({ run, request } = await under.asked('post_plan'));
    const outcomes = Array.from({ length: 45 }, (_, index) => ({
      id: `o-${index}`,
      description: `no. ${index}`,
    }));
    await callBack(request, 'running', { message: 'at it', outcomes });
  });
  const token = () => request['access_token'];
  const result = () => `/api/v2/task-results/${request['task_result_id']}`;
  const stages = () => `/api/v2/runs/${run.id}/task-stages`;

  test('a task result is one resource, for its token and for people', async () => {
    for (const who of [token(), 'reader']) {
      expect(await under.ask('GET', result(), who)).toMatchObject({
        status: 200,
        body: {
          data: {
            id: request['task_result_id'],
            type: 'task-results',
            attributes: {
              status: 'running',
              message: 'at it',
              url: null,
              stage: 'post_plan',
              'task-name': 'review',
              'workspace-task-enforcement-level': 'mandatory',
              'outcomes-count': 45,
            },
            relationships: { 'task-stage': { data: { id: `${run.id}-post_plan`, type: 'task-stages' } } },
          },
        },
      });
    }
  });

  test('has the media type of JSON:API, without parameters', async () => {
    const headers = { authorization: `Bearer ${token()}` };
    const answer = await fetch(`${under.address}${result()}`, { headers });
    expect(answer.headers.get('content-type')).toBe('application/vnd.api+json');
  });

  test('outcomes come in pages, with links from one to the next', async () => {
    const seen: string[] = [];
    let next: string | null = `${result()}/outcomes`;
    while (next !== null) {
      const { body } = await under.ask('GET', next, token());
      seen.push(...body.data.map(({ attributes }: any) => attributes['outcome-id']));
      expect(body.meta.pagination).toMatchObject({ 'page-size': 20, 'total-pages': 3, 'total-count': 45 });
      next = body.links.next;
    }
    expect(seen).toEqual(Array.from({ length: 45 }, (_, index) => `o-${index}`));
    const { body } = await under.ask(
      'GET',
      `${result()}/outcomes?page%5Bnumber%5D=2&page%5Bsize%5D=40`,
      token(),
    );
    expect(body.data).toHaveLength(5);
    expect(body.links.next).toBeNull();
  });

  test.each(['page[number]=0', 'page[size]=101', 'page[size]=many', 'page[number]=-1'])(
    'refuses %s, and names the parameter',
    async (query) => {
      const [parameter] = query.split('=');
      expect(await under.ask('GET', `${result()}/outcomes?${query}`, token())).toMatchObject({
        status: 400,
        body: { errors: [{ status: '400', source: { parameter } }] },
      });
    },
  );

  test('the stages of a run say how far they are', async () => {
    const statusOf = async () => (await under.ask('GET', stages(), 'reader')).body.data[0].attributes.status;
    expect(await statusOf()).toBe('running');
    await callBack(request, 'failed');
    expect(await statusOf()).toBe('failed');
    expect(
      (await under.ask('GET', stages(), 'reader')).body.data[0].relationships['task-results'].data,
    ).toEqual([{ id: request['task_result_id'], type: 'task-results' }]);
  });

  describe('is refused', () => {
    test('to nobody in particular, and to the token of another run', async () => {
      under.work.tasks = [under.task('review', ['pre_plan'])];
      const other = await under.requested(await under.run(`${run.id}-other`), 'pre_plan');
      for (const path of [result(), `${result()}/outcomes`, stages()]) {
        for (const who of [undefined, 'unknown', other.access_token, 'test-token']) {
          expect((await under.ask('GET', path, who)).status).toBe(401);
        }
      }
    });

    test('to a token of another namespace', async () => {
      for (const path of [result(), `${result()}/outcomes`, stages()]) {
        expect((await under.ask('GET', path, 'tenant')).status).toBe(403);
      }
    });

    test('to the token of a task that has ended', async () => {
      await callBack(request, 'passed');
      expect((await under.ask('GET', result(), token())).status).toBe(401);
      expect((await under.ask('GET', result(), 'reader')).status).toBe(200);
    });
  });

  test.each([
    '/api/v2/task-results/none',
    '/api/v2/task-results/none/outcomes',
    '/api/v2/runs/none/task-stages',
    '/api/v2/runs/%00/task-stages',
  ])('%s is 404 for people, and 401 for others', async (path) => {
    expect((await under.ask('GET', path, 'reader')).status).toBe(404);
    expect((await under.ask('GET', path)).status).toBe(401);
  });
});
