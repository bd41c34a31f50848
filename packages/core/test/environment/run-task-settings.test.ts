import { describe, expect, test } from '@jest/globals';
import { parseEnvironment } from '../../src/environment/environment.ts';

const task = { name: 'review', url: 'https://review.example.com/task', stages: ['post_plan'] };
const environment = (runTasks: unknown[], runTaskKeys: string[] = []) =>
  parseEnvironment({ service: { address: 'https://secrets.example.com' }, runTasks, runTaskKeys });

describe('the run tasks of an environment', () => {
  test('are mandatory, and for every stack, unless they say otherwise', () => {
    expect(environment([task]).runTasks).toEqual([{ ...task, enforcement: 'mandatory' }]);
  });

  test('may be served by the platform itself: then a path is enough', () => {
    const own = { ...task, url: '/integrator/review' };
    expect(environment([own]).runTasks).toEqual([{ ...own, enforcement: 'mandatory' }]);
  });

  test('may be signed', () => {
    expect(environment([task], ['review']).runTaskKeys).toEqual(['review']);
  });

  test.each([
    ['a name with a blank', { ...task, name: 'my review' }, 'runTasks[0].name'],
    ['no name', { url: task.url, stages: task.stages }, 'runTasks[0].name'],
    ['a path that is no integrator’s', { ...task, url: '/ui/runs' }, 'runTasks[0].url'],
    ['an address without a scheme', { ...task, url: '//review.example.com/integrator/a' }, 'runTasks[0].url'],
    ['a URL of another scheme', { ...task, url: 'ftp://review.example.com' }, 'runTasks[0].url'],
    ['a URL with a password', { ...task, url: 'https://a:b@review.example.com' }, 'runTasks[0].url'],
    ['no stage', { ...task, stages: [] }, 'runTasks[0].stages: must have at least one stage'],
    [
      'a stage twice',
      { ...task, stages: ['pre_plan', 'pre_plan'] },
      'runTasks[0].stages: lists a stage twice',
    ],
    ['an unknown stage', { ...task, stages: ['pre_lunch'] }, 'runTasks[0].stages[0]'],
    ['an unknown enforcement', { ...task, enforcement: 'firm' }, 'runTasks[0].enforcement'],
    ['no stack that it is for', { ...task, environments: [] }, 'runTasks[0].environments'],
    ['a key among its fields', { ...task, hmacKey: 'x' }, 'gatehouse:runTaskKeys'],
  ])('may not have %s', (_, given, problem) => {
    expect(() => environment([given])).toThrow(problem);
  });

  test('have names of their own', () => {
    expect(() => environment([task, task])).toThrow('the run task "review" is declared twice');
  });

  test('are all that a key may be for', () => {
    expect(() => environment([task], ['other'])).toThrow(
      'gatehouse:runTaskKeys.other: no run task has this name',
    );
  });
});

describe('gatehouse:deployments', () => {
  const deployments = (given: object) =>
    parseEnvironment({ service: { address: 'https://secrets.example.com' }, deployments: given }).deployments;

  test('asks nobody by default, and takes durations', () => {
    expect(deployments({})).toEqual({ confirm: 'never' });
    expect(
      deployments({ confirm: 'whenGained', acceptWith: 'accept', timeout: '30m', retryPause: 5 }),
    ).toEqual({
      confirm: 'whenGained',
      acceptWith: 'accept',
      timeout: 1800,
      retryPause: 5,
    });
  });

  test.each([
    ['another moment', { confirm: 'sometimes' }, 'deployments.confirm'],
    ['two policies', { acceptWith: 'a, b' }, 'deployments.acceptWith'],
    ['no time', { timeout: 0 }, 'deployments.timeout'],
    ['a time without end', { retryFor: '2d' }, 'deployments.retryFor'],
    ['a long pause', { retryPause: '2m' }, 'deployments.retryPause'],
    ['an unknown key', { approve: 'always' }, 'deployments'],
  ])('refuses %s', (_, given, path) => {
    expect(() => deployments(given)).toThrow(path);
  });

  test('a run task has times of its own', () => {
    const own = { name: 'review', url: 'https://review.example.com', stages: ['post_plan'], timeout: '5m' };
    expect(environment([own]).runTasks[0]).toMatchObject({ timeout: 300 });
  });
});
