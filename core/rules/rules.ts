import { type AccessDecision, decideAccess } from '../access/questions/change.ts';
import type { Change } from '../model/change.ts';
import type { Graph } from '../model/graph.ts';
import { type ProviderKind, recogniseKind } from '../model/kinds/kinds.ts';
import { methodAt, rolesOf } from '../model/parts-by-name.ts';
import { rule as administrationGained } from './administration-gained.ts';
import { rule as aliasesCollide } from './aliases-collide.ts';
import { rule as boundClaimNotText } from './bound-claim-not-text.ts';
import { rule as boundRemoved } from './bound-removed.ts';
import { rule as cannotBeJudged } from './cannot-be-judged.ts';
import { rule as defaultRoleMissing } from './default-role-missing.ts';
import { rule as defaultServerAudience } from './default-server-audience.ts';
import { rule as directCallback } from './direct-callback.ts';
import { rule as directoryAliasNotObjectId } from './directory-alias-not-object-id.ts';
import { rule as directoryDiscoveryUrl } from './directory-discovery-url.ts';
import { rule as directoryManyGroups } from './directory-many-groups.ts';
import { rule as directoryScope } from './directory-scope.ts';
import { rule as emptyGroupsClaim } from './empty-groups-claim.ts';
import { rule as enterpriseGroupsScope } from './enterprise-groups-scope.ts';
import { rule as enterpriseProfileScope } from './enterprise-profile-scope.ts';
import { rule as everyoneGains } from './everyone-gains.ts';
import type { Finding } from './finding.ts';
import { rule as formPostCallback } from './form-post-callback.ts';
import { rule as globNotEnabled } from './glob-not-enabled.ts';
import { rule as hostedAlgorithm } from './hosted-algorithm.ts';
import { rule as hostedGroupsClaim } from './hosted-groups-claim.ts';
import { rule as identityCanBeChosen } from './identity-can-be-chosen.ts';
import { rule as jwtRoleWithoutAudience } from './jwt-role-without-audience.ts';
import { rule as keySource } from './key-source.ts';
import { rule as keysOfSeveralIssuers } from './keys-of-several-issuers.ts';
import { rule as listClaimMapping } from './list-claim-mapping.ts';
import { rule as lockOut } from './lock-out.ts';
import { rule as messageLink } from './message-link.ts';
import { rule as messagePublished } from './message-published.ts';
import { rule as messageReveals } from './message-reveals.ts';
import { rule as messageTimes } from './message-times.ts';
import { rule as mixedCaseName } from './mixed-case-name.ts';
import { rule as mountLost } from './mount-lost.ts';
import { rule as mutableBoundClaim } from './mutable-bound-claim.ts';
import { rule as mutableUserClaim } from './mutable-user-claim.ts';
import { rule as oidcRoleOnJwtMethod } from './oidc-role-on-jwt-method.ts';
import { rule as openToTheInternet } from './open-to-the-internet.ts';
import { rule as policyUnknown } from './policy-unknown.ts';
import { rule as policyWidened } from './policy-widened.ts';
import { rule as promiseBroken } from './promise-broken.ts';
import { rule as realmUrl } from './realm-url.ts';
import { rule as redirectHostAdded } from './redirect-host-added.ts';
import { rule as redirectUriMissing } from './redirect-uri-missing.ts';
import { rule as redirectUriOtherHost } from './redirect-uri-other-host.ts';
import { rule as redirectUriOtherMethod } from './redirect-uri-other-method.ts';
import { rule as redirectUriPlainHttp } from './redirect-uri-plain-http.ts';
import { rule as reservedMetadataKey } from './reserved-metadata-key.ts';
import { rule as roleOutlivesToken } from './role-outlives-token.ts';
import { rule as rootPolicy } from './root-policy.ts';
import { rule as rs256Missing } from './rs256-missing.ts';
import type { ChangeRule, Deployer, Objection, RuleContext, StateRule } from './rule.ts';
import type { RuleOptions } from './rule-options.ts';
import { rule as secretRotated } from './secret-rotated.ts';
import { rule as sharedIssuerUnbound } from './shared-issuer-unbound.ts';
import { rule as sourceHostingOpenid } from './source-hosting-openid.ts';
import { rule as stickyField } from './sticky-field.ts';
import { rule as tokenLivesLonger } from './token-lives-longer.ts';
import { rule as tooManyMessages } from './too-many-messages.ts';
import { rule as unsafeAlgorithm } from './unsafe-algorithm.ts';
import { rule as wellKnownUrl } from './well-known-url.ts';
import { rule as workspaceGroupsNotFetched } from './workspace-groups-not-fetched.ts';
import { rule as workspaceScopes } from './workspace-scopes.ts';
import { rule as workspaceUserClaim } from './workspace-user-claim.ts';
import { rule as workspaceUserInfo } from './workspace-user-info.ts';

export type { RuleOptions } from './rule-options.ts';

/** Rules over a graph, in the order of their sections in docs/rules.md. */
export const stateRules: StateRule[] = [
  jwtRoleWithoutAudience,
  sharedIssuerUnbound,
  boundClaimNotText,
  globNotEnabled,
  mutableBoundClaim,
  aliasesCollide,
  mutableUserClaim,
  workspaceGroupsNotFetched,
  workspaceUserClaim,
  workspaceUserInfo,
  workspaceScopes,
  directoryAliasNotObjectId,
  directoryDiscoveryUrl,
  directoryScope,
  directoryManyGroups,
  redirectUriMissing,
  redirectUriOtherMethod,
  redirectUriPlainHttp,
  redirectUriOtherHost,
  formPostCallback,
  realmUrl,
  emptyGroupsClaim,
  defaultServerAudience,
  enterpriseProfileScope,
  enterpriseGroupsScope,
  hostedAlgorithm,
  hostedGroupsClaim,
  sourceHostingOpenid,
  roleOutlivesToken,
  wellKnownUrl,
  keySource,
  keysOfSeveralIssuers,
  mixedCaseName,
  defaultRoleMissing,
  reservedMetadataKey,
  listClaimMapping,
  oidcRoleOnJwtMethod,
  unsafeAlgorithm,
  rs256Missing,
  directCallback,
  rootPolicy,
  policyUnknown,
  promiseBroken,
  messageReveals,
  messageTimes,
  messageLink,
  tooManyMessages,
];

/** Rules over a change. */
export const changeRules: ChangeRule[] = [
  administrationGained,
  openToTheInternet,
  identityCanBeChosen,
  lockOut,
  mountLost,
  policyWidened,
  everyoneGains,
  boundRemoved,
  tokenLivesLonger,
  redirectHostAdded,
  messagePublished,
  secretRotated,
  stickyField,
  cannotBeJudged,
];

/** Ids by which an environment turns rules off. */
export const ruleIds: readonly string[] = [...stateRules, ...changeRules].map(({ id }) => id);

/** What is wrong with a graph, worst first. */
export function judgeGraph(graph: Graph, options: RuleOptions = {}): Finding[] {
  const context = contextOf(graph, options);
  return judge(stateRules, options, (rule) => rule.check(graph, context));
}

/** Those of them that are about what the environment promises. */
export function judgePromises(graph: Graph, options: RuleOptions): Finding[] {
  const context = contextOf(graph, options);
  return judge([promiseBroken], options, (rule) => rule.check(graph, context));
}

/** Beside the options of all rules, what judges a change. */
export interface ChangeOptions extends RuleOptions {
  /** Who applies the change, where that is known: guards them against locking themselves out. */
  deployer?: Deployer;
}

/**
 * What is wrong with a change, worst first. What is wrong with the graph after it is for `judgeGraph` to say.
 *
 * @param access who gains and who loses by it, where that was decided already
 */
export function judgeChange(
  change: Change,
  { deployer, ...options }: ChangeOptions = {},
  access: AccessDecision = decideAccess(change, options.now ?? 0n),
): Finding[] {
  const context = {
    ...contextOf(change.after, options),
    access,
    now: options.now ?? 0n,
    ...(deployer && { deployer }),
  };
  return judge(changeRules, options, (rule) => rule.check(change, context));
}

function contextOf(graph: Graph, options: RuleOptions): RuleContext {
  const { service, providers = {}, promises = [], unseen = [], now, complete } = options;
  const recognised = new Map<string, ProviderKind | undefined>();
  return {
    promises,
    unseen,
    ...(now === undefined ? {} : { now }),
    ...(complete === undefined ? {} : { complete }),
    ...(service === undefined ? {} : { service }),
    kindOf: (path) => {
      if (Object.hasOwn(providers, path)) return providers[path]?.kind;
      // Every rule asks for every role, and the answer looks at all of them.
      const method = methodAt(graph.methods, path);
      if (method && !recognised.has(path))
        recognised.set(path, recogniseKind(method, rolesOf(graph.roles, path)));
      return recognised.get(path);
    },
    tokenSecondsOf: (path) => (Object.hasOwn(providers, path) ? providers[path]?.tokenSeconds : undefined),
  };
}

const order = { error: 0, warning: 1, info: 2 };

function judge<Rule extends StateRule | ChangeRule>(
  rules: Rule[],
  { off = {} }: RuleOptions,
  check: (rule: Rule) => Objection[],
): Finding[] {
  return rules
    .filter(({ id }) => !Object.hasOwn(off, id))
    .flatMap((rule) =>
      check(rule).map((objection) => ({
        rule: rule.id,
        severity: rule.severity,
        docs: `docs/rules.md#${rule.id}`,
        ...objection,
      })),
    )
    .sort((one, other) => order[one.severity] - order[other.severity]);
}
