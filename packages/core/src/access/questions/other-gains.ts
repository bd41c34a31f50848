import type { Change, UnmodeledPart } from '../../graph/change.ts';
import { type CredentialSource, sourceWords } from '../../graph/nodes/credential-source.ts';
import { unmodeledElsewhere } from '../../graph/resources/unmodeled.ts';
import { defined } from '../../graph/values/loose-values.ts';
import type { Principals } from '../access-change.ts';
import { type ChangeInSight, credentialGains, type OpenSource, type OtherGain } from './credential-gains.ts';
import { Reach } from './who-can.ts';

/** What is gained by something else than policies, and the parts of the change that stay not known. */
export interface OtherGains {
  gains: OtherGain[];
  unmodeled: UnmodeledPart[];
}

/**
 * Gains by credentials, by what a method asks another system with, and by new namespaces: each is shown by principals who gain. What
 * shows none stays not known, unless all that could gain by it is known.
 */
export function otherGains(change: ChangeInSight & Pick<Change, 'unmodeled'>): OtherGains {
  const { gains, open: sources } = hasCredentials(change) ? credentialGains(change) : { gains: [], open: [] };
  // Made for the first part that asks: a plan may make many namespaces.
  let known: Reach | undefined;
  const reachAfter = () => {
    known ??= new Reach(change.after, change.now);
    return known;
  };
  const parts = (change.unmodeled ?? []).map((part) => ({
    part,
    gains: gainsOf(part, change.here, reachAfter),
  }));
  const isOpen = (part: UnmodeledPart) => {
    const kept = keptBy(part, change);
    return kept.length === 0 || sources.some(({ source }) => kept.includes(source));
  };
  const unanswered = parts.flatMap((answer) =>
    answer.gains.length === 0 && isOpen(answer.part) ? answer.part : [],
  );
  const unsaid = sources.filter((source) => !unanswered.some((part) => says(part, source)));
  return {
    gains: [...gains, ...parts.flatMap((answer) => answer.gains)],
    unmodeled: [...unanswered, ...unsaid.map(openPart)],
  };
}

function hasCredentials({ before, after }: ChangeInSight): boolean {
  return [before, after].some(({ credentials = [] }) => credentials.length > 0);
}

/** The credentials that a part of a plan keeps, where it is known who signs in by them. */
function keptBy({ effect, addresses }: UnmodeledPart, { after }: ChangeInSight): CredentialSource[] {
  if (effect.of !== 'credential') return [];
  return (after.credentials ?? []).filter(
    (source) => source.kind === 'keptCredential' && addresses.includes(source.address),
  );
}

/** Whether a part that is not known is about a source. */
function says({ effect, addresses }: UnmodeledPart, { source, signsInBy }: OpenSource): boolean {
  if (source.kind === 'keptCredential') return addresses.includes(source.address);
  return effect.of === 'sign-ins' && effect.methods.includes(signsInBy?.method ?? '');
}

/** Principals who are not known may ask a source. */
function openPart({ source, signsInBy }: OpenSource): UnmodeledPart {
  const words = sourceWords(source);
  return {
    subject: { type: 'other', name: words },
    addresses: [],
    isInSight: true,
    effect: defined({ of: 'source', source: words, signsInBy: signsInBy?.name }),
    closes: unmodeledElsewhere.source.closes,
  };
}

function gainsOf(
  { effect }: UnmodeledPart,
  here: readonly Principals[],
  reachAfter: () => Reach,
): OtherGain[] {
  switch (effect.of) {
    case 'first-set':
      return here
        .filter((each) => signsInAt(each, effect.method))
        .map((by) => firstCredential(by, effect.fields));
    case 'administration': {
      const path = `${effect.namespace}/sys/policies/acl/x`;
      const holders = reachAfter().holdersOf({ path, capability: 'update' });
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
