import fc from 'fast-check';
import type { Goal, Registered } from '../src/local/goal.ts';
import { goal, urn } from './local/registrations.ts';

export interface Thing {
  kind: number;
  place: number;
  text: number;
  /** Indexes of earlier things whose ids it takes, by input. */
  uses: Partial<Record<'kind' | 'place' | 'text', number>>;
  deleteBeforeReplace: boolean | undefined;
  /** Whether it has its second name; the first is its alias then, and the other way round. */
  renamed: boolean;
}

const inputs = ['kind', 'place', 'text'] as const;
const number = fc.integer({ min: 0, max: 1 });
const thing = fc.record<Thing>({
  kind: number,
  place: number,
  text: number,
  uses: fc.record({ kind: fc.nat(5), place: fc.nat(5), text: fc.nat(5) }, { requiredKeys: [] }),
  deleteBeforeReplace: fc.constantFrom(undefined, true, false),
  renamed: fc.boolean(),
});
/** Each entry may be absent from the program. */
export const program = fc.array(fc.option(thing, { nil: undefined }), { minLength: 0, maxLength: 6 });

export function nameOf(index: number, renamed: boolean): string {
  return `${renamed ? 'r' : 't'}${index}`;
}

/** Registers everything as soon as what it uses is known, as the SDK does. @param register undefined once nothing may start */
export async function registerThings(
  things: (Thing | undefined)[],
  register: (goal: Goal) => Promise<Registered | undefined>,
): Promise<Registered[]> {
  const registered: Promise<Registered | undefined>[] = [];
  for (const [index, each] of things.entries()) {
    registered.push(registerThing(index, each, registered.slice()));
  }
  async function registerThing(
    index: number,
    each: Thing | undefined,
    earlier: Promise<Registered | undefined>[],
  ): Promise<Registered | undefined> {
    if (each === undefined) return undefined;
    const values: Record<string, string> = {};
    const propertyDependencies: Record<string, string[]> = {};
    for (const key of inputs) {
      const source = each.uses[key];
      const used = source === undefined ? undefined : await earlier[source];
      if (used !== undefined && used.result !== 'done') return undefined;
      values[key] = used === undefined ? String(each[key]) : (used.id ?? '');
      propertyDependencies[key] = used === undefined ? [] : [used.urn];
    }
    const options: Partial<Goal> = {
      propertyDependencies,
      dependencies: Object.values(propertyDependencies).flat(),
      aliases: [{ urn: urn(nameOf(index, !each.renamed)) }],
      ...(each.deleteBeforeReplace === undefined ? {} : { deleteBeforeReplace: each.deleteBeforeReplace }),
    };
    return register(goal(nameOf(index, each.renamed), { name: `t${index}`, ...values }, options));
  }
  const results = await Promise.all(registered);
  return results.filter((result) => result !== undefined);
}
