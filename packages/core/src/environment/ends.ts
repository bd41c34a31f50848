import { alias } from '../graph/resources/group-alias.ts';
import { policy } from '../graph/resources/policy.ts';
import { role } from '../graph/resources/role.ts';
import type { Subject } from '../graph/subject.ts';
import { daysUntil } from '../graph/values/day.ts';
import type { Environment } from './environment.ts';

/** Access that has a last day. */
export interface End {
  subject: Subject;
  /** The pattern of the rule that ends; for policies only. */
  pattern?: string;
  /** The last day, in UTC. */
  until: string;
  /** Whether the service itself refuses access afterwards. If not, access lasts until someone removes it. */
  isEnforced: boolean;
}

/** The ends of access in an environment. A graph has none: the ends of roles and aliases are not sent to the service. */
export function endsOf({ providers, policies, service }: Environment): End[] {
  const field = 'until';
  const ends = (subject: Subject, until: string | undefined): End[] =>
    until === undefined ? [] : [{ subject: { ...subject, field }, until, isEnforced: false }];
  const isEnforced = service.features.expiration === true;
  return [
    ...providers.flatMap(({ name, path: method = name, roles, groups }) => [
      ...roles.flatMap(({ name, until }) => ends({ type: role.type, name, method }, until)),
      ...groups.flatMap(({ alias: name = '', until }) => ends({ type: alias.type, name, method }, until)),
    ]),
    ...policies.flatMap(({ name, until = {} }) =>
      Object.entries(until).map(([pattern, until]) => {
        return { subject: { type: policy.type, name, field }, pattern, until, isEnforced };
      }),
    ),
  ];
}

/** Words for the part that ends: the whole subject, or one rule of it. */
export function endingWords({ pattern }: End): string {
  return pattern === undefined ? 'it' : `the rule for ${JSON.stringify(pattern)}`;
}

/** `it ends in 9 days, on 2026-12-31`, `it should have ended on …; the service does not enforce it`. */
export function endWords(end: End, now: bigint): string {
  const days = daysUntil(end.until, now);
  const when = days < 0 ? '' : days === 0 ? ' today,' : ` in ${days} ${days === 1 ? 'day' : 'days'},`;
  const date = `${when} on ${end.until}`;
  if (end.isEnforced) return `${endingWords(end)} ${days < 0 ? 'ended' : 'ends'}${date}`;
  const should = days < 0 ? 'should have ended' : 'should end';
  return `${endingWords(end)} ${should}${date}; the service does not enforce it`;
}
