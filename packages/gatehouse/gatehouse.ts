/**
 * What a Pulumi program is made of: the environment that its stack declares, or the components one by one. Imports
 * Pulumi's SDK.
 *
 * @module
 */

export { GatehouseError } from '@gatehouse/core/values';
export {
  AuthMethod,
  type AuthMethodArgs,
  type Tune as AuthMethodTuneArgs,
  type Tune as ProviderTuneArgs,
} from '../../components/auth-method.ts';
export { CustomMessage, type CustomMessageArgs } from '../../components/custom-message.ts';
export { ExternalGroup, type ExternalGroupArgs } from '../../components/external-group.ts';
export type { DurationInput, TextsInput as BoundInput } from '../../components/inputs.ts';
export { InternalGroup, type InternalGroupArgs } from '../../components/internal-group.ts';
export { Namespace, type NamespaceArgs } from '../../components/namespace.ts';
export { Policy, type PolicyArgs } from '../../components/policy.ts';
export { Role, type RoleArgs } from '../../components/role.ts';
export * from '../../providers/components.ts';
export {
  type ProjectedTokenArgs,
  projectedToken,
  type TokenVolume,
} from '../../providers/projected-token.ts';
export type {
  Group as GroupArgs,
  OidcProviderArgs,
  PipelineArgs,
  ProviderArgs,
  ProviderConfig as ProviderConfigArgs,
  ProviderRole as ProviderRoleArgs,
  Service as ServiceArgs,
} from '../../providers/provider-args.ts';
export {
  buildEnvironment,
  type EnvironmentOptions,
  type EnvironmentOutputs,
  type MethodOutputs,
} from '../../stacks/environment.ts';
