import { decisionKinds, isEnd } from '../../../core/src/run-task/run.ts';
import { hasEnded } from '../../../core/src/run-task/task-result.ts';
import type { Choice } from '../../src/platform/decide.ts';
import type { RunState, RunTask } from '../../src/platform/run.ts';
import { type RunEvent, type Stepped, step } from '../../src/platform/step.ts';
import type { DecisionSettings, DeclaredRunTask, RunDescription } from '../../src/platform/work.ts';

// The platform's protocol as plain data: what moves a run is `step`, the code that runs; around it stand a queue that
// delivers at least once, workers that crash, an integrator that says anything at any time, and people.

/** A job in the queue: `plan 0`, `send 1 <task>`. Its number is that of its run. */
type Job = string;

/** A worker in the midst of a job, and what it knows by now. */
export interface Held {
  job: Job;
  /** `begun`: it has read the run. `200`, `trouble`: how its request was answered. `applying`: the plan is being applied. */
  phase: 'begun' | '200' | 'trouble' | 'applying';
}

export interface World {
  runs: RunState[];
  jobs: Job[];
  workers: Held[];
  /** Tasks whose request an integrator has. */
  delivered: string[];
}

/** Who does it decides what a run may rely on: only the platform's own moves are sure to come. */
export interface Move {
  by: 'platform' | 'crash' | 'integrator' | 'person';
  name: string;
  to: World;
}

export interface ModelArgs {
  runs: number;
  workers: number;
  tasks: DeclaredRunTask[];
  decisions?: DecisionSettings;
  /** Times that a task of a run is retried. */
  retries: number;
  /** Whether integrators report `running`, too. */
  isRunningReported: boolean;
}

const planDigest = 'a'.repeat(64);
/** Every deadline is over by then. */
const late = 1e12;
const by = { name: 'somebody', policies: [{ namespace: '', name: 'root' }] };

export function begin({ runs, tasks, decisions }: ModelArgs): World {
  const description = { tasks, decisions } as RunDescription;
  return {
    runs: Array.from({ length: runs }, (_, index) => ({
      run: {
        id: `${index}`,
        stack: 'dev',
        status: 'pending',
        message: '',
        isSpeculative: false,
        createdBy: '',
        createdAt: 0,
        description,
        hasApplied: false,
        statusTimes: [],
        version: 1,
      },
      tasks: [],
      decisions: [],
    })),
    jobs: Array.from({ length: runs }, (_, index) => `start ${index}`),
    workers: [],
    delivered: [],
  };
}

/** Every move that is possible in a world. Throws if one breaks what must always hold. */
export function movesFrom(world: World, args: ModelArgs): Move[] {
  const moves: Move[] = [];
  const add = (by: Move['by'], name: string, to: World | undefined) => {
    if (to !== undefined) moves.push({ by, name, to });
  };
  if (world.workers.length < args.workers) {
    for (const job of world.jobs) add('platform', `take ${job}`, takeJob(world, job));
  }
  for (const held of world.workers) {
    for (const [name, to] of goOn(world, held)) {
      add('platform', `${held.job} ${name}`, without(to, held));
      // What was stored stays; the job comes again.
      add('crash', `${held.job} ${name}, then crash`, returned(to, held));
    }
    add('crash', `crash in ${held.job}`, returned(world, held));
  }
  world.runs.forEach((state, index) => {
    if (isEnd(state.run.status)) return;
    if (state.tasks.some((task) => !hasEnded(task))) {
      add('platform', `time passes for ${index}`, take(world, index, { type: 'timePassed' }, late)?.world);
    }
    for (const choice of choicesOf(state, args)) {
      const taken = take(world, index, { type: 'decided', choice });
      add('person', `${decisionKinds[choice.verb]} ${index}`, taken?.world);
    }
  });
  const reports = args.isRunningReported
    ? (['running', 'passed', 'failed'] as const)
    : (['passed', 'failed'] as const);
  for (const id of world.delivered) {
    const index = world.runs.findIndex(({ tasks }) => tasks.some((task) => task.id === id));
    for (const status of reports) {
      const result = { status, outcomes: [] };
      const taken = take(world, index, { type: 'reported', task: id, result });
      add('integrator', `${status} ${id}`, taken?.stepped.errors === undefined ? taken?.world : undefined);
    }
  }
  return moves;
}

/** A name that two worlds share if nothing that matters differs: how an ended run came to its end does not. */
export function keyOf({ runs, jobs, workers, delivered }: World): string {
  const ofRuns = runs.map(({ run, tasks, decisions }) =>
    isEnd(run.status)
      ? 'ended'
      : [
          run.status,
          run.applyStartedAt !== undefined,
          // Of a final status only whether it is a pass counts.
          ...tasks.map(({ status, enforcement, attempts, acceptedAt, supersededAt }) =>
            supersededAt !== undefined
              ? 'superseded'
              : hasEnded({ status })
                ? status === 'passed' || enforcement === 'advisory'
                : [status, attempts > 0, acceptedAt !== undefined],
          ),
          ...decisions.map(({ kind, task }) => [kind, task]),
        ],
  );
  const isOpen = (id: string) =>
    runs.some(({ tasks }) => tasks.some((task) => task.id === id && !hasEnded(task)));
  const held = workers.map(({ job, phase }) => `${job} ${phase}`).sort();
  return JSON.stringify([ofRuns, jobs.filter((job) => !isIdle(runs, job)), held, delivered.filter(isOpen)]);
}

/** Whether a job of an ended run has nothing to do any more. */
function isIdle(runs: RunState[], job: Job): boolean {
  const state = runs[Number(job.split(' ')[1])];
  return state !== undefined && isEnd(state.run.status);
}

/** The number of the run whose turn it is. */
function nextInLine({ runs }: World): number {
  const isAtWork = runs.some(({ run: { status } }) => status !== 'pending' && !isEnd(status));
  return isAtWork ? -1 : runs.findIndex(({ run }) => run.status === 'pending');
}

function takeJob(world: World, job: Job): World | undefined {
  const [what = '', index = '', task] = job.split(' ');
  // Plans and applies of a run are exclusive; the others are not, but a queue gives a job to one worker at a time.
  if (world.workers.some((held) => held.job === job)) return undefined;
  const state = world.runs[Number(index)];
  const isDue = {
    start: () => state?.run.status === 'pending' && nextInLine(world) === Number(index),
    plan: () => state?.run.status === 'planning',
    apply: () => true,
    send: () => state?.tasks.some((one) => one.id === task && !hasEnded(one) && one.acceptedAt === undefined),
  }[what];
  const jobs = world.jobs.filter((one) => one !== job);
  if (isDue?.() !== true) return { ...world, jobs };
  return { ...world, jobs, workers: [...world.workers, { job, phase: 'begun' }] };
}

/** What a worker may do next. `without` takes the job from it, unless the move gave it another phase. */
function goOn(world: World, { job, phase }: Held): [name: string, to: World][] {
  const [what = '', at = '', task = ''] = job.split(' ');
  const index = Number(at);
  const description = world.runs[index]?.run.description ?? ({} as RunDescription);
  const took = (event: RunEvent) => take(world, index, event)?.world ?? world;
  const inPhase = (to: World, next: Held['phase']): World => ({
    ...to,
    workers: to.workers.map((held) => (held.job === job ? { job, phase: next } : held)),
  });
  switch (`${what} ${phase}`) {
    case 'start begun':
      return [['begun', nextInLine(world) === index ? took({ type: 'started', description }) : world]];
    case 'plan begun':
      return [
        ['planned', took({ type: 'planned', planDigest, plan: { hasChanges: true } })],
        ['failed', took({ type: 'workFailed', in: 'planning', reason: 'failed' })],
      ];
    case 'apply begun': {
      const started = take(world, index, { type: 'applyStarted', planDigest });
      if (started === undefined) return [['too late', world]];
      if (started.stepped.run.status !== 'applying') return [['refused', started.world]];
      expectGateOpen(started.stepped);
      return [['begins', inPhase(started.world, 'applying')]];
    }
    case 'apply applying':
      return [
        ['applied', took({ type: 'applied' })],
        ['failed', took({ type: 'workFailed', in: 'applying', reason: 'failed' })],
      ];
    case 'send begun': {
      const delivered = { ...world, delivered: [...new Set([...world.delivered, task])].sort() };
      return [
        ['answered', inPhase(delivered, '200')],
        ['answer lost', inPhase(delivered, 'trouble')],
        ['lost', inPhase(world, 'trouble')],
      ];
    }
    case 'send 200':
      return [['accepted', took({ type: 'requestSent', task })]];
    case 'send trouble': {
      const after = took({ type: 'requestSent', task, trouble: 'none' });
      // It comes again.
      return [['not accepted', withJobs(after, [job])]];
    }
    default:
      throw new Error(`nobody knows how to go on with ${job}, ${phase}`);
  }
}

function without(world: World, { job, phase }: Held): World {
  const isDone = world.workers.some((held) => held.job === job && held.phase === phase);
  return isDone ? { ...world, workers: world.workers.filter((held) => held.job !== job) } : world;
}

function returned(world: World, { job }: Held): World {
  const free = { ...world, workers: world.workers.filter((held) => held.job !== job) };
  return withJobs(free, [job]);
}

function withJobs(world: World, jobs: Job[]): World {
  return { ...world, jobs: [...new Set([...world.jobs, ...jobs])].sort() };
}

/** A step of a run, stored with its jobs, as `RunFlow` does. */
function take(
  world: World,
  index: number,
  event: RunEvent,
  now = 0,
): { world: World; stepped: Stepped } | undefined {
  const before = world.runs[index];
  if (before === undefined) return undefined;
  let lastId = before.tasks.length;
  const newId = () => `${index}-${lastId++}`;
  const stepped = step(before, event, { now, newId });
  if (stepped === undefined) return undefined;
  expectFinalsKept(before, stepped);
  const { run, tasks, decisions } = stepped;
  const after: RunState = { run, tasks: tasks.map(withoutTimes), decisions };
  const jobs = stepped.jobs.map((one) =>
    one.job === 'send' ? `send ${index} ${one.task.id}` : `${one.job} ${index}`,
  );
  const next = withJobs({ ...world, runs: world.runs.with(index, after) }, jobs);
  const turn = isEnd(run.status) && !isEnd(before.run.status) ? nextInLine(next) : -1;
  return { world: turn === -1 ? next : withJobs(next, [`start ${turn}`]), stepped };
}

/** Times do not matter but for deadlines, and those are over whenever time passes. */
function withoutTimes(task: RunTask): RunTask {
  return { ...task, requestedAt: 0, ...(task.acceptedAt === undefined ? {} : { acceptedAt: 0 }) };
}

function choicesOf({ run, tasks, decisions }: RunState, { retries }: ModelArgs): Choice[] {
  const choices: Choice[] = [];
  if (run.status.startsWith('waiting')) choices.push({ verb: 'discard', by });
  else if (run.status !== 'applying' && run.status !== 'post_apply') choices.push({ verb: 'cancel', by });
  if (run.status === 'waiting_for_confirmation') choices.push({ verb: 'confirm', by });
  const isAtStage = run.status === 'waiting_for_acceptance' || /^(pre|post)_/.test(run.status);
  const stage = tasks.at(-1)?.stage;
  const failed = tasks.filter(
    (task) =>
      task.stage === stage && hasEnded(task) && task.status !== 'passed' && task.supersededAt === undefined,
  );
  const asked = decisions.filter(({ kind }) => kind === 'retried').length;
  for (const { id, enforcement, stage: at } of isAtStage ? failed : []) {
    const isAccepted = decisions.some(({ kind, task }) => kind === 'accepted' && task === id);
    if (run.status === 'waiting_for_acceptance' && enforcement === 'mandatory' && !isAccepted) {
      choices.push({ verb: 'accept', by, task: id, reason: 'so' });
    }
    const isHere = run.status === 'waiting_for_acceptance' || run.status === at;
    if (isHere && asked < retries) choices.push({ verb: 'retry', by, task: id });
  }
  return choices;
}

/** Never applied without every mandatory pass or a recorded acceptance of that very plan, and its confirmation. */
function expectGateOpen({ run, tasks, decisions }: RunState): void {
  const has = (kind: string, task?: string) =>
    decisions.some((one) => one.kind === kind && one.task === task && one.planDigest === planDigest);
  for (const { name, stages, enforcement } of run.description.tasks) {
    if (enforcement !== 'mandatory') continue;
    for (const stage of stages.filter((one) => one !== 'post_apply')) {
      const last = tasks.findLast((task) => task.name === name && task.stage === stage);
      const isGood = last !== undefined && (last.status === 'passed' || has('accepted', last.id));
      if (!isGood) throw new Error(`applied without ${name} at ${stage}`);
    }
  }
  const isAsked = run.description.decisions?.confirm === 'always';
  if (isAsked && !has('confirmed')) throw new Error('applied without a confirmation');
}

/** Exactly one final result a task: the first. */
function expectFinalsKept(before: RunState, after: RunState): void {
  for (const task of before.tasks) {
    const now = after.tasks.find(({ id }) => id === task.id);
    if (now === undefined) throw new Error(`task ${task.id} is gone`);
    if (hasEnded(task) && now.status !== task.status) {
      throw new Error(`task ${task.id} was ${task.status}, then ${now.status}`);
    }
  }
  if (isEnd(before.run.status) && after.run.status !== before.run.status)
    throw new Error('a run ended twice');
  if (isEnd(after.run.status) && !after.tasks.every(hasEnded)) throw new Error('a task outlived its run');
}
