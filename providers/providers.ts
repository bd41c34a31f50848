import { AccessManagementSuite } from './access-management-suite.ts';
import { CloudDirectory } from './cloud-directory.ts';
import { ContainerOrchestrator } from './container-orchestrator.ts';
import { EnterpriseIdentityProvider } from './enterprise-identity-provider.ts';
import { HostedIdentityPlatform } from './hosted-identity-platform.ts';
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
} as const;
