import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Stage } from '../../core/model/values/stage.ts';
import { limits } from '../../core/run-task/limits.ts';
import type { Outcome } from '../../core/run-task/outcome.ts';
import { verificationToken } from '../../core/run-task/payload.ts';
import { isFinal, resultContentType } from '../../core/run-task/result.ts';
import { sign } from '../../core/run-task/signature.ts';
import {
  sendBody,
  sendTask,
  type TakenCallback,
  type TaskBehavior,
  type TestPlatform,
  type TestTask,
  waitFor,
} from './test-platform.ts';

interface Bench {
  platform: TestPlatform;
  url: string;
  /** Signs requests. Without one, the checks of signatures are skipped. */
  key: string | undefined;
  /** Milliseconds that the integrator has for a final result. */
  patienceMs: number;
  /** Milliseconds to watch that something does not happen. */
  quietMs: number;
}

interface IntegratorCheck {
  name: string;
  needsKey?: boolean;
  /** @returns what the integrator did wrong */
  run(bench: Bench): Promise<string[]>;
}

/** Milliseconds: an integrator that takes longer works before it answers. */
const promptMs = 5000;
const cutOff = '{"format_version": "1.2", ';

export const integratorChecks: IntegratorCheck[] = [
  // The ways in which platforms are known to test an address (facts/run-tasks.md, "Request").
  verification('as a whole payload', { access_token: verificationToken }),
  verification('of stage "test"', { stage: 'test' }),
  verification('of level "test" without a stage', {
    stage: undefined,
    task_result_enforcement_level: 'test',
  }),
  {
    name: 'verification request that is the token alone: 200',
    async run({ url, key }) {
      const { status } = await sendTask(url, { access_token: verificationToken }, { key });
      return status === 200 ? [] : [`answered ${status}, so a platform would not register it`];
    },
  },
  {
    name: 'a body that is neither signed nor JSON: refused for its signature',
    needsKey: true,
    async run({ url }) {
      const { status } = await sendBody(url, Buffer.from('{'), '');
      return status === 401 || status === 403
        ? []
        : [`answered ${status}: check the signature before the body is parsed`];
    },
  },
  refused('signature of another key', (body, key) => sign(body, `${key}, but another`)),
  refused('signature of other bytes', (body, key) => sign(Buffer.concat([body, Buffer.from(' ')]), key)),
  refused('signature left empty', () => ''),
  ...Object.values(Stage).map((stage) => ({
    name: `${stage}: 200 at once, then one final result`,
    run: (bench: Bench) => ordinary(bench, { stage }),
  })),
  {
    name: 'the same request again: one result',
    async run(bench) {
      const task = bench.platform.newTask({ stage: Stage.prePlan });
      const answers = await Promise.all([acknowledged(bench, task), answeredOnce(bench, task)]);
      const problems = [...answers.flat(), ...(await acknowledged(bench, task))];
      await sleep(bench.quietMs);
      return [...problems, ...surplus(task)];
    },
  },
  {
    name: 'fields that are null, and newer ones',
    run(bench) {
      const newer = { project_id: 'prj-1', project_name: 'a', vcs_commit_hash: 'abc' };
      return ordinary(bench, { stage: Stage.prePlan, change: { ...newer, a_field_to_come: { x: [1] } } });
    },
  },
  {
    name: 'a platform without outcomes: none sent',
    async run(bench) {
      const task = bench.platform.newTask({
        stage: Stage.postPlan,
        change: { capabilities: { outcomes: false } },
      });
      const problems = await answeredOnce(bench, task);
      return task.callbacks.some(({ result }) => result?.outcomes.length)
        ? [...problems, 'sent outcomes']
        : problems;
    },
  },
  {
    name: 'a slow platform: still one final result',
    run: (bench) => ordinary(bench, { stage: Stage.postPlan, slowMs: Math.min(3000, bench.patienceMs / 4) }),
  },
  {
    name: 'a callback answered 503: sent again',
    async run(bench) {
      let refusals = 0;
      const onCallback: TaskBehavior['onCallback'] = () => (refusals++ === 0 ? 'refuse' : 'take');
      return await ordinary(bench, { stage: Stage.prePlan, onCallback });
    },
  },
  { name: 'a final result whose answer was lost: sent again, and 422 taken as its end', run: lostAnswer },
  {
    name: 'a plan that is not JSON: failed',
    run: (bench) =>
      notPassed(bench, { stage: Stage.postPlan, plan: cutOff }, 'passed a plan that it cannot have read'),
  },
  {
    name: 'a plan that failed at post_plan: fails at pre_apply of the same run, too',
    async run(bench) {
      const change = { run_id: `run-${randomUUID()}` };
      const at = (stage: Stage) => notPassed(bench, { stage, plan: cutOff, change }, `passed it at ${stage}`);
      return [...(await at(Stage.postPlan)), ...(await at(Stage.preApply))];
    },
  },
  {
    name: 'payload_version 2: refused, or failed',
    async run(bench) {
      const task = bench.platform.newTask({ stage: Stage.prePlan, change: { payload_version: 2 } });
      const { status } = await sendTask(bench.url, task.payload, { key: bench.key });
      if (status !== 200) return [];
      await sleep(bench.quietMs);
      return task.finals.some(({ status: final }) => final === 'passed')
        ? ['passed a version that it cannot know']
        : [];
    },
  },
  {
    name: 'a body that is not JSON: refused',
    async run({ url, key }) {
      const body = Buffer.from('{"payload_version": 1,');
      const { status } = await sendBody(url, body, sign(body, key));
      return status === 200 || status >= 500 ? [`answered ${status}`] : [];
    },
  },
];

function verification(how: string, change: Record<string, unknown>): IntegratorCheck {
  return {
    name: `verification request ${how}: 200, and no work`,
    async run(bench) {
      const task = bench.platform.newTask({ stage: Stage.postPlan, change });
      return [...(await acknowledged(bench, task)), ...(await noCallback(bench, task))];
    },
  };
}

function refused(
  what: string,
  signature: (body: Buffer, key: string | undefined) => string,
): IntegratorCheck {
  return {
    name: `${what}: refused, and no work`,
    needsKey: true,
    async run(bench) {
      const task = bench.platform.newTask({ stage: Stage.prePlan });
      const body = Buffer.from(JSON.stringify(task.payload));
      const { status } = await sendBody(bench.url, body, signature(body, bench.key));
      return [...(status === 200 ? ['answered 200'] : []), ...(await noCallback(bench, task))];
    },
  };
}

async function ordinary(bench: Bench, behavior: TaskBehavior): Promise<string[]> {
  const task = bench.platform.newTask(behavior);
  const problems = await answeredOnce(bench, task);
  await sleep(bench.quietMs);
  return [...problems, ...surplus(task), ...task.callbacks.flatMap(callbackProblems)];
}

async function notPassed(bench: Bench, behavior: TaskBehavior, problem: string): Promise<string[]> {
  const task = bench.platform.newTask(behavior);
  const problems = await answeredOnce(bench, task);
  return task.finals[0]?.status === 'passed' ? [...problems, problem] : problems;
}

async function lostAnswer(bench: Bench): Promise<string[]> {
  let wasLost = false;
  const task = bench.platform.newTask({
    stage: Stage.prePlan,
    onCallback(_nth, result) {
      if (wasLost || result === undefined || !isFinal(result.status)) return 'take';
      wasLost = true;
      return 'lose';
    },
  });
  const problems = await answeredOnce(bench, task);
  if (task.finals.length === 0) return problems;
  const repeated = () => task.callbacks.filter(({ answered }) => answered === 422).length;
  await waitFor(() => repeated() > 0, bench.patienceMs);
  if (repeated() === 0) return [...problems, 'did not send it again'];
  await sleep(bench.quietMs);
  return repeated() > 1 ? [...problems, `went on after 422, ${repeated() - 1} times`] : problems;
}

async function answeredOnce(bench: Bench, task: TestTask): Promise<string[]> {
  return [...(await acknowledged(bench, task)), ...(await finished(bench, task))];
}

async function acknowledged({ url, key }: Bench, { payload, behavior }: TestTask): Promise<string[]> {
  const { status, body, ms } = await sendTask(url, payload, { key });
  return [
    ...(status === 200 ? [] : [`answered ${status}, and only 200 counts`]),
    ...(status === 200 && body !== '' ? ['its 200 has content'] : []),
    // An integrator that waits for a slow platform before it answers works before it answers.
    ...(ms > (behavior.slowMs ?? promptMs)
      ? [`answered after ${Math.round(ms)} ms: answer first, then work`]
      : []),
  ];
}

async function finished({ patienceMs }: Bench, task: TestTask): Promise<string[]> {
  await waitFor(() => task.finals.length > 0, patienceMs);
  if (task.finals.length > 0) return [];
  const answers = task.callbacks.map(({ answered, problems }) => [answered, ...problems].join(' '));
  const got = answers.length === 0 ? 'no callback came' : `callbacks were answered ${answers.join('; ')}`;
  return [`no final result in ${patienceMs / 1000} s: ${got}`];
}

async function noCallback({ quietMs }: Bench, { callbacks }: TestTask): Promise<string[]> {
  await sleep(quietMs);
  return callbacks.length === 0 ? [] : [`called back ${callbacks.length} times`];
}

/** Callbacks after the final result. */
function surplus({ callbacks }: TestTask): string[] {
  const end = callbacks.findIndex(
    ({ answered, result }) => answered === 200 && result && isFinal(result.status),
  );
  const after = end === -1 ? 0 : callbacks.length - end - 1;
  return after === 0 ? [] : [`called back ${after} times after the end`];
}

/** What is wrong with a callback, according to the protocol and its published limits. */
function callbackProblems({ headers, result, problems, answered }: TakenCallback): string[] {
  const type = headers['content-type']?.split(';')[0]?.trim();
  return [
    ...problems,
    ...(answered === 401 ? ['a callback without the access token as a bearer token'] : []),
    ...(type === resultContentType ? [] : [`a callback with content type ${type ?? 'none'}`]),
    ...(result === undefined
      ? []
      : [
          ...tooLong('message', result.message, limits.message),
          ...tooLong('url', result.url, limits.url),
          ...result.outcomes.flatMap(outcomeProblems),
        ]),
  ];
}

function outcomeProblems({ outcomeId, description, body, url, tags = {} }: Outcome): string[] {
  const entries = Object.values(tags).flat();
  return [
    ...tooLong('outcome-id', outcomeId, limits.outcomeId),
    ...tooLong('description', description, limits.description),
    ...tooLong('body', body, limits.body),
    ...tooLong('url', url, limits.url),
    ...entries.flatMap(({ label }) => tooLong('label', label, limits.label)),
    ...(entries.length > limits.tags ? [`an outcome with ${entries.length} tags, over ${limits.tags}`] : []),
  ];
}

function tooLong(field: string, text: string | undefined, most: number): string[] {
  return text === undefined || text.length <= most
    ? []
    : [`${field} of ${text.length} characters, over ${most}`];
}
