import { AccessManagementSuite } from './access-management-suite.ts';
import { BitbucketPipelines } from './bitbucket-pipelines.ts';
import { Buildkite } from './buildkite.ts';
import { Circleci } from './circleci.ts';
import { CloudDirectory } from './cloud-directory.ts';
import { ContainerOrchestrator } from './container-orchestrator.ts';
import { EnterpriseIdentityProvider } from './enterprise-identity-provider.ts';
import { GithubActions } from './github-actions.ts';
import { GitlabCi } from './gitlab-ci.ts';
import { HcpTerraform } from './hcp-terraform.ts';
import { HostedIdentityPlatform } from './hosted-identity-platform.ts';
import { Jwt } from './jwt.ts';
import { Oidc } from './oidc.ts';
import { OpenSourceIdentityServer } from './open-source-identity-server.ts';
import { SourceHosting } from './source-hosting.ts';
import { WorkspaceSuite } from './workspace-suite.ts';

/** The component of each provider kind. */
export const providers = {
  cloud_directory: CloudDirectory,
  hosted_identity_platform: HostedIdentityPlatform,
  access_management_suite: AccessManagementSuite,
  source_hosting: SourceHosting,
  workspace_suite: WorkspaceSuite,
  open_source_identity_server: OpenSourceIdentityServer,
  enterprise_identity_provider: EnterpriseIdentityProvider,
  container_orchestrator: ContainerOrchestrator,
  oidc: Oidc,
  jwt: Jwt,
  github_actions: GithubActions,
  gitlab_ci: GitlabCi,
  hcp_terraform: HcpTerraform,
  circleci: Circleci,
  bitbucket_pipelines: BitbucketPipelines,
  buildkite: Buildkite,
} as const;
