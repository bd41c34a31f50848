import { pipelineKind } from './pipeline-kind.ts';

const id = /^\d+$/;

/** Workflows of a source-hosting service (https://docs.github.com/actions/reference/security/oidc). */
export const githubActions = pipelineKind({
  kind: 'github_actions',
  products: ['GitHub Actions', 'GitHub'],
  issuer: 'https://token.actions.githubusercontent.com',
  hosts: ['token.actions.githubusercontent.com'],
  // An enterprise may have its own: the public one with its name behind it.
  own: /^\/[^/]+/,
  everybody: 'any repository of any owner',
  anyBranch: 'any branch',
  userClaim: 'repository_id',
  claims: {
    repositoryId: { claim: 'repository_id', noun: 'repository', level: 0, id },
    repositoryOwnerId: { claim: 'repository_owner_id', noun: 'owner', level: 1, id },
    repository: { claim: 'repository', noun: 'repository', level: 0, whose: '[^/*]+/' },
    repositoryOwner: { claim: 'repository_owner', noun: 'owner', level: 1 },
    ref: { claim: 'ref', noun: 'ref', isBranch: true },
    environment: { claim: 'environment', noun: 'environment' },
    eventName: { claim: 'event_name', noun: 'event' },
    jobWorkflowRef: { claim: 'job_workflow_ref', noun: 'reusable workflow' },
  },
  moreClaims: {
    sub: 'repo(sitory_owner)?:[^/:*]+[/:]',
    workflow_ref: '[^/*]+/',
    enterprise: '$never',
    enterprise_id: '$never',
    actor: '$never',
    actor_id: '$never',
  },
  telling: ['repository_id', 'repository_owner_id'],
});
