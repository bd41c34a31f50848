import type { Subject } from '../../rules/finding.ts';
import type { AccessKind } from '../access/access-changes.ts';
import type { PathChange } from '../access/policy-paths.ts';
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
export function subjectWords({ type, name, method, field }: Subject, namespace?: string): string {
  const what =
    type === 'service'
      ? name
      : type === 'method'
        ? `auth/${name}`
        : `${type} ${JSON.stringify(name)}${method === undefined ? '' : ` of auth/${method}`}`;
  return `${field === undefined ? '' : `${field} of `}${what}${inNamespace(namespace)}`;
}

/** `role "reader" of auth/staff`, `people in "9b2c…" of auth/staff (group "admins")`. */
export function wayWords({ way, namespace }: ReviewedAccess): string {
  const { kind, method, name, group } = way;
  const who =
    kind === 'role'
      ? `role ${JSON.stringify(name)} of auth/${method}`
      : `people in ${JSON.stringify(name)} of auth/${method} (group ${JSON.stringify(group)})`;
  return who + inNamespace(namespace);
}

function inNamespace(namespace: string | undefined): string {
  return namespace === undefined ? '' : ` in namespace ${JSON.stringify(namespace)}`;
}

/** What one access change says, by what it is about. */
export interface AccessLine {
  about: 'was' | 'now' | 'who' | 'gains' | 'loses' | 'gains path' | 'loses path' | 'path' | 'not known';
  text: string;
}

/** Who it is that a single access change speaks of. */
export function boundsLines({ kind, bounds, way }: ReviewedAccess): AccessLine[] {
  if (way.kind === 'group' || kind === 'changed') return [];
  const words = (text: string | undefined) => text || 'whoever the provider lets in';
  if (kind === 'widened' || kind === 'narrowed') {
    return [
      { about: 'was', text: words(bounds.before) },
      { about: 'now', text: words(bounds.after) },
    ];
  }
  return [{ about: 'who', text: words(bounds.after ?? bounds.before) }];
}

/** What an access change gives and takes: the same for many ways in. */
export function effectLines({ policies, paths, unread, uncertain }: ReviewedAccess): AccessLine[] {
  return [
    ...listed('gains', policies.gained),
    ...listed('loses', policies.lost),
    ...paths.flatMap(pathLines),
    ...unread.map(
      (policy): AccessLine => ({
        about: 'not known',
        text: `what policy ${JSON.stringify(policy)} allows: its text is not here, or cannot be read`,
      }),
    ),
    ...listed('not known', uncertain),
  ];
}

function listed(about: AccessLine['about'], texts: string[]): AccessLine[] {
  return texts.length === 0 ? [] : [{ about, text: texts.join(', ') }];
}

function pathLines({ path, gained, lost, parametersChange }: PathChange): AccessLine[] {
  return [
    ...(gained.length > 0 ? [{ about: 'gains path' as const, text: `${path}: ${gained.join(', ')}` }] : []),
    ...(lost.length > 0 ? [{ about: 'loses path' as const, text: `${path}: ${lost.join(', ')}` }] : []),
    ...(parametersChange && gained.length === 0 && lost.length === 0
      ? [{ about: 'path' as const, text: `${path}: other fields are allowed or needed` }]
      : []),
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

/** `2 errors, 1 warning; 1 new way in, 3 with other access`, or the like. */
export function summaryWords({ findings, access }: Pick<Review, 'findings' | 'access'>): string {
  const counts = (['error', 'warning', 'info'] as const)
    .map((severity) => [severity, findings.filter((one) => one.severity === severity).length] as const)
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => counted(count, severity === 'info' ? 'note' : severity));
  const kinds = (Object.keys(kindWords) as AccessKind[])
    .map((kind) => [kind, access.filter((one) => one.kind === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${kindWords[kind].toLowerCase()}: ${count}`);
  return `${counts.join(', ') || 'no findings'}; ${kinds.join(', ') || 'nobody gains or loses access'}`;
}

/** What was not looked at, in sentences. */
export function remarks({ passedOver, notes, standing }: Review): string[] {
  const total = passedOver.reduce((sum, { count }) => sum + count, 0);
  const types = passedOver.map(({ type, count }) => `${type} (${count})`).join(', ');
  return [
    ...notes,
    ...(standing > 0
      ? [
          `${counted(standing, 'finding')} that this change does not bring ${standing === 1 ? 'is' : 'are'} not listed.`,
        ]
      : []),
    ...(total > 0 ? [`Not looked at: ${counted(total, 'resource')}: ${types}.`] : []),
  ];
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** A finding's headline. */
export function findingTitle({ subject, namespace }: ReviewFinding): string {
  return subjectWords(subject, namespace);
}
