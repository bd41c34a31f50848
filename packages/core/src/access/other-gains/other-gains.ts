import type { Change, UnmodeledPart } from '../../graph/change.ts';
import type { Also, Principals } from '../access-change.ts';
import { Reach } from '../questions/who-can.ts';
import type { Reason } from '../reasons/reason.ts';
import { type ChangeInSight, credentialGains } from './credentials.ts';

/** A gain by something else than the policies that principals have. */
export interface OtherGain {
  by: Principals;
  also: Also;
}

/** Such gains, and what may be gained by principals who are not known. */
export interface OtherGains {
  gains: OtherGain[];
  uncertain: Reason[];
}

/** What is gained otherwise than by policies, and the parts of the change that it answers. */
interface AnsweredParts extends OtherGains {
  answered: ReadonlySet<UnmodeledPart>;
}

/**
 * Gains by credentials, by what a method asks another system with, and by new namespaces: each is shown by principals who gain. What
 * shows none stays not known, unless it is ruled out elsewhere.
 */
export function otherGains(change: ChangeInSight & Pick<Change, 'unmodeled'>): AnsweredParts {
  const { gains, uncertain } = hasCredentials(change)
    ? credentialGains(change)
    : { gains: [], uncertain: [] };
  const byPart = (change.unmodeled ?? []).map((part) => ({ part, gains: gainsOf(part, change) }));
  return {
    gains: [...gains, ...byPart.flatMap((answer) => answer.gains)],
    uncertain,
    answered: new Set(byPart.flatMap((answer) => (answer.gains.length > 0 ? answer.part : []))),
  };
}

function hasCredentials({ before, after }: ChangeInSight): boolean {
  return [before, after].some(({ credentials = [] }) => credentials.length > 0);
}

function gainsOf({ effect }: UnmodeledPart, { after, here, now }: ChangeInSight): OtherGain[] {
  switch (effect.of) {
    case 'first-set':
      return here
        .filter((each) => signsInAt(each, effect.method))
        .map((by) => firstCredential(by, effect.fields));
    case 'administration': {
      const path = `${effect.namespace}/sys/policies/acl/x`;
      return new Reach(after, now)
        .holdersOf({ path, capability: 'update' })
        .flatMap(({ principals, can }) =>
          can === 'yes' ? administers(principals, effect.namespace, path) : [],
        );
    }
    default:
      return [];
  }
}

/** Whether principals sign in by a role of the method on both sides, with more than every token has. */
function signsInAt({ method, kind, before, after, partOf }: Principals, path: string): boolean {
  const isRole = kind === 'role' || kind === 'other';
  return (
    method === path && isRole && !partOf && before.length > 0 && after.some((name) => name !== 'default')
  );
}

function firstCredential(by: Principals, fields: string[]): OtherGain {
  const what = { kind: 'first-credential' as const, fields };
  return { by, also: { about: 'credentials', gains: 'some', losses: 'none', what } };
}

function administers(by: Principals, namespace: string, path: string): OtherGain {
  const what = { kind: 'namespace' as const, namespace, path };
  return { by, also: { about: 'administration', gains: 'some', losses: 'none', what } };
}
