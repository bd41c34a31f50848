export { canonicalOf } from './canonical.ts';
export type { Change } from './change.ts';
export type { Exception } from './exception-settings.ts';
export {
  emptyGraph,
  type Graph,
  type Identity,
  isComplete,
  isWhole,
  type ServiceGraph,
  sizeOf,
} from './graph.ts';
export type { Difference } from './graph-difference.ts';
export {
  anyServiceAccount,
  mountedTokenSeconds,
  namespaceClaim,
} from './kinds/container-orchestrator.ts';
export { baseSetting, fillIssuer, type ProviderSettings, tuneSettings } from './kinds/kind.ts';
export {
  adoptedSettings,
  kindById,
  kinds,
  type ProviderKind,
  productOf,
  providerKinds,
  secretsOf,
} from './kinds/kinds.ts';
export { delegatedScopes } from './kinds/workspace-suite.ts';
export {
  apartList,
  apartSubject,
  isApart,
  isKnownAs,
  type KnownAccess,
  type KnownName,
  knownOf,
  knownWords,
} from './known.ts';
export { type LiveGraph, liveGraphOf } from './live/live-graph.ts';
export type { Unreadable } from './live/live-groups.ts';
export { entityFromWire, otherMethodReads } from './live/live-others.ts';
export type { CredentialSource, PkiEngine } from './nodes/credential-source.ts';
export { acmeOrders, identityTokenRole, pkiRole } from './nodes/credential-wire.ts';
export { isLoginEnforcement } from './nodes/guard.ts';
export { entityOfNode, groupOfNode, methodOf, ofKind, wordsOf } from './nodes/other-node.ts';
export { otherRole } from './nodes/other-role.ts';
export { Acl } from './policies/acl.ts';
export { HclError } from './policies/hcl.ts';
export { openAt, openPathsIn } from './policies/open-paths.ts';
export { type PathRule, parsePolicy, pathBlocks } from './policies/parse-policy.ts';
export { attributes } from './policies/policy-attributes.ts';
export { policyProblems } from './policies/policy-problems.ts';
export { needsSudo, sudoPathsIn } from './policies/sudo-paths.ts';
export { jwksFrom } from './public-keys.ts';
export {
  type AuthMethod,
  configFields,
  isMethodType,
  type MethodConfig,
  method,
  methodConfigFromWire,
  ownConfigFields,
  tuneFields,
  withoutKey,
} from './resources/auth-method.ts';
export { type BoundClaims, type BoundValue, fitsOfficialRole, hasComma } from './resources/bound-claims.ts';
export { methodPath } from './resources/checks.ts';
export {
  decodeMessage,
  encodeMessage,
  isActive,
  type MessageState,
  MessageType,
  message,
  messageFields,
  messageResourceName,
  messageSettings,
  messageState,
} from './resources/custom-message.ts';
export { entity } from './resources/entity.ts';
export {
  group,
  groupFields,
} from './resources/external-group.ts';
export {
  canonicalFields,
  checked,
  type Field,
  type Fields,
  type FieldType,
  fieldNamed,
  isDuration,
  isSame,
  shapeOf,
  sortedJson,
  wireNameIn,
} from './resources/field.ts';
export { alias, aliasFields } from './resources/group-alias.ts';
export { type InternalGroup, internalGroupSettings, membersFirst } from './resources/internal-group.ts';
export { personSegments } from './resources/method-lists.ts';
export { namesPerson } from './resources/other-methods.ts';
export { canonicalPolicyNames, type Policy, policy, policyFields } from './resources/policy.ts';
export { providerConfigToWire } from './resources/provider-config.ts';
export { type Refusal, roleRefusals } from './resources/refusals.ts';
export {
  type AnyResource,
  namesIn,
  partsIn,
  resourceOfPulumi,
  resources,
} from './resources/resources.ts';
export {
  endpointToken,
  type Role,
  type RoleFields,
  role,
  roleAt,
  roleFields,
  roleFromWire,
  rolePath,
  roleToken,
  stickyFields,
} from './resources/role.ts';
export { roleBody } from './resources/role-body.ts';
export {
  isSubjectNamed,
  methodSubject,
  nameableParts,
  roleSubject,
  type Subject,
  subjectKey,
  subjectName,
  subjectOf,
  subjectWithin,
} from './subject.ts';
export { formatDuration, parseDuration } from './values/duration.ts';
export { canonicalInstant, formatInstant, parseInstant } from './values/instant.ts';
export { defined, objectOf, textOf, textsOf, trimmed } from './values/loose-values.ts';
export {
  nameOfNamespace,
  namespaceAbove,
  namespaceBelow,
  namespaceName,
  namespaceWithin,
  patternWithin,
  reservedNames,
} from './values/namespace-path.ts';
export { describeProblem, didYouMean } from './values/problem.ts';
export { textList } from './values/text-list.ts';
export { readYaml, yamlValue } from './values/yaml-document.ts';
