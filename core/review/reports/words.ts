import type { AccessKind, ChangedPaths } from '../../access/access-change.ts';
import { textMissing } from '../../access/policy-sides.ts';
import { type Subject, subjectText } from '../../model/subject.ts';
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
  return withoutPlace(principals) + placeWords(place);
}

function withoutPlace({ kind, method, name, group }: ReviewedAccess['principals']): string {
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
  return `${namespace === undefined ? '' : ` in namespace ${JSON.stringify(namespace)}`}${server === undefined ? '' : ` on ${server}`}`;
}

/** What one access change says, by what it is about. */
export interface AccessLine {
  about:
    | 'was'
    | 'now'
    | 'why'
    | 'who'
    | 'gains'
    | 'loses'
    | 'gains path'
    | 'loses path'
    | 'path'
    | 'tokens'
    | 'identity'
    | 'groups'
    | 'bounds'
    | 'not known';
  text: string;
}

/** Who it is that a single access change speaks of. */
export function boundsLines({ kind, bounds, principals, because }: ReviewedAccess): AccessLine[] {
  if (!['role', 'method'].includes(principals.kind) || kind === 'changed') return [];
  const words = (text: string | undefined) => text || 'whoever the provider lets in';
  const why = because === undefined ? [] : [{ about: 'why' as const, text: because }];
  if (kind === 'widened' || kind === 'narrowed') {
    return [
      { about: 'was', text: words(bounds.before) },
      { about: 'now', text: words(bounds.after) },
      ...why,
    ];
  }
  return [{ about: 'who', text: words(bounds.after ?? bounds.before) }, ...why];
}

/** What an access change gives and takes: the same for many ways in. */
export function effectLines(change: ReviewedAccess): AccessLine[] {
  const { kind, policies, groups, paths, also, unread, uncertain } = change;
  const about = kind === 'opened' || kind === 'widened' ? 'gains' : 'loses';
  return [
    ...listed('gains', policies.gained),
    ...listed('loses', policies.lost),
    ...groups.map(({ name, policies: given }) => ({
      about: about as 'gains' | 'loses',
      text: `${given.join(', ')} by group ${JSON.stringify(name)}`,
    })),
    ...paths.flatMap(pathLines),
    ...also.map((one) => ({
      about: one.about === 'lifetime' ? ('tokens' as const) : one.about,
      text: one.words,
    })),
    ...unread.map(
      (policy): AccessLine => ({
        about: 'not known',
        text: textMissing(policy),
      }),
    ),
    ...listed(
      'not known',
      uncertain.filter((text) => !unread.some((policy) => text.includes(JSON.stringify(policy)))),
    ),
  ];
}

function listed(about: AccessLine['about'], texts: string[]): AccessLine[] {
  return texts.length === 0 ? [] : [{ about, text: texts.join(', ') }];
}

function pathLines({ path, gained, lost, limits = [], witness, together = [] }: ChangedPaths): AccessLine[] {
  // A pattern without wildcards is its own witness.
  const shown = (words: string) =>
    [
      `${path}: ${words}`,
      ...(witness === path ? [] : [`for example ${witness}`]),
      ...(together.length === 0 ? [] : [`with ${together.join(' and ')}`]),
    ].join(', ');
  const limited = (side: 'gained' | 'lost', words: string) =>
    limits.filter((one) => one.side === side).map(({ limit }) => `${words} ${limit}`);
  const more = [...gained, ...limited('gained', 'weaker')];
  const less = [...lost, ...limited('lost', 'stricter')];
  return [
    ...(more.length > 0 ? [{ about: 'gains path' as const, text: shown(more.join(', ')) }] : []),
    ...(less.length > 0 ? [{ about: 'loses path' as const, text: shown(less.join(', ')) }] : []),
  ];
}

/** Access changes with the same effect: a policy that is widened is told once, with all who hold it. */
export interface AccessBundle {
  kind: AccessKind;
  changes: ReviewedAccess[];
  effect: AccessLine[];
}

export function accessBundles(access: ReviewedAccess[]): AccessBundle[] {
  const bundles = new Map<string, AccessBundle>();
  for (const change of access) {
    const effect = effectLines(change);
    const key = JSON.stringify([change.kind, effect]);
    const known = bundles.get(key);
    if (known === undefined) bundles.set(key, { kind: change.kind, changes: [change], effect });
    else known.changes.push(change);
  }
  return [...bundles.values()];
}

/** What was decided, in one line, with what it is about: `No one gains access (12 roles, 5 groups checked).` */
export function verdictWords({ gains, losses, over, missing, access, scope }: Verdict): string {
  if (gains === 'none' && losses === 'none' && over.roles + over.groups + over.paths === 0) {
    return 'Nothing here changes access.';
  }
  const count = (side: 'gains' | 'losses') => access.filter((one) => one[side] === 'some').length;
  const checked = `${counted(over.roles, 'role')}, ${counted(over.groups, 'group')} checked`;
  const parts = [
    `${missing[0]?.replace(/\.$/, '')}`,
    ...(missing.length > 1 ? [`${missing.length - 1} more`] : []),
  ];
  const open = scope.complete ? '' : ` Not checked: ${shortened(scope.missing)}.`;
  const gained = {
    none: `No one gains access (${checked}).`,
    some: `${counted(count('gains'), 'group or role', 'groups and roles')} gain${count('gains') === 1 ? 's' : ''} access.`,
    unknown:
      missing.length === 0
        ? `No one declared here gains access.${open}`
        : `Whether anyone gains access is not known: ${parts.join(' and ')}.`,
  };
  const lost = {
    none: 'No one loses access.',
    some: `${counted(count('losses'), 'group or role', 'groups and roles')} lose${count('losses') === 1 ? 's' : ''} access.`,
    unknown: 'Whether anyone loses access is not known.',
  };
  return `${gained[gains]} ${lost[losses]}`;
}

function shortened(texts: readonly string[]): string {
  const [first = '', second, ...more] = texts;
  return [
    first,
    ...(second === undefined ? [] : [second]),
    ...(more.length > 0 ? [`${more.length} more`] : []),
  ].join(', ');
}

type Verdict = Pick<Review, 'gains' | 'losses' | 'over' | 'missing' | 'access' | 'scope'>;

/** The verdict, then what is listed: `2 errors, 1 warning; new way in: 1`, or the like. */
export function summaryWords(review: Verdict & Pick<Review, 'findings'>): string {
  const { findings, access } = review;
  const counts = (['error', 'warning', 'info'] as const)
    .map((severity) => [severity, findings.filter((one) => one.severity === severity).length] as const)
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => counted(count, severity === 'info' ? 'note' : severity));
  const kinds = (Object.keys(kindWords) as AccessKind[])
    .map((kind) => [kind, access.filter((one) => one.kind === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${kindWords[kind].toLowerCase()}: ${count}`);
  return `${verdictWords(review)} ${[counts.join(', ') || 'No findings', ...kinds].join('; ')}`;
}

/** What was not looked at, in sentences. */
export function remarks({ passedOver, notes, standing, scope, gains, missing }: Review): string[] {
  const total = passedOver.reduce((sum, { count }) => sum + count, 0);
  const types = passedOver.map(({ type, count }) => `${type} (${count})`).join(', ');
  // The headline says it where nothing else does.
  const isSaid = gains === 'unknown' && missing.length === 0 && scope.missing.length <= 2;
  return [
    ...notes,
    ...(scope.complete || isSaid ? [] : [`Not checked: ${scope.missing.join(', ')}.`]),
    ...(standing > 0
      ? [
          `${counted(standing, 'finding')} that this change does not bring ${standing === 1 ? 'is' : 'are'} not listed.`,
        ]
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
