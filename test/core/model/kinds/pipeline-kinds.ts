import type { ProviderKind } from '../../../../core/model/kinds/kinds.ts';

const uuid = (digit: number) => `c0ffee0${digit}-1111-4222-8333-444455556666`;

/** A role of each kind for pipelines, a token of a job that it lets in, and changes to it that it does not. */
export interface PipelineCase {
  role: Record<string, unknown>;
  claims: Record<string, unknown>;
  refused: Record<string, unknown>[];
  /** The role in words. */
  whom: string;
}

/** Tokens as each service documents them. */
export const pipelineCases: Partial<Record<ProviderKind, PipelineCase>> = {
  github_actions: {
    role: { repositoryId: 74, environment: ['production', 'staging'] },
    claims: {
      ...{ sub: 'repo:octo-org/octo-repo:environment:production', repository: 'octo-org/octo-repo' },
      ...{ repository_id: '74', repository_owner: 'octo-org', repository_owner_id: '65' },
      ...{ ref: 'refs/heads/main', ref_type: 'branch', environment: 'production', event_name: 'push' },
    },
    refused: [
      { repository_id: '75' },
      { repository_id: 74 },
      { environment: 'test' },
      { environment: undefined },
      { repository_id: undefined },
      { aud: 'https://github.com/octo-org' },
    ],
    whom: 'environment production or staging, any branch of repository 74',
  },
  gitlab_ci: {
    role: { namespaceId: '72', ref: 'release/*', refProtected: true, boundClaimsType: 'glob' },
    claims: {
      ...{ sub: 'project_path:my-group/my-project:ref_type:branch:ref:release/1', namespace_id: '72' },
      ...{ namespace_path: 'my-group', project_id: '20', project_path: 'my-group/my-project' },
      ...{ ref: 'release/1', ref_type: 'branch', ref_protected: 'true', pipeline_source: 'push' },
    },
    refused: [
      { ref: 'main' },
      { ref_protected: 'false' },
      { ref_protected: true },
      { namespace_id: '720' },
      { namespace_id: 72 },
    ],
    whom: 'protected ref, ref like release/* of any project of namespace 72',
  },
  hcp_terraform: {
    role: { workspaceId: ['ws-mbsd5E3Ktt5Rg2Xm'], organizationId: 'org-GRNbCjYNpBB6NEH9', runPhase: 'apply' },
    claims: {
      sub: 'organization:my-org:project:Default:workspace:my-ws:run_phase:apply',
      ...{ terraform_run_phase: 'apply', terraform_workspace_id: 'ws-mbsd5E3Ktt5Rg2Xm' },
      ...{ terraform_organization_id: 'org-GRNbCjYNpBB6NEH9', terraform_project_id: 'prj-vegSA59s1XPwMr2t' },
    },
    refused: [
      { terraform_run_phase: 'plan' },
      { terraform_workspace_id: 'ws-2' },
      { terraform_organization_id: 'org-2' },
    ],
    whom: 'run phase apply of workspace ws-mbsd5E3Ktt5Rg2Xm of organization org-GRNbCjYNpBB6NEH9',
  },
  circleci: {
    role: { projectId: uuid(1), contextIds: uuid(2) },
    claims: {
      sub: `org/${uuid(0)}/project/${uuid(1)}/user/${uuid(3)}`,
      'oidc.circleci.com/project-id': uuid(1),
      'oidc.circleci.com/context-ids': [uuid(4), uuid(2)],
      'oidc.circleci.com/vcs-ref': 'refs/heads/main',
    },
    refused: [
      { 'oidc.circleci.com/project-id': uuid(2) },
      { 'oidc.circleci.com/context-ids': [uuid(4)] },
      { 'oidc.circleci.com/context-ids': undefined },
    ],
    whom: `context ${uuid(2)}, any branch of project ${uuid(1)}`,
  },
  bitbucket_pipelines: {
    role: { repositoryUuid: `{${uuid(1)}}`, branchName: 'main' },
    claims: {
      ...{ sub: `{${uuid(1)}}:{${uuid(5)}}`, repositoryUuid: `{${uuid(1)}}`, workspaceUuid: `{${uuid(0)}}` },
      ...{ branchName: 'main', stepUuid: `{${uuid(5)}}` },
    },
    refused: [{ branchName: 'other' }, { repositoryUuid: uuid(1) }, { repositoryUuid: `{${uuid(2)}}` }],
    whom: `branch main of repository {${uuid(1)}}`,
  },
  buildkite: {
    role: { organizationId: uuid(0), pipelineSlug: 'deploy', buildBranch: 'main' },
    claims: {
      sub: 'organization:acme:pipeline:deploy:ref:refs/heads/main:commit:9f3182:step:build',
      ...{ organization_slug: 'acme', organization_id: uuid(0), pipeline_slug: 'deploy' },
      ...{ pipeline_id: uuid(1), build_branch: 'main', step_key: null },
    },
    refused: [{ organization_id: uuid(9) }, { organization_id: undefined }, { pipeline_slug: 'test' }],
    whom: `pipeline called deploy, branch main of any pipeline of organization ${uuid(0)}`,
  },
};
