import type { Change } from '../../model/change.ts';
import { PolicyTexts } from '../../model/policies/policy-texts.ts';
import type { Subject } from '../../rules/finding.ts';
import { conditionWords, excludeEachOther, includes } from './condition.ts';
import { type PathChange, pathChanges } from './policy-paths.ts';
import { type WayIn, waysIn } from './ways-in.ts';

/**
 * What happens to a class of people or workloads.
 * - `opened`: a way in that was not there. - `closed`: one that is no more.
 * - `widened`: who did not fulfil the bounds before gets in now. - `narrowed`: who did gets in no more.
 * - `changed`: who gets in before and after gets other policies, or policies that allow other things.
 */
export const AccessKind = {
  opened: 'opened',
  closed: 'closed',
  widened: 'widened',
  narrowed: 'narrowed',
  changed: 'changed',
} as const;
export type AccessKind = (typeof AccessKind)[keyof typeof AccessKind];

/** What a class of people or workloads gains or loses. */
export interface AccessChange {
  kind: AccessKind;
  way: { kind: WayIn['kind']; method: string; name: string; group?: string };
  /** Who, in words: what a sign-in had to fulfil before, has to after. Empty for whomever the provider lets in. */
  bounds: { before?: string; after?: string };
  policies: { gained: string[]; lost: string[]; kept: string[] };
  /** Where the texts of the policies are at hand. */
  paths: PathChange[];
  /** Policies among those gained or lost whose text is not at hand or cannot be read. */
  unread: string[];
  /** Fields that the plan does not tell: what is said here holds if they stay as they are. */
  uncertain: string[];
}

const order: AccessKind[] = ['opened', 'closed', 'widened', 'narrowed', 'changed'];

/**
 * Who gains and who loses which access by a change: new ways in first, then closed ones.
 *
 * @param now nanoseconds since 1970: rules of policies may expire
 */
export function accessChanges(change: Change, now: bigint): AccessChange[] {
  const before = waysIn(change.before);
  const after = waysIn(change.after);
  const texts = {
    before: new PolicyTexts(change.before.policies, now),
    after: new PolicyTexts(change.after.policies, now),
  };
  const judge = new Judge(texts, change.unknown);
  const changes: AccessChange[] = [];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    changes.push(...judge.compare(before.get(key), after.get(key)));
  }
  return changes.sort(
    (a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || compareText(labelOf(a), labelOf(b)),
  );
}

class Judge {
  readonly #texts: { before: PolicyTexts; after: PolicyTexts };
  readonly #unknown = new Map<string, string[]>();
  readonly #paths = new Map<string, PathChange[]>();

  constructor(texts: { before: PolicyTexts; after: PolicyTexts }, unknown: Subject[]) {
    this.#texts = texts;
    for (const { type, name, method, field } of unknown) {
      const key = JSON.stringify([type, method, name]);
      this.#unknown.set(key, [...(this.#unknown.get(key) ?? []), field ?? 'all of it']);
    }
  }

  compare(before: WayIn | undefined, after: WayIn | undefined): AccessChange[] {
    if (before === undefined || after === undefined) {
      return [this.#access(after === undefined ? 'closed' : 'opened', before, after)];
    }
    if (excludeEachOther(before.conditions, after.conditions)) {
      return [this.#access('opened', undefined, after), this.#access('closed', before, undefined)];
    }
    const found: AccessChange[] = [];
    const bounds = { before: wordsOf(before), after: wordsOf(after) };
    if (!includes(before.conditions, after.conditions)) {
      found.push({ ...this.#access('widened', undefined, after), bounds });
    }
    if (!includes(after.conditions, before.conditions)) {
      found.push({ ...this.#access('narrowed', before, undefined), bounds });
    }
    const changed = this.#access('changed', before, after);
    const { gained, lost } = changed.policies;
    if (gained.length > 0 || lost.length > 0 || changed.paths.length > 0) found.push(changed);
    return found;
  }

  /** What is gained where there was nothing before, lost where there is nothing after, and otherwise both. */
  #access(kind: AccessKind, before: WayIn | undefined, after: WayIn | undefined): AccessChange {
    const { kind: wayKind, method, name } = (after ?? before) as WayIn;
    const group = after?.group ?? before?.group;
    const old = before?.policies ?? [];
    const wanted = after?.policies ?? [];
    const policies = {
      gained: wanted.filter((policy) => !old.includes(policy)),
      lost: old.filter((policy) => !wanted.includes(policy)),
      kept: wanted.filter((policy) => old.includes(policy)),
    };
    const isUnread = (side: 'before' | 'after', names: string[]) => {
      const { unread } = this.#texts[side].set(names);
      return unread.filter((policy) => policies.gained.includes(policy) || policies.lost.includes(policy));
    };
    return {
      kind,
      way: { kind: wayKind, method, name, ...(group === undefined ? {} : { group }) },
      bounds: {
        ...(before === undefined ? {} : { before: wordsOf(before) }),
        ...(after === undefined ? {} : { after: wordsOf(after) }),
      },
      policies,
      paths: this.#pathChanges(old, wanted),
      unread: [...new Set([...isUnread('before', old), ...isUnread('after', wanted)])].filter(
        (policy) => policy !== 'default',
      ),
      uncertain: this.#uncertain(wayKind, method, name, group, wanted),
    };
  }

  #pathChanges(before: string[], after: string[]): PathChange[] {
    const key = JSON.stringify([before, after]);
    const known = this.#paths.get(key);
    if (known !== undefined) return known;
    const changes = pathChanges(this.#texts.before.set(before), this.#texts.after.set(after));
    this.#paths.set(key, changes);
    return changes;
  }

  #uncertain(
    kind: WayIn['kind'],
    method: string,
    name: string,
    group: string | undefined,
    policies: string[],
  ): string[] {
    if (this.#unknown.size === 0) return [];
    const of = (type: Subject['type'], subject: string, path?: string) =>
      this.#unknown.get(JSON.stringify([type, path, subject])) ?? [];
    return [
      ...(kind === 'role' ? of('role', name, method) : of('alias', name, method)),
      ...of('method', method).map((field) => `${field} of auth/${method}`),
      ...(group === undefined ? [] : of('group', group)),
      ...policies.flatMap((policy) => of('policy', policy).map((field) => `${field} of policy ${policy}`)),
    ];
  }
}

function wordsOf(way: WayIn): string {
  return conditionWords(way.conditions);
}

function labelOf({ way }: AccessChange): string {
  return `${way.kind === 'role' ? 0 : 1} ${way.method} ${way.name}`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
