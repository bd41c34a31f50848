import { pipelineKind } from './pipeline-kind.ts';

/**
 * Runs of an infrastructure orchestration platform
 * (https://developer.hashicorp.com/terraform/enterprise/dynamic-provider-credentials/workload-identity-tokens).
 */
export const hcpTerraform = pipelineKind({
  kind: 'hcp_terraform',
  products: ['HCP Terraform', 'Terraform Cloud', 'Terraform Enterprise'],
  issuer: 'https://app.terraform.io',
  hosts: ['app.terraform.io'],
  everybody: 'any project',
  anyBranch: 'any run phase',
  anyInnermost: 'any workspace, stack or module',
  userClaim: 'terraform_workspace_id',
  claims: {
    workspaceId: { claim: 'terraform_workspace_id', noun: 'workspace', level: 0, id: /^ws-\w+$/ },
    projectId: { claim: 'terraform_project_id', noun: 'project', level: 1, id: /^prj-\w+$/ },
    organizationId: { claim: 'terraform_organization_id', noun: 'organization', level: 2, id: /^org-\w+$/ },
    organizationName: { claim: 'terraform_organization_name', noun: 'organization', level: 2 },
    runPhase: { claim: 'terraform_run_phase', noun: 'run phase', isBranch: true },
  },
  moreClaims: { terraform_full_workspace: 'organization:[^:*]+:' },
  // The run of a workspace, of a stack, or the test of a module.
  subject: {
    separator: ':',
    pieces: [
      'organization:<organization>',
      ...['project', 'workspace', 'run_phase', 'stack', 'deployment', 'module', 'operation'].map(
        (name) => `${name}:<${name}>`,
      ),
    ],
    characters: {},
    whose: ['organization'],
    id: 'terraform_workspace_id',
  },
  telling: ['terraform_workspace_id', 'terraform_project_id', 'terraform_organization_id'],
});
