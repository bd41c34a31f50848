import pLimit from 'p-limit';
import { ServiceClient } from '../../../../../client/service-client.ts';
import type { Answer } from '../../../../../core/access/access-change.ts';
import type { LiveService } from '../../../../../core/review/plan/live-parts.ts';
import { readPlan } from '../../../../../core/review/plan/read-plan.ts';
import { type Review, review } from '../../../../../core/review/review.ts';
import { wholeLiveGraph } from '../../../../../operations/open-graph.ts';
import { startOpenBao } from '../../../../harness/openbao-server.ts';
import { randomFrom } from '../../../../harness/random-policies.ts';
import { now } from '../../../review/graphs.ts';
import { type Answers, Asking, publicKey } from './ask.ts';
import { changeOf, type WorldChange } from './change.ts';
import { planOf } from './plan.ts';
import { Refused, Requests, Service } from './service.ts';
import { passing, type Witness, witnessesOf } from './witnesses.ts';
import { type Resources, type World, worldOf } from './world.ts';

/** Worlds that one server has: mounts make it slow. */
const batch = 40;

/** A world with its change, what the review of workspace A says, and what becomes of the people. */
export interface Outcome {
  number: number;
  gains: Answer;
  /** The same on top of the whole service, as it was read before the change; and whether that was complete. */
  live: Pick<Review, 'gains' | 'scope' | 'missing'>;
  /** Whether the people were asked: where someone gains in the open, that is left out of most worlds. */
  isAsked: boolean;
  /** New requests, by who makes them: with any groups that they can have, and by the same sign-ins as before. */
  gained: string[];
  gainedBySameSteps: string[];
  /** Witnesses of the review that were asked, and those that do not hold. */
  witnesses: number;
  false: Witness[];
  /** What changes, for a person to read. */
  changed: object[];
}

/** Asks an OpenBao for one world; undefined where it refuses to be set up like this. */
export async function outcomeOf(
  requests: Requests,
  world: World,
  change: WorldChange,
): Promise<Outcome | undefined> {
  const { before, after, replaced } = change;
  const { plan, review: found } = reviewOf(world, change);
  // A token made for a witness is of no entity, so that no template is filled in.
  const witnesses = world.hasTemplates ? [] : witnessesOf(plan, found).slice(0, 3);
  const service = new Service(requests, world.prefix, publicKey);
  const asking = new Asking(requests, world);
  const mount = `${world.prefix}k`;
  const shown = async (side: 'before' | 'after') => {
    const found: string[][] = [];
    // One by one: one may delete what another updates.
    for (const one of witnesses) found.push(await passing(requests, one, one[side], mount));
    return found;
  };
  try {
    await asking.fill();
    await service.apply(before);
    const old = await shown('before');
    const live = review(plan, { now, live: await liveOf(requests, before) });
    const isAsked = found.gains === 'none' || live.gains === 'none' || world.number % 8 === 0;
    const was: Answers = isAsked ? await asking.everyone(before) : new Map();
    const { kept } = asking;
    await service.apply(after, replaced, world.own);
    asking.forget(changedPolicies(change));
    const stays: Answers = isAsked ? await asking.withKept(kept) : new Map();
    const wanted = await shown('after');
    const is: Answers = isAsked ? await asking.everyone(after) : new Map();
    return {
      number: world.number,
      gains: found.gains,
      live: { gains: live.gains, scope: live.scope, missing: live.missing },
      isAsked,
      gained: [...gainedBy(was, is), ...gainedBy(was, stays)],
      gainedBySameSteps: gainedBySameSteps(was, is),
      witnesses: witnesses.length,
      false: witnesses.filter((_, at) => (wanted[at] ?? []).every((one) => old[at]?.includes(one))),
      changed: changedIn(change),
    };
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** What the service has; a plan's own ids are not the service's. */
async function liveOf(requests: Requests, resources: Resources): Promise<LiveService> {
  const client = new ServiceClient({ ...requests.server, maxConnections: 16 });
  try {
    const { ids, ...whole } = await wholeLiveGraph(client);
    const named = (kind: 'group' | 'entity') =>
      [...resources].flatMap(([key, one]) => (one.kind === kind ? [[`id-${key}`, one.name]] : []));
    const paths = [...resources].flatMap(([key, one]) =>
      one.kind === 'mount' ? [[`acc-${key}`, one.path]] : [],
    );
    return {
      ...whole,
      namespace: '',
      ids: {
        mount: { ...ids.mount, ...Object.fromEntries(paths) },
        group: { ...ids.group, ...Object.fromEntries(named('group')) },
        entity: { ...ids.entity, ...Object.fromEntries(named('entity')) },
      },
    };
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
  const plan = readPlan(planOf(world, change, publicKey));
  return { plan, review: review(plan, { now }) };
}

/** The world of a number, with its change. Of two numbers, one has a change by which no one gains, as its review says. */
export function splitWorld(seed: number, number: number): { world: World; change: WorldChange } {
  for (let attempt = 0; ; attempt++) {
    const own = Math.imul(seed + number, 64) + attempt;
    const world = worldOf(own, number);
    const change = changeOf(randomFrom(own), world);
    if (number % 2 === 0 || attempt === 40) return { world, change };
    const isChanged = changedIn(change).length > 0;
    if (isChanged && reviewOf(world, change).review.gains === 'none') return { world, change };
  }
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
    const odd = outcomes.filter((one) => one.number >= from && (isSilent(one) || one.false.some(isOwn)));
    for (const one of odd) console.info(JSON.stringify(one));
    console.info(`${from + batch} worlds`, summaryOf(outcomes));
  }
  return outcomes;
}

export function isSilent({ gains, live, gained }: Outcome): boolean {
  return (gains === 'none' || live.gains === 'none') && gained.length > 0;
}

export function summaryOf(outcomes: readonly Outcome[]): Record<string, number> {
  const count = (which: (one: Outcome) => boolean) => outcomes.filter(which).length;
  const isGain = ({ gained }: Outcome) => gained.length > 0;
  const said = (gains: Review['gains']) => (one: Outcome) => one.gains === gains;
  return {
    worlds: outcomes.length,
    asked: count(({ isAsked }) => isAsked),
    gain: count(isGain),
    silent: count(isSilent),
    'none, gain by the same steps only': count(
      (one) => one.gains === 'none' && !isGain(one) && one.gainedBySameSteps.length > 0,
    ),
    none: count(said('none')),
    unknown: count(said('unknown')),
    'unknown, asked': count((one) => one.isAsked && one.gains === 'unknown'),
    'unknown, asked, gain': count((one) => one.gains === 'unknown' && isGain(one)),
    some: count(said('some')),
    'some, asked': count((one) => one.isAsked && one.gains === 'some'),
    'some, asked, gain': count((one) => one.gains === 'some' && isGain(one)),
    'live: none': count(({ live }) => live.gains === 'none'),
    'live: unknown': count(({ live }) => live.gains === 'unknown'),
    'live: some': count(({ live }) => live.gains === 'some'),
    'live: some, asked': count(({ live, isAsked }) => isAsked && live.gains === 'some'),
    'live: some, asked, gain': count((one) => one.live.gains === 'some' && isGain(one)),
    witnesses: outcomes.reduce((sum, one) => sum + one.witnesses, 0),
    'false witnesses': outcomes.flatMap((one) => one.false.filter(isOwn)).length,
    'false witnesses with texts of the other workspace': outcomes.flatMap((one) =>
      one.false.filter((witness) => !isOwn(witness)),
    ).length,
  };
}

/** Whether all that a witness says is in the plan. */
export function isOwn({ elsewhere }: Witness): boolean {
  return elsewhere.length === 0;
}
