import { accessManagementSuite } from './access-management-suite.ts';
import { cloudDirectory } from './cloud-directory.ts';
import { containerOrchestrator } from './container-orchestrator.ts';
import { enterpriseIdentityProvider } from './enterprise-identity-provider.ts';
import { hostedIdentityPlatform } from './hosted-identity-platform.ts';
import { openSourceIdentityServer } from './open-source-identity-server.ts';
import { sourceHosting } from './source-hosting.ts';
import { workspaceSuite } from './workspace-suite.ts';

/** The kinds by their identifiers. */
export const kinds = {
  cloud_directory: cloudDirectory,
  hosted_identity_platform: hostedIdentityPlatform,
  access_management_suite: accessManagementSuite,
  source_hosting: sourceHosting,
  workspace_suite: workspaceSuite,
  open_source_identity_server: openSourceIdentityServer,
  enterprise_identity_provider: enterpriseIdentityProvider,
  container_orchestrator: containerOrchestrator,
} as const;
