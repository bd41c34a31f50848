import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type SinkAnswer, type SinkEvent, startSink } from '../../../run-tasks/kit/sink.ts';
import { openTestPlatform, sendTask, type TestPlatform } from '../../../run-tasks/kit/test-platform.ts';
import { until } from '../../harness/until.ts';

describe('gatehouse run-task sink', () => {
  let platform: TestPlatform;
  let closeSink: (() => Promise<void>) | undefined;
  let events: SinkEvent[];
  beforeEach(async () => {
    platform = await openTestPlatform();
    events = [];
  });
  afterEach(async () => {
    await closeSink?.();
    await platform.close();
  });
  const start = async (answer: SinkAnswer, lateMs = 50) => {
    const sink = await startSink({ answer, key: 'k', lateMs, onEvent: (event) => events.push(event) });
    closeSink = sink.close;
    return sink.address;
  };

  test.each<[SinkAnswer, string[]]>([
    ['pass', ['running 200', 'passed 200']],
    ['fail', ['running 200', 'failed 200']],
    ['late', ['running 200', 'passed 200']],
    [
      'garbage',
      ['truncated JSON 422', 'another type 422', 'status "done" 422', 'passed, with another token 401'],
    ],
  ])('answers 200, then sends what %s means', async (answer, said) => {
    const task = platform.newTask({ stage: 'pre_plan' });
    expect((await sendTask(await start(answer), task.payload, { key: 'k' })).status).toBe(200);
    await until(() => events.length === said.length + 1);
    expect(events.map(({ what, status }) => `${what} ${status}`)).toEqual(['request 200', ...said]);
    expect(JSON.stringify(events)).not.toContain(task.token);
  });

  test.each<[SinkAnswer, number]>([
    ['silence', 50],
    ['late', 60_000],
  ])('sends nothing with %s, as long as it is not time', async (answer, lateMs) => {
    const task = platform.newTask({ stage: 'pre_plan' });
    expect((await sendTask(await start(answer, lateMs), task.payload, { key: 'k' })).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(task.callbacks).toEqual([]);
  });

  test('refuses a wrong signature', async () => {
    const task = platform.newTask({ stage: 'pre_plan' });
    expect((await sendTask(await start('pass'), task.payload, { key: 'other' })).status).toBe(401);
  });
});
