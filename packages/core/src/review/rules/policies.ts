import type { Graph } from '../../graph/graph.ts';
import { ofKind, wordsOf } from '../../graph/nodes/other-node.ts';
import { policy } from '../../graph/resources/policy.ts';
import { groupSubject, roleSubject, type Subject, subjectKey, subjectName } from '../../graph/subject.ts';
import { shortened } from '../../graph/values/cut.ts';
import { policyKey } from '../../graph/values/name-key.ts';
import { nearest } from '../../graph/values/nearest.ts';
import { plainName } from '../../graph/values/visible.ts';
import type { GraphRule } from './rule.ts';

/** Policies that every service has. `root` has a rule of its own. */
const builtIn = ['default', 'root'];
/** Pairs of names that are compared letter by letter. */
const mostSpelled = 100_000;

/** The names of policies that each role and group gives. */
export function policiesOf({ roles, groups }: Graph): { subject: Subject; names: readonly string[] }[] {
  return [
    ...roles.map((role) => ({ subject: roleSubject(role, 'policies'), names: role.policies ?? [] })),
    ...groups.map((group) => ({ subject: groupSubject(group, 'policies'), names: group.policies })),
  ];
}

/** What names each policy, once: roles and groups, entities, and roles, users and mounts of other methods. */
export function policyUses(graph: Graph): { subject: Subject; name: string }[] {
  const uses: { subject: Subject; names: readonly string[] }[] = [
    ...policiesOf(graph),
    ...(graph.identities ?? []).map(({ kind, name, policies: names }) => ({
      subject: { type: kind, name, field: 'policies' },
      names,
    })),
    ...ofKind(graph.others, 'otherRole', 'otherMethod').map((node) => ({
      subject: { type: 'other' as const, name: wordsOf(node) },
      names: node.policies,
    })),
  ];
  const all = uses.flatMap(({ subject, names }) => names.map((name) => ({ subject, name: policyKey(name) })));
  // A group has policies of its own, and those that are attached to it.
  return [...new Map(all.map((use) => [`${use.name} ${subjectKey(use.subject)}`, use])).values()];
}

/** Keys of the policies that a change deletes. */
export function deletedPolicies(before: Graph, after: Graph): ReadonlySet<string> {
  const kept = new Set(after.policies.map(({ name }) => policyKey(name)));
  return new Set(before.policies.map(({ name }) => policyKey(name)).filter((key) => !kept.has(key)));
}

/** Rules over the policies that are given. */
export const policyRules: GraphRule[] = [
  {
    id: 'root-policy',
    severity: 'error',
    about: 'A role or group with the policy root, in any spelling.',
    check: (graph) =>
      policiesOf(graph)
        .filter(({ names }) => names.some((name) => policyKey(name) === 'root'))
        .map(({ subject }) => ({
          subject,
          message:
            'It gives root. The service trims and lower-cases names, and has accepted root in other spellings (CVE-2025-54996, CVE-2025-64761).',
          fix: 'Use a policy that allows only what is needed.',
        })),
  },
  {
    id: 'policy-unknown',
    severity: 'warning',
    about: 'A policy that a role, user or group names and that is not declared.',
    check: (graph, { gate, deleted = new Set<string>() }) => {
      const known = gate?.is.known.filter(({ kind }) => kind === policy.type) ?? [];
      const declared = new Set([...graph.policies, ...known].map(({ name }) => policyKey(name)));
      // Where nothing is declared, policies are managed elsewhere.
      if (graph.policies.length === 0) return [];
      const unknown = Map.groupBy(
        policyUses(graph).filter(
          ({ name }) =>
            !builtIn.includes(name) && !declared.has(name) && !deleted.has(name) && !name.includes('{{'),
        ),
        ({ name }) => name,
      );
      return [...unknown].map(([name, [first, ...rest]]) => {
        const likely = unknown.size * declared.size > mostSpelled ? undefined : nearest(name, [...declared]);
        const alsoNaming = shortened(
          rest.map(({ subject: { field: _, ...subject } }) => subjectName(subject)),
          2,
        );
        const restText = rest.length === 0 ? '' : ` Also named by: ${alsoNaming}.`;
        return {
          subject: first?.subject ?? { type: 'policy', name },
          message: `Policy ${plainName(name)} is not declared here${likely === undefined ? '.' : `; did you mean ${JSON.stringify(likely)}?`}${restText}`,
          fix: 'Correct the name, declare the policy, or add it to gatehouse:known if it is managed elsewhere.',
        };
      });
    },
  },
];
