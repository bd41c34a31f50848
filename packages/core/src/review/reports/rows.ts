import { isSame } from '../../graph/resources/field.ts';
import { subjectName } from '../../graph/subject.ts';
import { shortened } from '../../graph/values/cut.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { partName } from '../../graph/values/visible.ts';
import { wideningWords } from '../../words/condition-words.ts';
import { signInsWords } from '../../words/giver-words.ts';
import { causeWords } from '../../words/path-cause-words.ts';
import type { Place } from '../plan/compose-change.ts';
import type { Review, ReviewFinding } from '../review.ts';
import { subjectOf } from '../rules/access-subject.ts';
import type { ReviewedAccess } from '../verdict.ts';
import { type Cell, cellsOf, mostGroupsNamed, renamedPolicies, sideWords } from './cells.ts';
import { count } from './count.ts';
import {
  foldFindings,
  foldPlaces,
  placeIn,
  placeWords,
  type ReportFinding,
  type SameAt,
  sameWords,
  withoutPlace,
} from './fold-places.ts';

/** A row of the table that every report shows: who, before, after, why. */
export interface ReportRow {
  /** `+`: a new way to sign in. `-`: one that is gone. `?`: not known what becomes of it. `~`: all else. */
  sign: '+' | '-' | '?' | '~';
  /** The policy whose text does it to all of them: `policy shop`. Only of several. */
  policy?: string;
  /** One, or several to whom the same happens, each with who that is. */
  who: { name: string; details: string[] }[];
  /** Only of what is the same at several places: the names say no place then. */
  same?: SameAt;
  /** By what: `gains: default, secrets-read`. */
  why: string[];
  cells: Cell[];
  /** Which rule no longer decides, and which does: a sentence each. */
  reasons: string[];
  gains: ReviewedAccess['gains'];
  losses: ReviewedAccess['losses'];
  life: ReviewedAccess['life'];
  /** Errors about it. */
  errors: ReportFinding[];
}

/** Rules that say what a row shows: they are listed only with all findings. */
const shownByRows: readonly string[] = [
  'policy-widened',
  'bound-removed',
  'token-lives-longer',
  'credential-gained',
];

/** The rows of a review, worst first, and the findings that no row has, without those that repeat one. */
export function reportRows(review: Pick<Review, 'access' | 'findings' | 'tool'>): {
  rows: ReportRow[];
  findings: ReportFinding[];
  repeated: ReportFinding[];
} {
  const { findings, tool } = review;
  const isBlamed = new Set(
    findings.flatMap((finding) => (finding.severity === 'error' ? whoKey(finding.subject, finding) : [])),
  );
  // What only has a new name is one row: of what is new.
  const access = review.access.filter(
    (change) =>
      change.kind !== 'closed' ||
      change.otherName === undefined ||
      isBlamed.has(whoKey(subjectOf(change), change)),
  );
  const errors = Map.groupBy(
    findings.filter(({ severity }) => severity === 'error'),
    (finding) => whoKey(finding.subject, finding),
  );
  const own = [...Map.groupBy(access, (change) => whoKey(subjectOf(change), change))].flatMap(
    ([key, all]) => {
      // Errors are about what is gained, if something is.
      const blamed = all.find(({ gains }) => gains !== 'none') ?? all[0];
      return all.map((change): OwnChange => {
        const blamedFor = change === blamed ? (errors.get(key) ?? []) : [];
        return { key, place: placeIn(change), change, errors: blamedFor };
      });
    },
  );
  const folded = foldPlaces(
    own,
    ({ place }) => place,
    // All that is shown of it: whom a role lets in differs from team to team, and a row of a changed policy does not say it.
    ({ change, errors }) => {
      const placeless = errors.map(({ address: _, ...rest }) => withoutPlace(rest));
      return rowOf(withoutPlace(change), placeless, tool);
    },
  );
  const byWho = Map.groupBy(own, ({ change }) => whoKey(subjectOf(change), {}));
  const rowsByWho = new Map<string, OwnRow[]>();
  const rows = folded.map((all) => {
    const alsoThere = byWho.get(whoKey(subjectOf(all[0].change), {})) ?? [];
    const row = foldedRow(
      all,
      alsoThere.filter(({ key }) => all.every((other) => other.key !== key)),
      tool,
    );
    for (const { key } of all) getOrMake(rowsByWho, key, () => []).push(row);
    return row;
  });
  const shown = new Set(own.flatMap((change) => change.errors));
  const left = findings.filter((finding) => !shown.has(finding));
  // Accepted findings are always shown.
  const isRepeated = (finding: ReviewFinding) =>
    finding.exception === undefined &&
    ((rows.length > 0 && shownByRows.includes(finding.rule)) ||
      rowsByWho.get(whoKey(finding.subject, finding))?.some((row) => isShownIn(row, finding)));
  return {
    rows: joined(rows).sort((a, b) => rankOf(a) - rankOf(b)),
    findings: foldFindings(left.filter((finding) => !isRepeated(finding))).sort(
      (a, b) => Number(b.exception !== undefined) - Number(a.exception !== undefined),
    ),
    repeated: foldFindings(left.filter(isRepeated)),
  };
}

/** What changes for one set of tokens at one place. */
interface OwnChange {
  /** Equal for all changes of one principal at one place. */
  key: string;
  place: Place;
  change: ReviewedAccess;
  errors: ReviewFinding[];
}

/** The row of a set of tokens, of each place where all is equal. */
function foldedRow(
  all: [OwnChange, ...OwnChange[]],
  differing: readonly OwnChange[],
  tool: Review['tool'],
): OwnRow {
  const [{ change }] = all;
  const errors = foldFindings(all.flatMap((own) => own.errors));
  if (all.length === 1) return rowOf(change, errors, tool);
  const otherPlaces = new Map(differing.map(({ key, place }) => [key, place]));
  const same = { places: all.map(({ place }) => place), otherPlaces: [...otherPlaces.values()] };
  return { ...rowOf(withoutPlace(change), errors, tool), same };
}

function whoKey({ type, name, method = '' }: ReviewFinding['subject'], { server, namespace }: Place): string {
  return JSON.stringify([type, method, name, server, namespace]);
}

/** Whether a finding is about what is not known, and the row says what that is. */
export function isShownIn({ cells }: Pick<ReportRow, 'cells'>, { rule }: ReviewFinding): boolean {
  return rule === 'cannot-be-judged' && cells.some(({ isOpen }) => isOpen);
}

/** The row of one principal. */
interface OwnRow extends ReportRow {
  /** The policy whose text does it, and the reasons without its name. */
  byPolicy?: { policy: string; reasons: string[] };
}

/** Rows that show the same of several become one, of the policy that does it where that is one. */
function joined(rows: OwnRow[]): ReportRow[] {
  const equal = Map.groupBy(rows, ({ sign, why, cells, errors, same, gains, losses, life }) =>
    JSON.stringify([
      sign,
      cells,
      same,
      gains,
      losses,
      life,
      // A new row, or one with an error, keeps its own reason.
      sign === '~' && errors.length === 0
        ? []
        : [why, errors.map((finding) => [finding.rule, finding.message])],
    ]),
  );
  return [...equal.values()].map((all) => {
    const [{ byPolicy, ...first }] = all as [OwnRow];
    const isSameWhy = all.every(({ why }) => isSame(why, first.why));
    const byName = Map.groupBy(
      all.flatMap(({ who, why }) =>
        who.map(({ name, details }) => ({ name, details: isSameWhy ? details : [...details, ...why] })),
      ),
      ({ name }) => name,
    );
    const who = [...byName].map(([name, same]) => ({ name, details: eitherOf(same) }));
    const why = isSameWhy ? first.why : [];
    const reasons = [...new Set(all.flatMap((row) => row.reasons))];
    const isOfPolicy =
      who.length > 1 && byPolicy !== undefined && all.every((row) => isSame(row.byPolicy, byPolicy));
    if (!isOfPolicy) return { ...first, why, reasons, who };
    return { ...first, why: why.filter((text) => !text.startsWith(byPolicyText)), ...byPolicy, who };
  });
}

/** What one principal is by, where it is in several rows: any of it is enough. */
function eitherOf(all: readonly { details: string[] }[]): string[] {
  const texts = new Map(all.map(({ details }) => [details.join(', '), details]));
  const [only = []] = texts.size === 1 ? texts.values() : [];
  return texts.size === 1 ? only : [[...texts.keys()].filter((text) => text !== '').join(', or ')];
}

function rankOf({ errors, gains, losses, life }: ReportRow): number {
  if (errors.length > 0) return 0;
  if (gains === 'some') return 1;
  if ([gains, losses, life].includes('unknown')) return 2;
  if (losses === 'some') return 4;
  return life === 'longer' ? 2 : 3;
}

function rowOf(change: ReviewedAccess, errors: ReportFinding[], tool: Review['tool']): OwnRow {
  if (change.otherName !== undefined && change.kind === 'opened') return renamedRow(change, errors);
  const { kind, paths, gains, losses, life } = change;
  const isOpen = gains !== 'some' && losses !== 'some' && [gains, losses, life].includes('unknown');
  const cells = cellsOf(change, tool);
  const policy = changingPolicy([change]);
  return {
    sign: kind === 'opened' ? '+' : kind === 'closed' ? '-' : isOpen ? '?' : '~',
    who: [{ name: whoWords(change), details: [...whoDetails(change), ...usedDetails(change)] }],
    why: [...whyLines(change), ...policyLines(change)],
    cells: [...new Map(cells.map((cell) => [JSON.stringify(cell), cell])).values()],
    reasons: causeWords(paths),
    gains,
    losses,
    life,
    errors,
    ...(policy !== undefined && { byPolicy: { policy, reasons: causeWords(paths, false) } }),
  };
}

/** Of what only has a new name: nothing is gained and lost. */
function renamedRow(change: ReviewedAccess, errors: ReportFinding[]): OwnRow {
  const details = ['same access, new name', ...whoDetails(change), ...usedDetails(change)];
  const before = whoWords({ ...change, principals: { ...change.principals, ...change.otherName } });
  return {
    sign: '~',
    who: [{ name: whoWords(change), details }],
    why: [],
    cells: [{ before, after: whoWords(change) }],
    reasons: [],
    gains: 'none',
    losses: 'none',
    life: 'same',
    errors,
  };
}

/** `policy shop`, where one policy with another text is all that makes these changes. */
export function changingPolicy(changes: ReviewedAccess[]): string | undefined {
  const causes = changes.flatMap(({ kind, policies, groups, paths, also, unread, uncertain, ...place }) => {
    const otherParts = [
      policies.gained,
      policies.lost,
      groups,
      also,
      unread,
      uncertain,
      place.administersBy ?? [],
    ];
    if (kind !== 'changed' || otherParts.some(({ length }) => length > 0)) return [undefined];
    return paths.map(({ cause }) =>
      cause?.kind.startsWith('rule-') ? partName('policy', cause.policy) + placeWords(place) : undefined,
    );
  });
  return new Set(causes).size === 1 ? causes[0] : undefined;
}

/** `role staff/reader`, `all who sign in by method staff`. */
export function whoWords(change: ReviewedAccess): string {
  const words: Partial<Record<typeof change.principals.kind, string>> = {
    method: 'all who sign in by ',
    policy: 'others with ',
  };
  return (words[change.principals.kind] ?? '') + subjectName(subjectOf(change)) + placeWords(change);
}

function usedDetails({ lastUsed }: ReviewedAccess): string[] {
  return lastUsed === undefined ? [] : [`last used: ${lastUsed}`];
}

function whoDetails(change: ReviewedAccess): string[] {
  const { kind, principals, bounds, whom } = change;
  if (!['role', 'method'].includes(principals.kind)) {
    const { kind: of, method: path, name } = principals;
    const by = signInsWords(change);
    if (of !== 'alias') return [...letInByOther(change), ...(by === '' ? [] : [by])];
    return [`people in ${JSON.stringify(name)} ${by === '' ? `by any role of auth/${path}` : by}`];
  }
  const words = { widened: 'who is newly let in', narrowed: 'who is no longer let in' };
  if (kind === 'widened' || kind === 'narrowed') return [words[kind]];
  if (kind === 'changed') return [];
  const side = kind === 'opened' ? 'after' : 'before';
  return [sideWords(bounds[side], whom?.[side])];
}

/** Who signs in by a role or user of another method that comes or goes, where its name does not say that. */
function letInByOther({ kind, principals: { name, letsIn } }: ReviewedAccess): string[] {
  if (letsIn === undefined || (kind !== 'opened' && kind !== 'closed')) return [];
  return name.includes(letsIn) || letsIn.includes(name) ? [] : [letsIn];
}

/** Paths that a row names by which people administer the service. */
const mostNamed = 3;

/** By which policies, and what lets in others where who gets in reads the same. */
export function whyLines(change: ReviewedAccess, mostGroups = mostGroupsNamed): string[] {
  const { kind, policies, groups, paths, administersBy = [], because, bounds, whom } = change;
  if (renamedPolicies(change) !== undefined) return [];
  const verb = kind === 'opened' || kind === 'widened' ? 'gains' : 'loses';
  const isShownByBounds =
    kind === 'widened' && !isSame([bounds.before, whom?.before], [bounds.after, whom?.after]);
  const administers = [
    ...paths.flatMap(({ path, administers }) => (administers ? [path] : [])),
    ...administersBy.map(({ group, path }) => `${path} (${partName('group', group)})`),
  ];
  return [
    ...(policies.gained.length > 0 ? [`gains: ${policies.gained.join(', ')}`] : []),
    ...(policies.lost.length > 0 ? [`loses: ${policies.lost.join(', ')}`] : []),
    ...(letsInOthers(change) && policies.kept.length > 0 ? [`gives: ${policies.kept.join(', ')}`] : []),
    ...groups
      .slice(0, mostGroups)
      .map((group) => `${verb}: ${group.policies.join(', ')} by ${ledWords(group)}`),
    ...(groups.length > mostGroups
      ? [`${verb}: policies by ${count(groups.length - mostGroups, 'more group')}`]
      : []),
    ...(because !== undefined && !isShownByBounds ? [`why: ${wideningWords(because)}`] : []),
    ...(administers.length > 0 ? [`gains path: ${shortened(administers, mostNamed)}`] : []),
  ];
}

const byPolicyText = 'by policy ';

/** The policies whose texts do it, of principals that keep theirs, where no reason names them. */
function policyLines({ kind, principals, policies, paths }: ReviewedAccess): string[] {
  // Others with a policy are called by its name.
  if (principals.kind === 'policy') return [];
  const isKept = kind === 'changed' && policies.gained.length + policies.lost.length === 0;
  if (!isKept || causeWords(paths).length > 0) return [];
  const names = [...new Set(paths.flatMap(({ cause }) => cause?.policy ?? []))];
  return names.length === 0 ? [] : [`${byPolicyText}${shortened(names, mostNamed)}`];
}

/** `group pay`, with who is in it where its name does not say that. */
function ledWords({ name, alias }: ReviewedAccess['groups'][number]): string {
  const group = partName('group', name);
  return alias === name ? group : `${group} (people in ${JSON.stringify(alias)})`;
}

/** Whether others can sign in by a role or user of another method: it gives them what it gave. */
function letsInOthers({ kind, principals, also }: ReviewedAccess): boolean {
  return (
    kind === 'changed' &&
    principals.kind === 'other' &&
    also.some(({ about, gains }) => about === 'bounds' && gains !== 'none')
  );
}

/** A row in plain lines: who, then what changes. */
export function rowLines({ policy, who, same, why, cells, reasons }: ReportRow): string[] {
  return [
    ...(policy === undefined ? [] : [policy]),
    ...who.map(({ name, details }) => [name, ...details].join(': ')),
    ...(same === undefined ? [] : [`  ${sameWords(same)}`]),
    ...why.map((text) => `  ${text}`),
    ...cells.map(({ before, after }) => `  ${before} → ${after}`),
    ...reasons.map((text) => `  ${text}`),
  ];
}
