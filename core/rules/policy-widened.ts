import { decidePaths } from '../access/path-decision.ts';
import { policySides } from '../access/policy-sides.ts';
import type { Policy } from '../model/resources/policy.ts';
import { role } from '../model/resources/role.ts';
import type { State } from '../model/state.ts';
import { groupSubject, roleSubject, subjectText } from '../model/subject.ts';
import { policyKey } from '../model/values/name-key.ts';
import type { Subject } from './finding.ts';
import type { ChangeRule, Objection } from './rule.ts';

/** Of those who have a policy. */
const mostNamed = 10;

export const rule: ChangeRule = {
  id: 'policy-widened',
  severity: 'warning',
  about: 'A policy that allows more than before, or a role or group that gets one more.',
  check: ({ before, after }) => [
    ...after.roles.flatMap((role) => {
      const was = before.roles.find(({ method, name }) => method === role.method && name === role.name);
      return was === undefined ? [] : gained(roleSubject(role, 'policies'), was.policies, role.policies);
    }),
    ...after.groups.flatMap((group) => {
      const was = before.groups.find(({ name }) => name === group.name);
      return was === undefined ? [] : gained(groupSubject(group, 'policies'), was.policies, group.policies);
    }),
    ...after.policies.flatMap(({ name, text }) => {
      const was = before.policies.find((policy) => policy.name === name);
      return was === undefined || was.text === text ? [] : loosened(was, { name, text }, after);
    }),
  ],
};

function gained(subject: Subject, before: string[] = [], after: string[] = []): Objection[] {
  const more = after.filter((name) => !before.includes(name));
  if (more.length === 0) return [];
  const names = more.map((name) => JSON.stringify(name)).join(', ');
  return [
    {
      subject,
      message: `${subject.type === role.type ? 'Everyone who signs in to it' : 'Every member'} gets ${names} in addition.`,
      fix: 'Check that all of them should have it.',
    },
  ];
}

function loosened(before: Policy, after: Policy, { roles, groups }: State): Objection[] {
  const { name } = after;
  const more = widened(before, after);
  if (more?.length === 0) return [];
  const subject: Subject = { type: 'policy', name, field: 'text' };
  if (more === undefined) {
    return [
      {
        subject,
        message: 'The policy changes and its text cannot be read: what more it allows cannot be judged.',
        fix: 'Compare the two texts by hand.',
      },
    ];
  }
  const holders = [
    ...roles.filter(({ policies }) => policies?.includes(name)).map((role) => roleSubject(role)),
    ...groups.filter(({ policies }) => policies.includes(name)).map((group) => groupSubject(group)),
  ].map(subjectText);
  const what = more
    .map(
      ({ pattern, capabilities, limit = '' }) =>
        `${capabilities.join(', ') || limit} on ${JSON.stringify(pattern)}`,
    )
    .join('; ');
  return [
    {
      subject,
      message: `The policy allows more: ${what}. ${
        holders.length === 0
          ? 'No role or group here has it.'
          : `So does everyone of ${holders.slice(0, mostNamed).join(', ')}${holders.length > mostNamed ? ` and ${holders.length - mostNamed} more` : ''}, at once.`
      }`,
      fix: 'Check that all of them should have it. Otherwise add a separate policy.',
    },
  ];
}

/** What one text allows more than another; undefined where one of them cannot be read. */
function widened(before: Policy, after: Policy) {
  const key = policyKey(after.name);
  const sides = policySides([key], [before], [after], 0n);
  if (sides.get(key)?.before === undefined || sides.get(key)?.after === undefined) return undefined;
  const holder = { who: key, before: [key], after: [key] };
  const { changes, undecided } = decidePaths([{ roles: [holder], groups: [] }], sides);
  return undecided.length > 0 ? undefined : changes.filter(({ side }) => side === 'gained');
}
