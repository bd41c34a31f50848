import { Acl } from '../../src/graph/policies/acl.ts';
import type { PathRule } from '../../src/graph/policies/parse-policy.ts';
import { graphOf, policy, role } from '../review/graphs.ts';

/** What a token is allowed that has policies of these rules. */
export function aclOf(policies: readonly PathRule[][]): Acl {
  return new Acl(
    policies.map((rules, at) => ({ name: `p${at}`, rules })),
    0n,
  );
}

/** A role `r` with policy `p0`, and the groups `g1`, `g2`, … with `p1`, `p2`, …, by the aliases `a1`, `a2`, … */
export function houseOf(policies: readonly PathRule[][]) {
  const groups = policies.map((_, at) => ({ name: `g${at}`, policies: [`p${at}`] })).slice(1);
  return graphOf({
    roles: [role('r', { policies: ['p0'], groupsClaim: 'groups' })],
    groups,
    aliases: groups.map(({ name }) => ({ name: name.replace('g', 'a'), method: 'ci', group: name })),
    policies: policies.map((rules, at) =>
      policy(
        `p${at}`,
        ...rules.map(({ path, capabilities }): [string, ...string[]] => [path, ...capabilities]),
      ),
    ),
  });
}
