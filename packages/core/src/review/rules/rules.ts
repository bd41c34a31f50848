import { type AccessDecision, decideAccess } from '../../access/questions/change.ts';
import type { Environment } from '../../environment/environment.ts';
import { type ConfigSource, environmentFromConfig } from '../../environment/environment-config.ts';
import type { Change } from '../../graph/change.ts';
import type { Graph } from '../../graph/graph.ts';
import { type ProviderKind, recognizeKind } from '../../graph/kinds/kinds.ts';
import { methodAt, rolesOf } from '../../graph/parts-by-name.ts';
import {
  administrationGained,
  boundRemoved,
  credentialGained,
  everyoneGains,
  identityCanBeChosen,
  openToTheInternet,
  tokenLivesLonger,
} from './access-changes.ts';
import { boundRules } from './bounds.ts';
import { cannotBeJudged } from './cannot-be-judged.ts';
import { roleReplaced, secretRotated, stickyField } from './changed-fields.ts';
import { denialRemoved } from './denial-removed.ts';
import { ended, endsSoon, untilLater, untilSet } from './ends.ts';
import type { Finding } from './finding.ts';
import { gateRules, judgeGate, withExceptions } from './gate.ts';
import { identityRules } from './identities.ts';
import { lockOut } from './lock-out.ts';
import { messagePublished, messageRules } from './messages.ts';
import { mountLost } from './mount-lost.ts';
import { otherMethodRules } from './other-methods.ts';
import { policyRules } from './policies.ts';
import { policyRemoved } from './policy-removed.ts';
import { policyWidened } from './policy-widened.ts';
import { promiseBroken } from './promise-broken.ts';
import { cloudDirectoryRules, otherKindRules, workspaceSuiteRules } from './provider-kinds.ts';
import { redirectHostAdded, redirectUriRules } from './redirect-uris.ts';
import { refused } from './refused.ts';
import type { ChangeRule, Deployer, GraphRule, Objection, RuleContext } from './rule.ts';
import type { RuleOptions } from './rule-options.ts';
import { setUpRules } from './set-up.ts';
import { takesOver } from './takes-over.ts';
import { trustChanged } from './trust-changed.ts';
import { UnknownFields } from './unknown-fields.ts';
import { withoutRepeats } from './without-repeats.ts';

/** Rules over a graph, in the order of their sections in docs/rules.md. */
export const graphRules: GraphRule[] = [
  ...boundRules,
  ...identityRules,
  ...workspaceSuiteRules,
  ...cloudDirectoryRules,
  ...redirectUriRules,
  ...otherKindRules,
  refused,
  ...setUpRules,
  ...policyRules,
  promiseBroken,
  endsSoon,
  ended,
  ...messageRules,
];

/** Rules over a change. */
export const changeRules: ChangeRule[] = [
  administrationGained,
  openToTheInternet,
  identityCanBeChosen,
  credentialGained,
  lockOut,
  mountLost,
  takesOver,
  trustChanged,
  ...otherMethodRules,
  policyWidened,
  policyRemoved,
  everyoneGains,
  denialRemoved,
  boundRemoved,
  tokenLivesLonger,
  untilLater,
  untilSet,
  redirectHostAdded,
  messagePublished,
  secretRotated,
  roleReplaced,
  stickyField,
  cannotBeJudged,
];

/** All rules, as engines list them. One that `compares` looks at what was before as well. */
export const allRules = [...graphRules, ...changeRules, ...gateRules].map(({ id, severity, about }) => ({
  id,
  severity,
  about,
  compares: id !== cannotBeJudged.id && changeRules.some((rule) => rule.id === id),
}));

/** Ids that an environment turns rules off by. */
export const ruleIds: readonly string[] = [...graphRules, ...changeRules].map(({ id }) => id);

/**
 * Reads an environment from a stack's configuration, with the rules that it may turn off.
 *
 * @throws GatehouseError `environment_invalid`, `environment_file_invalid`.
 */
export function readEnvironment(source: Omit<ConfigSource, 'ruleIds'>): Environment {
  return environmentFromConfig({ ...source, ruleIds });
}

/** What is wrong with a graph, worst first. */
export function judgeGraph(graph: Graph, options: RuleOptions = {}): Finding[] {
  const findings = judgeBy(graphRules, graph, options);
  const { gate, now = 0n } = options;
  return gate === undefined ? findings : bySeverity([...judgeGate(graph, gate, now), ...findings]);
}

/** What is wrong with a graph by some of the rules, worst first. */
export function judgeBy(rules: GraphRule[], graph: Graph, options: RuleOptions): Finding[] {
  const context = contextOf(graph, options);
  const unknown = new UnknownFields(graph, options.unknown);
  return judge(rules, options, (rule) => unknown.known(() => rule.check(unknown.graph, context)));
}

/** What judges a change, in addition to the options of all rules. */
export interface ChangeOptions extends RuleOptions {
  /** Who applies the change, where that is known: guards against a deployment that locks itself out. */
  deployer?: Deployer;
  /**
   * It puts back what is declared: a promise that others broke before is older, and administration that comes by hand may go.
   * Defaults to false.
   */
  isRestoring?: boolean;
}

/**
 * What is wrong with a change, worst first. `judgeGraph` says what is wrong with the graph after it.
 *
 * @param access who gains and who loses by it, where that was decided already
 */
export function judgeChange(
  change: Change,
  options: ChangeOptions = {},
  access: AccessDecision = decideAccess(change, options.now ?? 0n),
): Finding[] {
  return judgeChangeBy(changeRules, change, options, access);
}

/** What is wrong with a change by some of the rules, worst first. */
export function judgeChangeBy(
  rules: ChangeRule[],
  change: Change,
  { deployer, isRestoring = false, ...options }: ChangeOptions,
  access: AccessDecision,
): Finding[] {
  const context = {
    ...contextOf(change.after, options),
    access,
    now: options.now ?? 0n,
    deployer,
    isRestoring,
  };
  const unknown = new UnknownFields(change.after, change.unknown);
  const judged = { ...change, after: unknown.graph };
  const findings = judge(rules, options, (rule) => unknown.known(() => rule.check(judged, context)));
  return withoutRepeats(findings, change);
}

function contextOf(graph: Graph, options: RuleOptions): RuleContext {
  const { disabled: _disabled, severities: _severities, providers = {}, ...known } = options;
  const recognized = new Map<string, ProviderKind | undefined>();
  return {
    ...known,
    kindOf(path) {
      if (Object.hasOwn(providers, path)) return providers[path]?.kind;
      // Every rule asks for every role, and the answer looks at all of them.
      const method = methodAt(graph.methods, path);
      if (method && !recognized.has(path)) {
        recognized.set(path, recognizeKind(method, rolesOf(graph.roles, path)));
      }
      return recognized.get(path);
    },
    tokenSecondsOf: (path) => (Object.hasOwn(providers, path) ? providers[path]?.tokenSeconds : undefined),
  };
}

const order = { error: 0, warning: 1, info: 2 };

function judge<Rule extends GraphRule | ChangeRule>(
  rules: Rule[],
  { disabled = {}, severities = {}, gate, now = 0n }: RuleOptions,
  check: (rule: Rule) => Objection[],
): Finding[] {
  const findings = rules
    .filter(({ id }) => !Object.hasOwn(disabled, id))
    .flatMap((rule) =>
      check(rule).map((objection) => ({
        rule: rule.id,
        severity: rule.severity,
        docs: `docs/rules.md#${rule.id}`,
        ...objection,
        ...(Object.hasOwn(severities, rule.id) && { severity: severities[rule.id] }),
      })),
    );
  return bySeverity(withExceptions(findings, gate, now));
}

function bySeverity(findings: Finding[]): Finding[] {
  return findings.toSorted((left, right) => order[left.severity] - order[right.severity]);
}
