export { type DeclaredProvider, declare, declareProvider, providerIn } from './declared.ts';
export { Confirm, runTaskTiming } from './deployment-settings.ts';
export { endsOf } from './ends.ts';
export {
  type Environment,
  identityPath,
  type Provider,
  parseEnvironment,
  type ServiceSettings,
} from './environment.ts';
export { secretOwnersIn } from './environment-checks.ts';
export { type ConfigSource, givenInConfig, whereIn } from './environment-config.ts';
export { byNamespace } from './namespaces.ts';
export { redirectUris, runPagesCallback, runPagesIssuerCallback } from './redirect-uris.ts';
export { resolveEnvironment } from './resolve.ts';
export { reviewSettings } from './review-settings.ts';
export type { SecretOwner } from './secret-checks.ts';
export { hasSecretInClear, inClearInStackFile } from './secrets-in-clear.ts';
export { serviceAccountKeyProblem } from './service-account-key.ts';
export { type Position, stackPositions } from './stack-positions.ts';
export { type NamespaceGraph, tokenPolicies } from './token-policies.ts';
