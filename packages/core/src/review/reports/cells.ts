import type { Also, Bounds, ChangedPaths } from '../../access/access-change.ts';
import type { AlsoChange } from '../../access/reasons/also-change.ts';
import { textMissing, uniqueReasons } from '../../access/reasons/reason.ts';
import type { ProviderWhom } from '../../access/sign-in/population.ts';
import { shortened } from '../../graph/values/cut.ts';
import { partName } from '../../graph/values/visible.ts';
import { toCamelCase, toSnakeCase } from '../../graph/values/wire.ts';
import { alsoWords, settingWords } from '../../words/also-words.ts';
import { boundsWords, whomWords } from '../../words/condition-words.ts';
import { reasonWords } from '../../words/reason-words.ts';
import type { Review } from '../review.ts';
import type { ReviewedAccess } from '../verdict.ts';
import { fieldWords } from './field-words.ts';

/** What was, and what is; `–` is nothing. */
export interface Cell {
  before: string;
  after: string;
  /** What becomes of it is not known: `after` says why. Defaults to false. */
  isOpen?: true;
}

/** What a cell has where there is nothing. */
export const nothing = '–';
const anyone = 'everyone the provider lets in';
const notKnown = (why: string): Cell => ({ before: '?', after: `not known: ${why}`, isOpen: true });

/** What changes for one principal, each as a cell of the row about it. */
export function cellsOf(
  change: ReviewedAccess,
  tool: Review['tool'],
  shown = change.paths,
  mostGroups = mostGroupsNamed,
): Cell[] {
  const { kind, bounds, whom, policies, groups, paths, also, unread, uncertain, administersBy = [] } = change;
  const isAdministering = paths.some(({ administers }) => administers) || administersBy.length > 0;
  const unknown = uniqueReasons([...unread.map(textMissing), ...uncertain]);
  const administered = new Set(paths.flatMap(({ path, administers }) => (administers ? [path] : [])));
  // Administration of a path includes all other gains there.
  const ofPaths = shown
    .filter((changed) => changed.administers || changed.lost.length > 0 || !administered.has(changed.path))
    .flatMap((changed) => pathCells(changed, pathName(changed, paths)));
  const isGain = kind !== 'closed' && kind !== 'narrowed';
  const renamed = renamedPolicies(change);
  if (renamed !== undefined) return [renamed];
  const cells = [
    ...(kind === 'widened' || kind === 'narrowed' ? boundsCells(bounds, whom) : []),
    ...(isAdministering ? [gain('administers the service')] : []),
    // Only some may be in sight: gains before losses.
    ...ofPaths.sort((left, right) => Number(left.after === nothing) - Number(right.after === nothing)),
    ...groups.slice(0, mostGroups).flatMap((group) => groupCells(group, isGain, paths)),
    ...also.map((grant) => alsoCell(grant, tool)),
    ...unknown.map((reason) => notKnown(reasonWords(reason))),
  ];
  if (cells.length > 0) return cells;
  // Access that every token has is no path of its own.
  const gained = new Set([...policies.gained, ...groups.flatMap((group) => group.policies)]);
  const present = presentWords[change.principals.kind] ?? 'signs in';
  if (kind === 'opened') return [gain(gained.size === 0 ? present : policiesWords([...gained]))];
  if (kind === 'closed') return [{ before: present, after: nothing }];
  return [
    ...(policies.gained.length > 0 ? [gain(policiesWords(policies.gained))] : []),
    ...(policies.lost.length > 0 ? [{ before: policiesWords(policies.lost), after: nothing }] : []),
  ];
}

/** How many groups a row names that a role leads into. */
export const mostGroupsNamed = 3;
/** Paths of a group that a row names. */
const mostPaths = 3;

/** What people get by a group that a role leads them into, where the role itself does not give it. */
function groupCells(
  { name, rules = [] }: ReviewedAccess['groups'][number],
  isGain: boolean,
  own: readonly ChangedPaths[],
): Cell[] {
  const isOwn = ({ path, capabilities }: (typeof rules)[number]) =>
    own.some(
      (changed) =>
        changed.path === path &&
        capabilities.every((capability) => (isGain ? changed.gained : changed.lost).includes(capability)),
    );
  const all = rules.filter((rule) => !rule.capabilities.includes('deny') && !isOwn(rule));
  if (all.length === 0) return [];
  const texts = all.map(({ path, capabilities }) => `${[...capabilities].sort().join(', ')} ${path}`);
  const words = `${shortened(texts, mostPaths, '; ')} by ${partName('group', name)}`;
  return [isGain ? gain(words) : { before: words, after: nothing }];
}

/** Whether other policies are all that differs, and they give the same: a policy with a new name, for one. */
export function renamedPolicies({
  kind,
  policies,
  gains,
  losses,
  life,
  ...change
}: ReviewedAccess): Cell | undefined {
  const parts = [change.groups, change.paths, change.also, change.unread, change.uncertain];
  if (kind !== 'changed' || parts.some(({ length }) => length > 0) || change.administersBy) return undefined;
  if (gains !== 'none' || losses !== 'none' || life !== 'same') return undefined;
  if (policies.gained.length === 0 || policies.lost.length === 0) return undefined;
  const isOne = policies.gained.length + policies.lost.length === 2;
  const same = isOne ? 'same access, new name' : 'same access';
  return { before: policiesWords(policies.lost), after: `${policiesWords(policies.gained)} (${same})` };
}

/** What there is of those who do not sign in themselves. */
const presentWords: { [kind in ReviewedAccess['principals']['kind']]?: string } = {
  alias: 'in the group',
  group: 'in the group',
  entity: 'has the entity',
  // A method, a credential, a role of another method.
  other: 'a sign-in path',
};

function policiesWords(names: readonly string[]): string {
  return `${names.length === 1 ? 'policy' : 'policies'} ${names.join(', ')}`;
}

function gain(after: string): Cell {
  return { before: nothing, after };
}

/** Whom it lets in; nothing where that reads the same on both sides: the row says why it is not. */
function boundsCells(bounds: ReviewedAccess['bounds'], whom: ReviewedAccess['whom'] = {}): Cell[] {
  const before = sideWords(bounds.before, whom.before);
  const after = sideWords(bounds.after, whom.after);
  return before === after ? [] : [{ before, after }];
}

/** Who is let in on one side: in the words of the provider, where it has some. */
export function sideWords(bounds: Bounds | undefined, whom: ProviderWhom | undefined): string {
  if (whom !== undefined) return whomWords(whom);
  return bounds === undefined ? anyone : boundsText(bounds) || anyone;
}

/** What a sign-in has to fulfill; empty for all whom the provider lets in. */
export function boundsText(bounds: Bounds): string {
  return bounds === 'unknown' ? 'whom it lets in is unknown until apply' : boundsWords(bounds);
}

/** Other rules may decide on some of the paths of a pattern: then the entries say where. */
function pathName({ path, decides }: ChangedPaths, all: readonly ChangedPaths[]): string {
  const isOne = all.filter((changed) => changed.path === path).length === 1;
  const within = [decides?.before.path, decides?.after.path].find(
    (decidingPath) => decidingPath !== undefined && decidingPath !== path,
  );
  return isOne || within === undefined ? path : `${path} within ${within}`;
}

function pathCells(
  { gained, lost, limits = [], from: start, administers, decides }: ChangedPaths,
  path: string,
): Cell[] {
  const { before: ruleBefore, after: ruleAfter } = decides ?? {};
  if (
    ruleBefore &&
    ruleAfter &&
    limits.length === 0 &&
    !administers &&
    ruleBefore.capabilities.length * ruleAfter.capabilities.length > 0
  )
    return [
      { before: `${path}: ${ruleBefore.capabilities.join(', ')}`, after: ruleAfter.capabilities.join(', ') },
    ];
  const limitsOf = (direction: 'gained' | 'lost', strength: string) =>
    limits.flatMap(({ side, limit }) => (side === direction ? [`${strength} ${limit}`] : []));
  const words = (all: string[]) => (all.length === 0 ? undefined : `${all.join(', ')} ${path}`);
  const since = start === undefined ? '' : ` from ${start} on`;
  // That it is administration says it all, and the line of why has the path.
  const gains = administers ? [] : [...gained, ...limitsOf('gained', 'weaker')];
  const stricter = limitsOf('lost', 'stricter');
  if (lost.length === 0 && stricter.length > 0) {
    return [
      {
        before: gains.length > 0 ? nothing : 'as it was',
        after: `${words([...gains, ...stricter])}${since}`,
      },
    ];
  }
  const before = words([...lost, ...stricter]);
  const after = words(gains);
  if (after === undefined && before === undefined) return [];
  return [{ before: before ?? nothing, after: `${after ?? nothing}${since}` }];
}

function alsoCell(also: Also, tool: Review['tool']): Cell {
  const { what, gains, losses, life } = also;
  if (what.kind === 'setting') {
    const name = fieldName(what, tool);
    const { before, after } = settingWords(what);
    return { before: `${name} ${before}`, after: `${name} ${after}` };
  }
  const words = alsoWords(what);
  if ([gains, losses, life].includes('unknown')) return notKnown(words);
  return { before: nothing, after: words };
}

/** A field as people wrote it: `ttl` in YAML, `token_ttl` in a plan of Terraform. */
function fieldName({ of, field }: AlsoChange & { kind: 'setting' }, tool: Review['tool']): string {
  // What other methods have is in no YAML of this project: the graph has it by its name on the wire.
  if (of === 'other') return tool === 'pulumi' ? toCamelCase(field) : field;
  if (of === 'tune') return `tune.${tool === 'terraform' ? toSnakeCase(field) : field}`;
  return fieldWords('role', field, tool);
}
