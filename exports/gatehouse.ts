/**
 * What a Pulumi program is made of: the environment that its stack declares, or the components one by one. Imports
 * Pulumi's SDK.
 *
 * @module
 */
export {
  AuthMethod,
  type AuthMethodArgs,
  type Tune as AuthMethodTuneArgs,
  type Tune as ProviderTuneArgs,
} from '../components/auth-method.ts';
export { CustomMessage, type CustomMessageArgs } from '../components/custom-message.ts';
export { ExternalGroup, type ExternalGroupArgs } from '../components/external-group.ts';
export { InternalGroup, type InternalGroupArgs } from '../components/internal-group.ts';
export type { TextsInput as BoundInput } from '../components/plain-inputs.ts';
export { Policy, type PolicyArgs } from '../components/policy.ts';
export { Role, type RoleArgs } from '../components/role.ts';
export { GatehouseError } from '../core/model/values/errors.ts';
export {
  AccessManagementSuite,
  type AccessManagementSuiteArgs,
} from '../providers/access-management-suite.ts';
export {
  BitbucketPipelines,
  type BitbucketPipelinesArgs,
  type BitbucketPipelinesRole as BitbucketPipelinesRoleArgs,
} from '../providers/bitbucket-pipelines.ts';
export {
  Buildkite,
  type BuildkiteArgs,
  type BuildkiteRole as BuildkiteRoleArgs,
} from '../providers/buildkite.ts';
export { Circleci, type CircleciArgs, type CircleciRole as CircleciRoleArgs } from '../providers/circleci.ts';
export {
  CloudDirectory,
  type CloudDirectoryArgs,
  type DirectoryApplication as DirectoryApplicationArgs,
} from '../providers/cloud-directory.ts';
export {
  type Cluster as ClusterArgs,
  ContainerOrchestrator,
  type ContainerOrchestratorArgs,
  type ServiceAccountRole as ServiceAccountRoleArgs,
} from '../providers/container-orchestrator.ts';
export {
  EnterpriseIdentityProvider,
  type EnterpriseIdentityProviderArgs,
} from '../providers/enterprise-identity-provider.ts';
export {
  GithubActions,
  type GithubActionsArgs,
  type GithubActionsRole as GithubActionsRoleArgs,
} from '../providers/github-actions.ts';
export {
  GitlabCi,
  type GitlabCiArgs,
  type GitlabCiRole as GitlabCiRoleArgs,
} from '../providers/gitlab-ci.ts';
export {
  HcpTerraform,
  type HcpTerraformArgs,
  type HcpTerraformRole as HcpTerraformRoleArgs,
} from '../providers/hcp-terraform.ts';
export {
  HostedIdentityPlatform,
  type HostedIdentityPlatformArgs,
} from '../providers/hosted-identity-platform.ts';
export { type JwksPair as JwksPairArgs, Jwt, type JwtArgs } from '../providers/jwt.ts';
export { Oidc, type OidcArgs } from '../providers/oidc.ts';
export {
  OpenSourceIdentityServer,
  type OpenSourceIdentityServerArgs,
} from '../providers/open-source-identity-server.ts';
export { type ProjectedTokenArgs, projectedToken, type TokenVolume } from '../providers/projected-token.ts';
export type {
  Group as GroupArgs,
  OidcProviderArgs,
  PipelineArgs,
  ProviderArgs,
  ProviderConfig as ProviderConfigArgs,
  ProviderRole as ProviderRoleArgs,
  Service as ServiceArgs,
} from '../providers/provider-args.ts';
export { SourceHosting, type SourceHostingArgs } from '../providers/source-hosting.ts';
export {
  type WorkspaceDirectory as WorkspaceDirectoryArgs,
  WorkspaceSuite,
  type WorkspaceSuiteArgs,
} from '../providers/workspace-suite.ts';
export { buildEnvironment, type EnvironmentOutputs, type MethodOutputs } from '../stacks/environment.ts';
