import { sortedJson } from '../graph/resources/field.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { policyKey } from '../graph/values/name-key.ts';
import { partName } from '../graph/values/visible.ts';
import type { FoldedLog } from './folded-log.ts';
import { isBuiltIn, isMadeByToken } from './lineage.ts';
import type { LoggedPrincipals } from './logged-principals.ts';
import type { LoggedPrincipal, LoggedRequest } from './logged-request.ts';
import { atAllPlaces } from './moved-mounts.ts';
import type { Judgment, RequestJudge } from './request-judge.ts';
import type { SignedInAt } from './sign-in-doubt.ts';
import { roleKey, Tally } from './tally.ts';
import type { UsageReason } from './usage-reason.ts';
import type { RefusedRequests, Usage } from './used.ts';

/** What the sign-ins and requests of a log used, and how their answers compare with those of the policies as they are. */
export class CountedLog {
  readonly tally = new Tally();
  readonly answers: Usage['answers'] = { same: 0, other: 0, unknown: [] };
  /** What is missing to compare answers, by its key. */
  readonly #unknown = new Map<string, Usage['answers']['unknown'][number]>();
  readonly origins: Usage['origins'] = { known: 0, unknown: 0 };
  readonly #judge: RequestJudge;
  readonly #principals: LoggedPrincipals;
  readonly #refused = new Map<string, RefusedRequests & { who: Set<string> }>();

  constructor(log: FoldedLog, judge: RequestJudge, principals: LoggedPrincipals) {
    this.#judge = judge;
    this.#principals = principals;
    for (const signIn of log.signIns) this.#addSignIn(signIn);
    for (const request of log.requests) this.#addRequest(request);
  }

  /** Requests that policies refused, the most frequent first. */
  refused(): RefusedRequests[] {
    return [...this.#refused.values()]
      .map(({ who, ...requests }) => ({ ...requests, people: who.size }))
      .sort((left, right) => right.count - left.count);
  }

  #addSignIn({ who, count, last }: FoldedLog['signIns'][number]): void {
    const at = this.#principals.signedInAt(who);
    if (at !== undefined) this.tally.add(roleKey(pathOf(at)), who.name, count, last);
    this.#addGroups(who, count, last);
  }

  #addRequest(request: LoggedRequest): void {
    this.#addRoles(request);
    this.#addGroups(request.by, request.count, request.last);
    const judged = atAllPlaces(request).map((place) =>
      this.#judge.judge(request.by.policies, request.by.entity, place),
    );
    // Policies may have followed a mount that was moved, or not yet.
    const same = judged.find(({ answer }) => answer === request.outcome);
    this.#compareAnswer(request, judged, same);
    if (request.outcome === 'allowed') this.#addUses(request, judged, same);
    if (request.outcome === 'refused') addRefused(this.#refused, request, this.#principals);
  }

  /** The role of the sign-in that a request came from, and the token roles between. */
  #addRoles({ by, count, last }: LoggedRequest): void {
    const at = this.#principals.signedInAt(by);
    // A token made by another one, as Gatehouse makes, has a name of its own: no one else signed in.
    const isMade = by.lineage?.making !== undefined || isMadeByToken(by);
    if (at !== undefined) this.tally.add(roleKey(pathOf(at)), isMade ? undefined : by.name, 0, last);
    else if (!isByItself(by)) this.tally.leaveRolesOpen(by);
    this.origins[at !== undefined || isByItself(by) ? 'known' : 'unknown'] += count;
    for (const role of tokenRolesOf(by)) this.tally.add(roleKey(`token/${role}`), by.name, 0, last);
  }

  #addGroups({ identityPolicies, name }: LoggedPrincipal, count: number, last: number): void {
    for (const policy of identityPolicies) this.tally.add(`group ${policyKey(policy)}`, name, count, last);
  }

  /** Whether the policies as they are would answer as it was answered. @param same a judgment that does */
  #compareAnswer(
    { by, count }: LoggedRequest,
    judged: readonly Judgment[],
    same: Judgment | undefined,
  ): void {
    const unclear = same === undefined ? judged.find(({ answer }) => answer === 'unknown') : undefined;
    // A token of root passes whatever its policies say.
    if (by.unknown === undefined && unclear === undefined) {
      this.answers[same === undefined ? 'other' : 'same'] += count;
      return;
    }
    const because = unclear?.because;
    const missing: UsageReason =
      by.unknown !== undefined
        ? { kind: 'token-policies', which: by.unknown }
        : because?.kind === 'unknown'
          ? because.missing
          : { kind: 'held-policies' };
    const counted = getOrMake(this.#unknown, sortedJson(missing), () => {
      const added = { missing, count: 0 };
      this.answers.unknown.push(added);
      return added;
    });
    counted.count += count;
    this.#leavePoliciesOpen(by);
  }

  /** The policies and rules that allowed a request. @param same a judgment that allows it */
  #addUses(
    { by, count, last }: LoggedRequest,
    judged: readonly Judgment[],
    same: Judgment | undefined,
  ): void {
    const isKnown = by.unknown === undefined && judged.every(({ answer }) => answer !== 'unknown');
    if (same === undefined || !isKnown) this.#leavePoliciesOpen(by);
    if (by.unknown !== undefined) return;
    for (const key of usedKeys(judged)) this.tally.add(key, by.name, count, last);
  }

  #leavePoliciesOpen({ policies }: LoggedPrincipal): void {
    for (const policy of policies) this.tally.leaveOpen(policyKey(policy));
  }
}

/** What decided at some place of a request, each once. */
function usedKeys(judged: readonly Judgment[]): Set<string> {
  const allowing = judged.filter(({ answer }) => answer === 'allowed');
  return new Set(
    allowing.flatMap(({ policies, pattern }) =>
      policies.flatMap((policy) => [`policy ${policy}`, `rule ${policy} ${pattern}`]),
    ),
  );
}

/** `staff/reader`, or the method alone where it names no role. */
const pathOf = ({ method, role }: SignedInAt) => (role === '' ? method : `${method}/${role}`);

/** Tokens that no sign-in here began: root's, those that root made by hand, those that services make, and others' namespaces'. */
function isByItself({ policies, lineage }: LoggedPrincipal): boolean {
  if (lineage?.isElsewhere) return true;
  if (policies.includes('root') || isBuiltIn(policies)) return true;
  return lineage?.making !== undefined && isByItself(lineage.making.by);
}

/** The token roles that a token was made with, and those that made it. */
function tokenRolesOf({ lineage }: LoggedPrincipal): string[] {
  if (lineage?.making === undefined) return [];
  const { role, by } = lineage.making;
  return [...(role === '' ? [] : [role]), ...tokenRolesOf(by)];
}

function addRefused(
  refused: Map<string, RefusedRequests & { who: Set<string> }>,
  { by, operation, path, count, last, id }: LoggedRequest,
  principals: LoggedPrincipals,
): void {
  const at = principals.signedInAt(by);
  const role = at === undefined ? '' : partName(at.role === '' ? 'method' : 'role', pathOf(at));
  const key = JSON.stringify([role, operation, path]);
  const requests = getOrMake(refused, key, () => ({
    by: role,
    operation,
    path,
    count: 0,
    people: 0,
    last: 0,
    id,
    who: new Set<string>(),
  }));
  requests.count += count;
  requests.who.add(by.name);
  if (last < requests.last) return;
  requests.last = last;
  requests.id = id;
}
