import { principalsOf } from '../access/principals.ts';
import { type AccessDecision, decideAccess } from '../access/questions/change.ts';
import { type Graph, withText } from '../graph/graph.ts';
import { allowsParameters, hasWildcard, type Rule } from '../graph/policies/acl.ts';
import type { PathRule } from '../graph/policies/parse-policy.ts';
import { hasBlocks, policyText, ruleText } from '../graph/policies/policy-text.ts';
import { defined } from '../graph/values/loose-values.ts';
import { policyKey } from '../graph/values/name-key.ts';
import type { AskedRequest } from './logged-request.ts';
import { type Because, type JudgedService, RequestJudge } from './request-judge.ts';

/** One rule for exactly the path of a request, in one policy of those held, that lets the request pass. */
export interface SmallestChange {
  policy: string;
  /** Principals who hold the policy. */
  principals: number;
  /** The rule, as HCL. */
  rule: string;
  /** The policy has a rule on this very path, which the new one replaces. */
  replaces: boolean;
  /** The policy with the change. */
  text: string;
  /** Names of fields that it allows with any value. */
  anyValueOf: string[];
  /** Who gains and who loses by it. */
  access: Omit<AccessDecision, 'held'>;
}

interface RefusedRequest {
  policies: readonly string[];
  /** Id of the entity. */
  entity: string;
  request: AskedRequest;
  /** Policies that name the pattern that decides: the change goes there first, if no more hold them than others. */
  deciding?: readonly string[];
  /** What could not be read of the service, in words. Defaults to nothing. */
  missing?: readonly string[];
}

/** Why there is no such change. */
export type NoChange = 'no-pattern' | 'no-text' | 'no-rule';

/** Policies that are tried: those that the fewest hold. */
const mostTried = 4;
/** A request lacks a capability, `sudo`, and some limits at most. */
const mostSteps = 8;

/**
 * The smallest change of a policy that lets a refused request pass, and who else gains; why there is none otherwise.
 * The rule keeps what was decided at the path, and the first policy that makes no one lose is taken.
 *
 * @param now nanoseconds since 1970: rules expire
 */
export function smallestChange(
  refused: RefusedRequest,
  service: JudgedService,
  now: bigint,
): SmallestChange | NoChange {
  const { request, policies, entity } = refused;
  const isFolder = request.operation === 'list' || request.operation === 'scan';
  const path = isFolder ? `${request.path.replace(/\/$/, '')}/` : request.path;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no text of a policy names such a path
  if (hasWildcard(path) || /\{\{|["\\$]|[\u0000-\u001f\u007f]/.test(path)) return 'no-pattern';
  const held = [...new Set(policies.map(policyKey))];
  const counts = principalsWith(service.graph, held);
  const rankOf = (name: string) => (counts.get(name) ?? 0) - (refused.deciding?.includes(name) ? 0.5 : 0);
  const texts = new Map(service.graph.policies.map(({ name, text }) => [policyKey(name), text]));
  const candidates = held
    .filter((name) => texts.has(name))
    .sort((left, right) => rankOf(left) - rankOf(right) || (left < right ? -1 : 1))
    .slice(0, mostTried);
  if (candidates.length === 0) return 'no-text';
  const judge = new RequestJudge(service, now);
  let losing: SmallestChange | undefined;
  for (const policy of candidates) {
    // What the policy itself gives there is less than what all of them give: it may do.
    for (const deciders of [[policy], held]) {
      const kept = keptRule(judge.deciding(deciders, entity, path), path);
      const trial = kept && passing({ refused, service, now, policy, text: texts.get(policy) ?? '', kept });
      if (trial === undefined) continue;
      const after = withText(service.graph, policy, trial.text);
      const nothing = { replaced: [], rotated: [], unknown: [] };
      const { held: _, ...access } = decideAccess(
        { before: service.graph, after, ...nothing, missing: [...(refused.missing ?? [])] },
        now,
      );
      const change = { ...trial, policy, principals: counts.get(policy) ?? 0, access };
      if (access.losses === 'none') return change;
      losing ??= change;
    }
  }
  return losing ?? 'no-rule';
}

/** How many principals hold each of the policies. */
export function principalsWith(graph: Graph, policies: readonly string[]): Map<string, number> {
  const { mounts, identities, otherPrincipals } = principalsOf({ before: graph, after: graph });
  const ofMounts = [...mounts.values()].flatMap(({ roles, groups }) => [...roles, ...groups]);
  const all = new Set(
    [...ofMounts, ...identities, ...otherPrincipals].filter(({ partOf }) => partOf === undefined),
  );
  return new Map(policies.map((name) => [name, [...all].filter(({ after }) => after.includes(name)).length]));
}

/** What decides at a path, as a rule for it alone; undefined where a rule cannot say that. */
function keptRule(deciding: ReturnType<RequestJudge['deciding']>, path: string): PathRule | undefined {
  if (deciding === undefined) return undefined;
  const { other, list } = deciding;
  if (
    other?.otherLimits !== undefined ||
    other?.eventTypes !== undefined ||
    other?.expires !== undefined ||
    list?.expires !== undefined
  )
    return undefined;
  const isListing = (capability: string) => capability === 'list' || capability === 'scan';
  const grants = (rule: Rule | undefined) =>
    [...(rule?.capabilities ?? [])].filter((capability) => capability !== 'deny');
  const capabilities = [
    ...grants(other).filter((capability) => !isListing(capability)),
    // The rule decides for a list as well.
    ...grants(list).filter(isListing),
  ];
  const denies = other?.capabilities.has('deny') === true;
  const { allowedParameters, deniedParameters, requiredParameters, minWrapping, maxWrapping } = other ?? {};
  const limits = { allowedParameters, deniedParameters, requiredParameters, minWrapping, maxWrapping };
  return { path, capabilities, ...(!denies && defined(limits)) };
}

interface Trial {
  refused: RefusedRequest;
  service: JudgedService;
  now: bigint;
  policy: string;
  text: string;
  kept: PathRule;
}

/** The policy with the rule, where the request passes by it. */
function passing({
  refused,
  service,
  now,
  policy,
  text,
  kept,
}: Trial): Pick<SmallestChange, 'rule' | 'replaces' | 'text' | 'anyValueOf'> | undefined {
  const { policies, entity, request } = refused;
  const anyValueOf = new Set<string>();
  let rule = kept;
  for (let step = 0; step < mostSteps; step += 1) {
    const written = writtenWith(service, now, policy, text, rule);
    if (written === undefined) return undefined;
    const graph = withText(service.graph, policy, written.text);
    const { answer, because } = new RequestJudge({ ...service, graph }, now).judge(policies, entity, request);
    if (answer === 'allowed') return { ...written, rule: ruleText(rule), anyValueOf: [...anyValueOf].sort() };
    const next = because && looser(rule, because, request, anyValueOf);
    if (answer === 'unknown' || next === undefined) return undefined;
    rule = next;
  }
  return undefined;
}

function writtenWith(
  service: JudgedService,
  now: bigint,
  policy: string,
  text: string,
  rule: PathRule,
): Pick<SmallestChange, 'text' | 'replaces'> | undefined {
  const rules = new RequestJudge(service, now).rulesOf(policy);
  if (rules === undefined) return undefined;
  const otherRules = rules.filter(({ path }) => path !== rule.path);
  const replaces = otherRules.length < rules.length;
  if (!replaces && hasBlocks(text)) return { replaces, text: `${text.trimEnd()}\n\n${ruleText(rule)}\n` };
  const whole = policyText([...otherRules, rule]);
  return whole === undefined ? undefined : { replaces, text: whole };
}

/** A rule that is refused for less; undefined where the reason is not one of the rule. */
function looser(
  rule: PathRule,
  because: Because,
  { fields }: AskedRequest,
  anyValueOf: Set<string>,
): PathRule | undefined {
  if (because.kind === 'capability') {
    const { capability } = because;
    if (rule.capabilities.includes(capability)) return undefined;
    return { ...rule, capabilities: [...rule.capabilities, capability].sort() };
  }
  if (because.kind === 'wrapping') {
    const { minWrapping, maxWrapping, ...rest } = rule;
    return minWrapping === undefined && maxWrapping === undefined ? undefined : rest;
  }
  if (because.kind !== 'parameters') return undefined;
  const { requiredParameters = [], deniedParameters = {}, allowedParameters = {}, ...rest } = rule;
  const names = Object.keys(fields).map((name) => name.toLowerCase());
  const isRefused = (name: string, value: unknown) =>
    !allowsParameters(
      { path: rule.path, capabilities: new Set(), allowedParameters, deniedParameters },
      { [name]: value },
    );
  const refused = new Set(
    Object.entries(fields).flatMap(([name, value]) => (isRefused(name, value) ? [name.toLowerCase()] : [])),
  );
  const required = requiredParameters.filter((name) => Object.hasOwn(fields, name));
  const isAll = Object.hasOwn(deniedParameters, '*');
  const denied = Object.fromEntries(
    Object.entries(deniedParameters).filter(([name]) => !refused.has(name) && !(isAll && name === '*')),
  );
  const allowed = { ...allowedParameters };
  const isLimited = Object.keys(allowedParameters).length > 0;
  for (const name of names) {
    if (!refused.has(name)) continue;
    anyValueOf.add(name);
    if (isLimited) allowed[name] = [];
  }
  const next = {
    ...rest,
    ...(required.length > 0 && { requiredParameters: required }),
    ...(Object.keys(denied).length > 0 && { deniedParameters: denied }),
    ...(isLimited && { allowedParameters: allowed }),
  };
  return ruleText(next) === ruleText(rule) ? undefined : next;
}
