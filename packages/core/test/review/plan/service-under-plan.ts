import type { Graph } from '../../../src/graph/graph.ts';
import { composeChanges } from '../../../src/review/plan/compose-change.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { review } from '../../../src/review/review.ts';
import { entries, graph } from '../../worlds.ts';
import { now } from '../graphs.ts';
import { terraform } from './terraform.ts';

/** Everything of a service, with the roles of `ci` and `staff`. */
export const complete: NonNullable<Graph['complete']> =
  graph(`
    method ci
    method staff
    complete`).complete ?? [];

const named = (...names: string[]) => Object.fromEntries(names.map((name) => [`id-${name}`, name]));
const ids = {
  mount: { 'acc-ci': 'ci', 'acc-people': 'people', 'acc-apps': 'apps' },
  group: named('team', 'all'),
  entity: named('ann', 'eve'),
};

/** A service that is known as a whole, unless other parts are given. */
export function serviceWith(text: string, parts: Partial<Graph> = {}) {
  return { graph: graph(text, { complete, ...parts }), ids, missing: [], namespace: '' };
}

/** What a plan changes on top of a service. */
export function composedOn(
  service: string | ReturnType<typeof serviceWith>,
  plan: string,
  rest: object = {},
) {
  const live = typeof service === 'string' ? serviceWith(service) : service;
  const [first] = composeChanges(readPlan(terraform(entries(plan))), { ...live, ...rest });
  if (first === undefined) throw new Error('nothing was composed');
  return first.change;
}

/** A review of a plan on top of a service that is known as a whole. */
export function reviewOn(service: string | ReturnType<typeof serviceWith>, plan: string) {
  const live = typeof service === 'string' ? serviceWith(service) : service;
  const found = review(readPlan(terraform(entries(plan))), { now, live });
  const { gains, losses, life, scope, taken, access } = found;
  const gaining = access.flatMap(({ gains: gained, principals }) =>
    gained === 'some' ? principals.kind : [],
  );
  return { gains, losses, life, whole: scope.whole, taken: taken.map(({ name }) => name), gaining, access };
}

/** Two policies, one of which denies a part of the other. */
export const policies = `
  policy wide: secret/* read,update
  policy narrow: secret/x deny`;

/** A role that reads groups, and one group with an alias, with these policies. */
export const team = (reader = 'narrow', ofTeam = 'narrow') => `
  method ci
  role reader ${reader} groupsClaim: groups
  group team ${ofTeam}
  alias a ci team
  ${policies}`;
