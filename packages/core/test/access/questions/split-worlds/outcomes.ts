import pLimit from 'p-limit';
import { startOpenBao } from '../../../../../../test/harness/openbao-server.ts';
import { randomFrom } from '../../../../../../test/harness/random-policies.ts';
import { wholeLiveGraph } from '../../../../../cli/src/open/open-graph.ts';
import { ServiceClient } from '../../../../../service-client/src/service-client.ts';
import { Promises } from '../../../../src/access/questions/promise.ts';
import { Reach } from '../../../../src/access/questions/who-can.ts';
import type { Graph } from '../../../../src/graph/graph.ts';
import type { LiveService } from '../../../../src/review/plan/live-service.ts';
import { readPlan } from '../../../../src/review/plan/read-plan.ts';
import { type Review, review } from '../../../../src/review/review.ts';
import { now } from '../../../review/graphs.ts';
import { leftOpen } from './alarms.ts';
import { type Answers, Asking, publicKeys, reading, signsIn } from './ask.ts';
import { type Asked, askedIn, nameOf } from './asked.ts';
import { backwards, changedRows, changeOf, rowsOf, type WorldChange } from './change.ts';
import { anyoneIn, peopleOf } from './people.ts';
import { planOf } from './plan.ts';
import { Refused, Requests, Service } from './service.ts';
import { isFalseAlarm, isOdd, summaryOf } from './summary.ts';
import { isGain } from './walk.ts';
import { passing, type Witness, witnessesOf } from './witnesses.ts';
import { pick, type Resources, textOf, type World, worldOf } from './world.ts';

/** Worlds that one server has. */
const batch = 80;

/** A world with its change, what the review of workspace A says, and what becomes of the people. */
export interface Outcome {
  number: number;
  /** Rows of the table of edges that its change is of, and what is made or goes. */
  rows: string[];
  /** Of the review of the plan alone. */
  plan: Reported;
  /** The same on top of the whole service, as it was read before the change. */
  live: Reported;
  /** New requests, by who makes them: with any groups that they can have, and by the same sign-ins as before. */
  gained: string[];
  gainedBySameSteps: string[];
  /** Who newly signs in. */
  entering: string[];
  /** Whether someone gains whom the providers could vouch for, and who is not of this world. Asked where a review alarms and no one here gains. */
  anyoneGains: boolean;
  /** Requests that passed and no longer do, whatever groups they have. */
  lost: string[];
  /** Requests that were asked about after the change, those that no one can make as the answer says, and of these those that pass. */
  questions: Questions;
  /** What changes, for a person to read. */
  changed: object[];
}

/** What a review says. */
interface Reported extends Pick<Review, 'gains' | 'losses' | 'scope' | 'missing'> {
  /** Principals who gain, by what becomes of them: `widened role`. */
  gaining: string[];
  /** What it names as not known, and workspace B has. */
  undecided: string[];
  /** Its witnesses that were asked, and those that do not hold. */
  witnesses: number;
  false: Witness[];
}

export type Side = 'plan' | 'live';

interface Questions {
  asked: number;
  noOne: number;
  wrong: string[];
}

/** Asks an OpenBao for one world, in a namespace of its own; undefined where it refuses to be set up like this. */
export async function outcomeOf(
  server: Requests,
  world: World,
  change: WorldChange,
): Promise<Outcome | undefined> {
  const requests = await server.within(world.prefix);
  const { before, after, replaced } = change;
  const { plan, alone } = reviewOf(world, change);
  const service = new Service(requests, world.prefix, publicKeys);
  const asking = new Asking(requests, world);
  const mount = `${world.prefix}k`;
  const shown = async (witnesses: readonly Witness[], side: 'before' | 'after') => {
    const found: string[][] = [];
    // One by one: one may delete what another updates.
    for (const one of witnesses) found.push(await passing(requests, one, one[side], mount));
    return found;
  };
  try {
    await asking.fill();
    await service.apply(before);
    const whole = await liveOf(requests);
    const served = readPlan(service.served(planOf(world, change, publicKeys)));
    const live = review(served, { now, live: whole });
    const witnesses = [witnessesOf(plan, alone), witnessesOf(served, live, whole)].map((all) =>
      all.filter((one) => !isFilledIn(one, change)).slice(0, 3),
    );
    const old = await shown(witnesses.flat(), 'before');
    const was = await asking.everyone(before);
    const kept = await asking.withKept(before);
    await service.apply(after, replaced, world.own);
    asking.forget(changedPolicies(change));
    const stays = await asking.withKept(after);
    const wanted = await shown(witnesses.flat(), 'after');
    const wrong = witnesses
      .flat()
      .filter((_, at) => (wanted[at] ?? []).every((one) => old[at]?.includes(one)));
    const reported = (of: Review, all: readonly Witness[] = [], undecided: string[] = []) => ({
      ...verdictOf(of),
      undecided,
      witnesses: all.length,
      false: all.filter((one) => wrong.includes(one)),
    });
    const is = await asking.everyone(after);
    const { graph } = await liveOf(requests);
    const outcome: Outcome = {
      number: world.number,
      rows: rowsOf(change),
      plan: reported(alone, witnesses[0], leftOpen(world, change, alone)),
      live: reported(live, witnesses[1]),
      gained: [...gainedBy(was, is), ...gainedBy(bothOf(was, kept), stays)].filter(isRequest),
      gainedBySameSteps: gainedBySameSteps(was, is),
      entering: gainedBy(was, is).filter((one) => !isRequest(one)),
      lost: hasGuard(change) ? [] : gainedBy(is, ownOf(was)).filter(isRequest),
      questions: questionsOf(world, graph, is),
      anyoneGains: false,
      changed: changedIn(change),
    };
    const isAlarm = isFalseAlarm(outcome, 'plan') || isFalseAlarm(outcome, 'live');
    return isAlarm ? { ...outcome, anyoneGains: await gainsAnyone(server, world, change) } : outcome;
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  } finally {
    await server.send('DELETE', `sys/namespaces/${world.prefix}`);
  }
}

/** The same world once more, with all whom its providers could vouch for, who have the second factors that were asked for all along. */
async function gainsAnyone(server: Requests, world: World, change: WorldChange): Promise<boolean> {
  const namespace = `${world.prefix}-any`;
  const requests = await server.within(namespace);
  const withoutStaying = (side: Resources) =>
    new Map(
      [...side].filter(
        ([key, one]) => one.kind !== 'guard' || change.before.get(key) !== change.after.get(key),
      ),
    );
  const [before, after] = [withoutStaying(change.before), withoutStaying(change.after)];
  const { replaced } = change;
  const service = new Service(requests, world.prefix, publicKeys);
  const asking = new Asking(requests, { ...world, people: anyoneIn(world) });
  try {
    await asking.fill();
    await service.apply(before);
    const was = await asking.everyone(before);
    await service.apply(after, replaced, world.own);
    asking.forget(changedPolicies(change));
    const is = await asking.everyone(after);
    return gainedBy(was, is).length + gainedBySameSteps(was, is).length > 0;
  } finally {
    await server.send('DELETE', `sys/namespaces/${namespace}`);
  }
}

/** Whether templates bear on it: a token made for a witness is of no entity, so that none is filled in. */
function isFilledIn({ before: had, after: has }: Witness, { before, after }: WorldChange): boolean {
  const held = new Set([...had, ...has]);
  return [...before.values(), ...after.values()].some(
    (one) => one.kind === 'policy' && held.has(one.name) && textOf(one.rules).includes('{{'),
  );
}

function verdictOf({ gains: ofRequests, losses, life, scope, missing, access }: Review) {
  // What people got is compared with how long their tokens lived as well.
  const gains = life === 'longer' ? ('some' as const) : ofRequests;
  const gaining = access
    .filter((one) => one.gains === 'some' || one.life === 'longer')
    .map((one) => `${one.kind} ${one.principals.kind}`);
  return { gains, losses, scope, missing, gaining: [...new Set(gaining)] };
}

/** Who can, and the promise that no one ever can, against what people got: requests that someone makes, and others. */
function questionsOf(world: World, graph: Graph, answers: Answers): Questions {
  const next = randomFrom(world.number);
  const all = askedIn(world).flat();
  const passed = new Set(
    [...answers.values()].flatMap((states) => [...states.values()].flatMap((one) => [...one])),
  );
  const [passing, failing] = [true, false].map((is) =>
    all.filter((one) => passed.has(nameOf(one)) === is),
  ) as [Asked[], Asked[]];
  const few = (from: Asked[]) =>
    from.length === 0 ? [] : Array.from({ length: 6 }, () => pick(next, ...from));
  const asked = [...few(passing), ...few(failing)];
  const [reach, promises] = [new Reach(graph, now), new Promises(graph, now)];
  const denied = asked.filter((one) => {
    const { capability, path } = one;
    const asked = capability === 'list' ? path.replace(/\/$/, '') : path;
    const isKept =
      promises.decide({ never: ['anyone'], can: [capability], on: asked, because: '' }).answer === 'kept';
    return reach.whoCan({ capability, path: asked }).answer === 'no' || isKept;
  });
  const wrong = denied.map(nameOf).filter((one) => passed.has(one));
  return { asked: asked.length, noOne: denied.length, wrong };
}

/** What the service has. */
async function liveOf(requests: Requests): Promise<LiveService> {
  const client = new ServiceClient({ ...requests.server, maxConnections: 16 });
  try {
    return { ...(await wholeLiveGraph(client)), namespace: '' };
  } finally {
    client.close();
  }
}

/** With the groups of any sign-ins: people choose in which order they sign in. */
function gainedBy(was: Answers, is: Answers): string[] {
  return [...is].flatMap(([who, states]) => {
    const had = new Set([...(was.get(who)?.values() ?? [])].flatMap((one) => [...one]));
    const has = new Set([...states.values()].flatMap((one) => [...one]));
    return [...has].filter((one) => !had.has(one)).map((one) => `${who}: ${one}`);
  });
}

/** Without what people get by what they read: that they read it before, nobody takes away. */
function ownOf(answers: Answers): Answers {
  return new Map(
    [...answers].map(([by, states]) => [by, new Map([...states].filter(([at]) => !at.includes(reading)))]),
  );
}

/** Whether a second factor is asked for: the people of a world have none, and are no measure of what is lost. */
function hasGuard({ before, after }: WorldChange): boolean {
  return [...before.values(), ...after.values()].some(({ kind }) => kind === 'guard');
}

function isRequest(gained: string): boolean {
  return !gained.endsWith(`: ${signsIn}`);
}

function bothOf(one: Answers, other: Answers): Answers {
  return new Map([...one].map(([by, states]) => [by, new Map([...states, ...(other.get(by) ?? [])])]));
}

function gainedBySameSteps(was: Answers, is: Answers): string[] {
  return [...is].flatMap(([who, states]) =>
    [...states].flatMap(([steps, has]) => {
      const had = was.get(who)?.get(steps);
      if (had === undefined) return [];
      return [...has].filter((one) => !had.has(one)).map((one) => `${who}, signed in at ${steps}: ${one}`);
    }),
  );
}

function changedPolicies({ before, after }: WorldChange): string[] {
  return [...before.values(), ...after.values()].flatMap((one) => {
    if (one.kind !== 'policy') return [];
    const [key = ''] = [...before, ...after].find(([, other]) => other === one) ?? [];
    return before.get(key) === after.get(key) ? [] : [one.name];
  });
}

function changedIn({ before, after, replaced }: WorldChange): object[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [old, wanted] = [before.get(key), after.get(key)];
    if (old === wanted && !replaced.has(key)) return [];
    return [{ key, before: old, after: wanted, ...(replaced.has(key) && { isReplaced: true }) }];
  });
}

function reviewOf(world: World, change: WorldChange) {
  const plan = readPlan(planOf(world, change, publicKeys));
  return { plan, alone: review(plan, { now }) };
}

/**
 * The world of a number, with its change, which is of each row of the table of edges in turn. Of six, in four someone
 * gains, as a walk through the world has it; in one no one does, as the review says; one is wholly random.
 */
export function splitWorld(seed: number, number: number): { world: World; change: WorldChange } {
  const row = changedRows[number % changedRows.length] as string;
  const choice = randomFrom(seed + number)(6);
  let last: { world: World; change: WorldChange } | undefined;
  for (let attempt = 0; attempt < 60 || last === undefined; attempt++) {
    const own = Math.imul(seed + number, 64) + attempt;
    const next = randomFrom(own);
    const planned = changeOf(next, worldOf(own, number, row), row);
    if (planned === undefined) continue;
    const { change } = planned;
    const world = { ...planned.world, people: peopleOf(next, [change.before, change.after]) };
    last = { world, change };
    const back = backwards(world, change);
    if (choice === 0) return last;
    if (choice === 1 && reviewOf(world, change).alone.gains === 'none') return last;
    if (choice > 1 && isGain(world, change)) return last;
    if (choice > 1 && back !== undefined && isGain(world, back)) return { world, change: back };
  }
  return last;
}

/** Worlds, the service's answers and the reviews', as many at once as few processors do. */
export async function outcomesOf(seed: number, count: number, print = false, first = 0): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let from = first; from < count; from += batch) {
    const server = await startOpenBao();
    const requests = new Requests(server, 16);
    try {
      const limit = pLimit(4);
      const numbers = Array.from({ length: Math.min(batch, count - from) }, (_, at) => from + at);
      const found = await Promise.all(
        numbers.map((number) =>
          limit(async () => {
            const { world, change } = splitWorld(seed, number);
            return await outcomeOf(requests, world, change);
          }),
        ),
      );
      outcomes.push(...found.filter((one) => one !== undefined));
    } finally {
      await requests.close();
      await server.close();
    }
    if (!print) continue;
    const odd = outcomes.filter((one) => one.number >= from && isOdd(one));
    for (const one of odd) console.info(JSON.stringify(one));
    console.info(`${from + batch} worlds`, summaryOf(outcomes));
  }
  return outcomes;
}
