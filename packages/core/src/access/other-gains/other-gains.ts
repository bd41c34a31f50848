import type { Change, UnmodeledPart } from '../../graph/change.ts';
import { sourceWords } from '../../graph/nodes/credential-source.ts';
import type { Also, Principals } from '../access-change.ts';
import { Reach } from '../questions/who-can.ts';
import { type ChangeInSight, credentialGains, type OpenSource } from './credentials.ts';

/** A gain, or a loss, by something else than the policies that principals have. */
export interface OtherGain {
  by: Principals;
  also: Also;
}

/** What is gained otherwise than by policies, and the parts of the change that stay not known. */
export interface OtherGains {
  gains: OtherGain[];
  unmodeled: UnmodeledPart[];
}

/**
 * Gains by credentials, by what a method asks another system with, and by new namespaces: each is shown by principals who gain. What
 * shows none stays not known, unless all that could gain by it is known.
 */
export function otherGains(change: ChangeInSight & Pick<Change, 'unmodeled'>): OtherGains {
  const { gains, open } = hasCredentials(change) ? credentialGains(change) : { gains: [], open: [] };
  const all: OtherGain[] = [...gains];
  const unmodeled = (change.unmodeled ?? []).filter((part) => {
    const ofPart = gainsOf(part, change);
    all.push(...ofPart);
    return ofPart.length === 0 && !isDecided(part, change, open);
  });
  const isSaid = ({ method }: Principals) =>
    unmodeled.some(({ effect }) => effect.of === 'sign-ins' && effect.methods.includes(method ?? ''));
  const others = open.filter(
    ({ source, signsInBy }) =>
      source.kind !== 'keptCredential' && !(signsInBy !== undefined && isSaid(signsInBy)),
  );
  return { gains: all, unmodeled: [...unmodeled, ...others.map(openPart)] };
}

function hasCredentials({ before, after }: ChangeInSight): boolean {
  return [before, after].some(({ credentials = [] }) => credentials.length > 0);
}

/** Whether all who read a credential that the plan keeps are known. */
function isDecided(
  { effect, addresses }: UnmodeledPart,
  { after }: ChangeInSight,
  open: readonly OpenSource[],
): boolean {
  if (effect.of !== 'credential') return false;
  const kept = (after.credentials ?? []).filter(
    (source) => source.kind === 'keptCredential' && addresses.includes(source.address),
  );
  return kept.length > 0 && !open.some(({ source }) => kept.includes(source));
}

/** Principals who are not known may ask a source. */
function openPart({ source, signsInBy }: OpenSource): UnmodeledPart {
  const { method, name = 'a sign-in that is not known' } = signsInBy ?? {};
  const through = [sourceWords(source)];
  return {
    subject: { type: 'other', name: sourceWords(source) },
    addresses: [],
    isInSight: true,
    effect: {
      of: 'sign-ins',
      by: `credentials of ${name}`,
      through,
      methods: method === undefined ? [] : [method],
    },
    closes: 'no one else may ask for it: `--live` and snapshots tell',
  };
}

function gainsOf({ effect }: UnmodeledPart, { after, here, now }: ChangeInSight): OtherGain[] {
  switch (effect.of) {
    case 'first-set':
      return here
        .filter((each) => signsInAt(each, effect.method))
        .map((by) => firstCredential(by, effect.fields));
    case 'administration': {
      const path = `${effect.namespace}/sys/policies/acl/x`;
      const holders = new Reach(after, now).holdersOf({ path, capability: 'update' });
      return holders.flatMap(({ principals, can }) =>
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
