import { decide, type PathChange } from '../../access/decide.ts';
import { policySides } from '../../access/policy-sides.ts';
import { RuleBook } from '../../access/rule-book.ts';
import { emptyGraph, type Graph } from '../../graph/graph.ts';
import { roleNamed } from '../../graph/parts-by-name.ts';
import type { Policy } from '../../graph/resources/policy.ts';
import { role } from '../../graph/resources/role.ts';
import { groupSubject, roleSubject, subjectName } from '../../graph/subject.ts';
import { policyKey } from '../../graph/values/name-key.ts';
import { reasonWords } from '../../words/reason-words.ts';
import type { Subject } from './finding.ts';
import { policiesOf } from './policies.ts';
import type { ChangeRule, Objection } from './rule.ts';

/** How many principals of a policy a message lists. */
const mostNamed = 10;

export const policyWidened: ChangeRule = {
  id: 'policy-widened',
  severity: 'warning',
  about: 'A policy that allows more, or a role or group that gets another policy.',
  check: ({ before, after }, { now }) => {
    const groups = Map.groupBy(before.groups, ({ name }) => name);
    const policies = Map.groupBy(before.policies, ({ name }) => name);
    const grantedTo = namesByPolicy(after);
    return [
      ...after.roles.flatMap((role) => {
        const roleBefore = roleNamed(before.roles, role);
        return roleBefore === undefined
          ? []
          : gained(roleSubject(role, 'policies'), roleBefore.policies, role.policies);
      }),
      ...after.groups.flatMap((group) => {
        const [groupBefore] = groups.get(group.name) ?? [];
        return groupBefore === undefined
          ? []
          : gained(groupSubject(group, 'policies'), groupBefore.policies, group.policies);
      }),
      ...after.policies.flatMap(({ name, text }) => {
        const [policyBefore] = policies.get(name) ?? [];
        if (policyBefore === undefined || policyBefore.text === text) return [];
        return loosened(policyBefore, { name, text }, grantedTo.get(name) ?? [], now);
      }),
    ];
  },
};

/** Roles and groups with each policy, in words. */
function namesByPolicy(graph: Graph): Map<string, string[]> {
  const grants = policiesOf(graph).flatMap(({ subject, names }) =>
    [...new Set(names)].map((name) => ({ name, words: subjectName(subject) })),
  );
  const byName = Map.groupBy(grants, ({ name }) => name);
  return new Map([...byName].map(([name, ofPolicy]) => [name, ofPolicy.map(({ words }) => words)]));
}

function gained(subject: Subject, before: string[] = [], after: string[] = []): Objection[] {
  const known = new Set(before);
  const added = after.filter((name) => !known.has(name));
  if (added.length === 0) return [];
  const names = added.map((name) => JSON.stringify(name)).join(', ');
  return [
    {
      subject,
      message: `${subject.type === role.type ? 'Everyone who signs in with it' : 'Every member'} also gets ${names}.`,
      fix: 'Check that all of them should have it.',
    },
  ];
}

function loosened(before: Policy, after: Policy, grantedTo: string[], now: bigint): Objection[] {
  const { name } = after;
  const { gains, missing } = widened(before, after, now);
  const subject: Subject = { type: 'policy', name, field: 'text' };
  if (missing !== undefined) {
    const message = `Not checked: what the changed policy allows. The reason: ${missing}.`;
    return [{ subject, message, fix: 'Compare the two texts yourself.' }];
  }
  if (gains.length === 0) return [];
  const what = gains
    .map(
      ({ pattern, capabilities, limit = '' }) =>
        `${capabilities.join(', ') || limit} on ${JSON.stringify(pattern)}`,
    )
    .join('; ');
  return [
    {
      subject,
      message: `The policy allows more: ${what}. ${
        grantedTo.length === 0
          ? 'No role or group here has it.'
          : `It reaches ${grantedTo.slice(0, mostNamed).join(', ')}${grantedTo.length > mostNamed ? ` and ${grantedTo.length - mostNamed} more` : ''} at once.`
      }`,
      fix: 'Check that all of them should have it, or add a separate policy.',
    },
  ];
}

/** What one text allows more than another, or what is missing to say so. */
function widened(
  before: Policy,
  after: Policy,
  now: bigint,
): { gains: PathChange[]; missing?: string | undefined } {
  const key = policyKey(after.name);
  const sides = policySides(
    [key],
    { ...emptyGraph(), policies: [before] },
    { ...emptyGraph(), policies: [after] },
  );
  const { before: textBefore, after: textAfter } = sides.get(key) ?? {};
  if (textBefore === undefined || textAfter === undefined)
    return { gains: [], missing: 'its text is unreadable' };
  const grant = { before: [key], after: [key] };
  const { changes, undecided } = decide([{ roles: [grant], groups: [] }], new RuleBook(sides, now));
  const leftOpen = undecided.find(({ direction }) => direction === 'gained');
  return {
    gains: changes.filter(({ direction }) => direction === 'gained'),
    missing: leftOpen && reasonWords(leftOpen.missing),
  };
}
