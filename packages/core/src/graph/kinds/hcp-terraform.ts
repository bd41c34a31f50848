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
  anyBranch: 'plan and apply',
  userClaim: 'terraform_workspace_id',
  claims: {
    workspaceId: { claim: 'terraform_workspace_id', noun: 'workspace', level: 0, id: /^ws-\w+$/ },
    projectId: { claim: 'terraform_project_id', noun: 'project', level: 1, id: /^prj-\w+$/ },
    organizationId: { claim: 'terraform_organization_id', noun: 'organization', level: 2, id: /^org-\w+$/ },
    organizationName: { claim: 'terraform_organization_name', noun: 'organization', level: 2 },
    runPhase: { claim: 'terraform_run_phase', noun: 'run phase', isBranch: true },
  },
  moreClaims: {
    sub: 'organization:[^:*]+:',
    terraform_full_workspace: 'organization:[^:*]+:',
  },
  telling: ['terraform_workspace_id', 'terraform_project_id', 'terraform_organization_id'],
});
