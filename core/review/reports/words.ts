import type { AccessKind, Also, ChangedPaths } from '../../access/access-change.ts';
import { textMissing } from '../../access/policy-sides.ts';
import { type Subject, subjectText } from '../../model/subject.ts';
import { shortened } from '../../model/values/cut.ts';
import type { Place } from '../plan/compose-change.ts';
import type { Review, ReviewedAccess, ReviewFinding } from '../review.ts';

/** What every report calls an access change. */
export const kindWords: Record<AccessKind, string> = {
  opened: 'New way in',
  closed: 'Closed way in',
  widened: 'More get in',
  narrowed: 'Fewer get in',
  changed: 'Other access',
};

/** `role "reader" of auth/staff`, `text of policy "secrets-read"`. */
export function subjectWords(subject: Subject, place: Place = {}): string {
  const { type, name, field } = subject;
  const what = type === 'service' ? name : subjectText(subject);
  return `${field === undefined ? '' : `${field} of `}${what}${placeWords(place)}`;
}

/** `role "reader" of auth/staff`, `people in "9b2c…" of auth/staff (group "admins")`. */
export function principalWords({ principals, ...place }: ReviewedAccess): string {
  return nameWords(principals) + placeWords(place);
}

function nameWords({ kind, method, name, group }: ReviewedAccess['principals']): string {
  switch (kind) {
    case 'role':
      return subjectText({ type: kind, name, method });
    case 'method':
      return `all who sign in by auth/${method}`;
    case 'alias':
      return `people in ${JSON.stringify(name)} of auth/${method} (group ${JSON.stringify(group)})`;
    case 'policy':
      return `other principals with policy ${JSON.stringify(name)}`;
    case 'group':
    case 'entity':
      return `${kind} ${JSON.stringify(name)}`;
    default:
      return name;
  }
}

function placeWords({ server, namespace }: Place): string {
  const within = namespace === undefined ? '' : ` in namespace ${JSON.stringify(namespace)}`;
  return server === undefined ? within : `${within} on ${server}`;
}

type Side = 'gains' | 'losses';
type Verb = 'gains' | 'loses';

/** What one access change says, by what it is about. */
export interface AccessLine {
  about:
    | Verb
    | `${Verb} path`
    | ('was' | 'now' | 'why' | 'who' | 'tokens' | 'not known')
    | Exclude<Also['about'], 'lifetime'>;
  text: string;
}

/** Who it is that a single access change speaks of. */
export function boundsLines({ kind, bounds, principals, because }: ReviewedAccess): AccessLine[] {
  if (!['role', 'method'].includes(principals.kind) || kind === 'changed') return [];
  const line = (about: AccessLine['about'], text: string | undefined): AccessLine => ({
    about,
    text: text || 'whoever the provider lets in',
  });
  const who =
    kind === 'widened' || kind === 'narrowed'
      ? [line('was', bounds.before), line('now', bounds.after)]
      : [line('who', bounds.after ?? bounds.before)];
  return because === undefined ? who : [...who, { about: 'why', text: because }];
}

/** What an access change gives and takes: the same for many principals. */
export function effectLines(change: ReviewedAccess): AccessLine[] {
  const { kind, policies, groups, paths, also, unread, uncertain } = change;
  const verb: Verb = kind === 'opened' || kind === 'widened' ? 'gains' : 'loses';
  return [
    ...listed('gains', policies.gained),
    ...listed('loses', policies.lost),
    ...groups.flatMap((one) =>
      listed(verb, [`${one.policies.join(', ')} by group ${JSON.stringify(one.name)}`]),
    ),
    ...paths.flatMap(pathLines),
    ...also.flatMap(({ about, words }) => listed(about === 'lifetime' ? 'tokens' : about, [words])),
    ...unread.flatMap((policy) => listed('not known', [textMissing(policy)])),
    ...listed(
      'not known',
      uncertain.filter((text) => !unread.some((policy) => text.includes(JSON.stringify(policy)))),
    ),
  ];
}

function listed(about: AccessLine['about'], texts: string[]): AccessLine[] {
  return texts.length === 0 ? [] : [{ about, text: texts.join(', ') }];
}

function pathLines(changed: ChangedPaths): AccessLine[] {
  const { path, gained, lost, limits = [], witness, from, together = [] } = changed;
  const line = (verb: Verb, capabilities: string[], side: 'gained' | 'lost', strength: string) => {
    const limited = limits.filter((one) => one.side === side).map(({ limit }) => `${strength} ${limit}`);
    const [first, ...more] = [...capabilities, ...limited];
    if (first === undefined) return [];
    // A pattern without wildcards is its own witness.
    const example = witness === path ? [] : [`for example ${witness}`];
    const since = from === undefined ? [] : [`from ${from} on`];
    const others = together.length === 0 ? [] : [`with ${together.join(' and ')}`];
    return listed(`${verb} path`, [`${path}: ${first}`, ...more, ...since, ...example, ...others]);
  };
  return [...line('gains', gained, 'gained', 'weaker'), ...line('loses', lost, 'lost', 'stricter')];
}

/** Access changes with the same effect: a policy that is widened is listed once, with all principals who have it. */
export interface AccessBundle {
  kind: AccessKind;
  changes: ReviewedAccess[];
  effect: AccessLine[];
}

export function accessBundles(access: ReviewedAccess[]): AccessBundle[] {
  const told = access.map((change) => ({ kind: change.kind, change, effect: effectLines(change) }));
  const bundles = Map.groupBy(told, ({ kind, effect }) => JSON.stringify([kind, effect]));
  return [...bundles.values()].flatMap((same) =>
    same.slice(0, 1).map(({ kind, effect }) => ({ kind, changes: same.map(({ change }) => change), effect })),
  );
}

/** What was decided, in one line, with what it is about: `No one gains access (12 roles, 5 groups checked).` */
export function verdictWords({ gains, losses, over, missing, access, scope }: Verdict): string {
  const { roles, groups, others, paths } = over;
  const isBare = roles + groups === 0 || scope.whole;
  if (gains === 'none' && losses === 'none' && isBare && paths + access.length === 0) {
    return 'Nothing here changes access.';
  }
  const some = (side: Side, verb: string) => {
    const count = access.filter((one) => one[side] === 'some').length;
    return `${counted(count, 'group or role', 'groups and roles')} ${verb}${count === 1 ? 's' : ''} access.`;
  };
  const elsewhere =
    others === 0
      ? []
      : scope.tokens
        ? [counted(others, 'other role, user or token', 'other roles, users and tokens')]
        : [`${counted(others, 'role or user', 'roles and users')} of other methods`];
  const all = [counted(roles, 'role'), counted(groups, 'group'), ...elsewhere].join(', ');
  const checked = `${all} checked${scope.whole ? `; not ${tokensLeftOut(scope.tokens)}` : ''}`;
  const more = missing.length > 1 ? ` and ${missing.length - 1} more` : '';
  const open = scope.complete ? '' : ` Not checked: ${shortened(scope.missing, 2)}.`;
  const gained = {
    none: `No one gains access (${checked}).`,
    some: some('gains', 'gain'),
    unknown:
      missing[0] === undefined
        ? `No one declared here gains access.${open}`
        : `Whether anyone gains access is not known: ${missing[0].replace(/\.$/, '')}${more}.`,
  };
  const lost = {
    none: 'No one loses access.',
    some: some('losses', 'lose'),
    unknown: 'Whether anyone loses access is not known.',
  };
  return `${gained[gains]} ${lost[losses]}`;
}

/** What no answer about a service is about. */
export function tokensLeftOut(areRead: boolean): string {
  return areRead ? 'batch tokens' : 'tokens made by hand';
}

type Verdict = Pick<Review, Side | 'over' | 'missing' | 'access' | 'scope'>;

/** The verdict, then what is listed: `2 errors, 1 warning; new way in: 1`, or the like. */
export function summaryWords(review: Verdict & Pick<Review, 'findings'>): string {
  const accepted = review.findings.filter(({ exception }) => exception).length;
  const counts = (['error', 'warning', 'info'] as const).flatMap((severity) => {
    const count = review.findings.filter((one) => one.severity === severity && !one.exception).length;
    return count === 0 ? [] : counted(count, severity === 'info' ? 'note' : severity);
  });
  if (accepted > 0) counts.push(`${counted(accepted, 'finding')} accepted by exceptions`);
  const kinds = Object.entries(kindWords).flatMap(([kind, words]) => {
    const count = review.access.filter((one) => one.kind === kind).length;
    return count === 0 ? [] : `${words.toLowerCase()}: ${count}`;
  });
  return `${verdictWords(review)} ${[counts.join(', ') || 'No findings', ...kinds].join('; ')}`;
}

/** What was not looked at, in sentences. */
export function remarks({ passedOver, notes, standing, scope, gains, missing }: Review): string[] {
  const total = passedOver.reduce((sum, { count }) => sum + count, 0);
  const types = passedOver.map(({ type, count }) => `${type} (${count})`).join(', ');
  const found = counted(standing, 'finding');
  // The headline says it where nothing else does.
  const isInHeadline = gains === 'unknown' && missing.length === 0 && scope.missing.length <= 2;
  return [
    ...notes,
    ...(scope.complete || isInHeadline ? [] : [`Not checked: ${scope.missing.join(', ')}.`]),
    ...(standing > 0
      ? [`${found} that this change does not bring ${standing === 1 ? 'is' : 'are'} not listed.`]
      : []),
    ...(total > 0 ? [`Not looked at: ${counted(total, 'resource')}: ${types}.`] : []),
  ];
}

export function counted(count: number, what: string, several = `${what}s`): string {
  return `${count} ${count === 1 ? what : several}`;
}

/** A finding's headline. */
export function findingTitle({ subject, ...place }: ReviewFinding): string {
  return subjectWords(subject, place);
}
