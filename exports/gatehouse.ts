/**
 * What a Pulumi program is made of: the environment that its stack declares, or the components one by one. Imports
 * Pulumi's SDK.
 *
 * @module
 */
export { AuthMethod, type AuthMethodArgs, type AuthMethodTuneArgs } from '../components/auth-method.ts';
export { CustomMessage, type CustomMessageArgs } from '../components/custom-message.ts';
export { ExternalGroup, type ExternalGroupArgs } from '../components/external-group.ts';
export { InternalGroup, type InternalGroupArgs } from '../components/internal-group.ts';
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
  type BitbucketPipelinesRoleArgs,
} from '../providers/bitbucket-pipelines.ts';
export { Buildkite, type BuildkiteArgs, type BuildkiteRoleArgs } from '../providers/buildkite.ts';
export { Circleci, type CircleciArgs, type CircleciRoleArgs } from '../providers/circleci.ts';
export {
  CloudDirectory,
  type CloudDirectoryArgs,
  type DirectoryApplicationArgs,
} from '../providers/cloud-directory.ts';
export {
  type ClusterArgs,
  ContainerOrchestrator,
  type ContainerOrchestratorArgs,
  type ServiceAccountRoleArgs,
} from '../providers/container-orchestrator.ts';
export {
  EnterpriseIdentityProvider,
  type EnterpriseIdentityProviderArgs,
} from '../providers/enterprise-identity-provider.ts';
export {
  GithubActions,
  type GithubActionsArgs,
  type GithubActionsRoleArgs,
} from '../providers/github-actions.ts';
export { GitlabCi, type GitlabCiArgs, type GitlabCiRoleArgs } from '../providers/gitlab-ci.ts';
export {
  HcpTerraform,
  type HcpTerraformArgs,
  type HcpTerraformRoleArgs,
} from '../providers/hcp-terraform.ts';
export {
  HostedIdentityPlatform,
  type HostedIdentityPlatformArgs,
} from '../providers/hosted-identity-platform.ts';
export { type JwksPairArgs, Jwt, type JwtArgs } from '../providers/jwt.ts';
export { Oidc, type OidcArgs } from '../providers/oidc.ts';
export {
  OpenSourceIdentityServer,
  type OpenSourceIdentityServerArgs,
} from '../providers/open-source-identity-server.ts';
export { type ProjectedTokenArgs, projectedToken, type TokenVolume } from '../providers/projected-token.ts';
export type {
  BoundInput,
  GroupArgs,
  OidcProviderArgs,
  PipelineArgs,
  ProviderArgs,
  ProviderConfigArgs,
  ProviderRoleArgs,
  ProviderTuneArgs,
  ServiceArgs,
} from '../providers/provider-args.ts';
export { SourceHosting, type SourceHostingArgs } from '../providers/source-hosting.ts';
export {
  type WorkspaceDirectoryArgs,
  WorkspaceSuite,
  type WorkspaceSuiteArgs,
} from '../providers/workspace-suite.ts';
export { buildEnvironment, type EnvironmentOutputs, type MethodOutputs } from '../stacks/environment.ts';
