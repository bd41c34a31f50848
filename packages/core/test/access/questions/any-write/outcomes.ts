import pLimit from 'p-limit';
import { randomFrom } from '../../../../../../test/harness/random-policies.ts';
import { readPlan } from '../../../../src/review/plan/read-plan.ts';
import { review } from '../../../../src/review/review.ts';
import { now } from '../../../review/graphs.ts';
import { Requests } from '../split-worlds/service.ts';
import { planOf } from './as-plan.ts';
import { BuiltWorld } from './built-world.ts';
import { type DocumentPath, documentPaths } from './document.ts';
import { Drawing, type DrawnWrite, isIdle, thereIn } from './draw.ts';
import { type Abilities, gainsBySignIn, gainsOf, Measuring } from './measure.ts';
import { Doors, type Pair } from './sign-ins.ts';
import type { Surroundings } from './surroundings.ts';
import { type Write, worldOf } from './world.ts';

/** A write of a plan that a service took, what the review says of it, and what principals gain by it. */
export interface Outcome {
  seed: number;
  number: number;
  write: DrawnWrite;
  /** The one resource of the plan. */
  type: string;
  gains: 'none' | 'some' | 'unknown';
  /** By principal; and by principal and sign-in, which a review tells apart. */
  gained: string[];
  gainedBySignIn: string[];
  /** Whether it was sought among writes by which no one gains, as the review says. */
  isSought: boolean;
  /** How many writes the service refused before it took this one. */
  refused: number;
  plan: string;
}

/** How often another write is drawn where a service refuses one. */
const mostRefused = 25;
/** How many draws are looked through for one by which no one gains, as the review says. */
const mostSought = 60;
/** Writes that are each made on a service of the same set-up. */
const writesOfWorld = 5;

/** A world, and what its principals could do before each write: its set-up is the same each time. */
interface Group {
  world: Write[];
  before?: Abilities;
}

/** The outcome of one number of a seed: undefined where the service refuses all that is drawn. */
async function outcomeOf(
  surroundings: Surroundings,
  server: Requests,
  documents: Documents,
  group: Group,
  [seed, number]: [seed: number, number: number],
): Promise<Outcome | undefined> {
  const next = randomFrom(Math.imul(seed, 104_729) + number);
  const built = await BuiltWorld.build(server, `w${number}`, group.world, surroundings.around);
  try {
    const measuring = await measuringOf(built, surroundings);
    group.before ??= await measuring.all();
    const live = await built.live();
    const drawings = await documents.drawingsOf(`w${number}`, group.world);
    // Every other write is one by which no one gains, as the review says: there, silent gains would be.
    const isSought = number % 2 === 1;
    let refused = 0;
    for (let drawn = 0; drawn < (isSought ? mostSought : mostRefused); drawn++) {
      const write = drawings[next(12) === 0 ? 1 : 0].draw(next);
      if (isIdle(write)) continue;
      const plan = planOf(write, next(3) > 0, built.resolve);
      const { gains } = review(readPlan(plan), { now, live });
      if (isSought && gains !== 'none') continue;
      if ((await built.write(write)) === undefined) {
        refused += 1;
        continue;
      }
      const after = await measuring.all();
      return {
        seed,
        number,
        write,
        gains,
        isSought,
        refused,
        plan,
        type: /"type":"(\w+)"/.exec(plan)?.[1] ?? '',
        gained: gainsOf(group.before, after),
        gainedBySignIn: gainsBySignIn(group.before, after),
      };
    }
    return undefined;
  } finally {
    await built.close();
  }
}

async function measuringOf(built: BuiltWorld, { tlsPort, stranger }: Surroundings): Promise<Measuring> {
  const issue = { common_name: 'web.example.com', ttl: '24h' };
  const { certificate, private_key: key } = await built.requests.write('pki/issuer/main/issue/web', issue);
  const web: Pair = { cert: String(certificate), key: String(key) };
  return new Measuring(built.requests, new Doors(built.requests, tlsPort), { web, stranger });
}

/** The documents of a world and of the namespace below: all worlds have the same mounts, and so the same documents. */
class Documents {
  readonly #server: { address: string; token: string };
  #read: Promise<[DocumentPath[], DocumentPath[]]> | undefined;

  constructor(server: { address: string; token: string }) {
    this.#server = server;
  }

  async drawingsOf(namespace: string, world: readonly Write[]): Promise<[Drawing, Drawing]> {
    this.#read ??= Promise.all([
      documentPaths(this.#server, namespace),
      documentPaths(this.#server, `${namespace}/team`),
    ]);
    const [own, below] = await this.#read;
    return [new Drawing(own, thereIn(world)), new Drawing(below, thereIn(world, 'team'), 'team')];
  }
}

/** Outcomes of the first numbers of a seed, of as many worlds at once as few processors do. */
export async function outcomesOf(
  surroundings: Surroundings,
  seed: number,
  count: number,
  print: (outcome: Outcome) => void = () => {},
): Promise<Outcome[]> {
  const requests = new Requests(surroundings.openbao, 16);
  const documents = new Documents(surroundings.openbao);
  const outcomes: Outcome[] = [];
  const limit = pLimit(3);
  const groupOf = async (first: number) => {
    const world = worldOf(randomFrom(Math.imul(seed + first, 7919)));
    const group: Group = { world };
    for (let number = first; number < Math.min(first + writesOfWorld, count); number++) {
      const outcome = await outcomeOf(surroundings, requests, documents, group, [seed, number]);
      if (outcome === undefined) continue;
      outcomes.push(outcome);
      print(outcome);
    }
  };
  try {
    const groups = Array.from({ length: Math.ceil(count / writesOfWorld) }, (_, at) => at * writesOfWorld);
    await Promise.all(groups.map((first) => limit(groupOf, first)));
    return outcomes.toSorted((one, other) => one.number - other.number);
  } finally {
    await requests.close();
  }
}
