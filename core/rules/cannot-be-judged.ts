import { PolicyTexts } from '../model/policies/policy-texts.ts';
import type { State } from '../model/state.ts';
import { subjectText } from '../model/subject.ts';
import type { ChangeRule } from './rule.ts';

export const rule: ChangeRule = {
  id: 'cannot-be-judged',
  severity: 'warning',
  about: 'What a plan leaves unknown, or a policy that cannot be read.',
  check: ({ before, after, unknown }) => [
    ...unknown.map((subject) => ({
      subject,
      message: `${subject.field === undefined ? 'The result' : `The ${subject.field}`} of ${subjectText(subject)} is known only after the change is applied, so it cannot be judged.`,
      fix: 'Check it after the change with gatehouse drift and gatehouse explain.',
    })),
    ...unreadable(before, after).map((name) => ({
      subject: { type: 'policy' as const, name, field: 'text' },
      message: `The text of policy ${JSON.stringify(name)} cannot be read, so nobody can say what those who have it gain or lose.`,
      fix: 'Correct the text, or compare what it allows yourself.',
    })),
  ],
};

/** Policies whose text cannot be read and that change, or that come from something that changes. */
function unreadable(before: State, after: State): string[] {
  const names = [before, after].flatMap(({ policies }) => new PolicyTexts(policies).unreadable());
  return [...new Set(names)].filter((name) => holding(before, name) !== holding(after, name)).sort();
}

/** A policy's text and all by which somebody has it, to be compared. */
function holding({ methods, roles, groups, aliases, policies }: State, name: string): string {
  const isIt = (given: string) => given.trim().toLowerCase() === name;
  const holders = roles.filter((role) => role.policies?.some(isIt));
  const members = groups.filter((group) => group.policies.some(isIt)).map((group) => group.name);
  const ways = aliases.filter(({ group }) => members.includes(group));
  const paths = new Set([...holders, ...ways].map(({ method }) => method));
  const texts = policies.filter((policy) => isIt(policy.name)).map(({ text }) => text);
  // A group's members come by every role of its method.
  const others = roles.filter(({ method }) => ways.some((alias) => alias.method === method));
  return JSON.stringify([texts, holders, ways, others, methods.filter(({ path }) => paths.has(path))]);
}
