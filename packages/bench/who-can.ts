import { Reach } from '../core/src/access/questions/who-can.ts';
import { emptyGraph } from '../core/src/graph/graph.ts';
import { composeChanges } from '../core/src/review/plan/compose-change.ts';
import { readPlan } from '../core/src/review/plan/read-plan.ts';
import { rolesAndGroupsPlan } from '../core/test/review/large-plans.ts';
import { type Bench, type Figure, figure, inTurn, median, mustBe, seconds } from './frame.ts';

/** Who can, over so many roles, each with a policy of its own, and fifty groups that any of them lets people into. */
export const whoCan: Bench = async ({ n = 1_000, rounds = 15 }) => {
  const plan = readPlan(JSON.stringify(rolesAndGroupsPlan(n, 50).plan()));
  const reach = new Reach(composeChanges(plan)[0]?.change.after ?? emptyGraph(), 0n);
  const figures: Figure[] = [];
  for (const path of ['secret/data/t7/x', `secret/data/t${n + 7}/x`, 'secret/*']) {
    const ask = () => reach.whoCan({ capability: 'read', path });
    mustBe(`${path}: whether someone can`, ask().abilities.length > 0, true);
    const taken = median((await inTurn(rounds, { ask: () => seconds(ask) })).ask);
    figures.push(figure(`who-can ${path}, ${n} roles`, taken * 1000, ' ms', 100));
  }
  return figures;
};
