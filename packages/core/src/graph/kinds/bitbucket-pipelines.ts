import { pipelineKind } from './pipeline-kind.ts';

const uuid = /^\{[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\}$/i;

/**
 * Steps of a source-hosting service's pipelines
 * (https://support.atlassian.com/bitbucket-cloud/docs/integrate-pipelines-with-resource-servers-using-oidc/). Each
 * workspace has its issuer; ids have braces.
 */
export const bitbucketPipelines = pipelineKind({
  kind: 'bitbucket_pipelines',
  products: ['Bitbucket Pipelines', 'Bitbucket'],
  hosts: ['api.bitbucket.org'],
  own: /\/workspaces\/[^/]+/,
  everybody: 'any repository of any workspace',
  anyBranch: 'any branch or tag',
  userClaim: 'repositoryUuid',
  claims: {
    repositoryUuid: { claim: 'repositoryUuid', noun: 'repository', level: 0, id: uuid },
    workspaceUuid: { claim: 'workspaceUuid', noun: 'workspace', level: 1, id: uuid },
    branchName: { claim: 'branchName', noun: 'branch', isBranch: true },
    deploymentEnvironmentUuid: { claim: 'deploymentEnvironmentUuid', noun: 'environment', id: uuid },
  },
  // The repository, the deployment environment if there is one, and the step.
  subject: {
    separator: ':',
    pieces: ['{<repository>}'],
    characters: { repository: '\\da-fA-F-' },
    whose: ['repository'],
    id: 'repositoryUuid',
  },
  telling: ['repositoryUuid', 'workspaceUuid'],
});
