import { pipelineKind } from './pipeline-kind.ts';

const id = /^\d+$/;

/** Claims that a repository may have in its subject, and whose values everyone can choose. */
const chosen = [
  'base_ref',
  'check_run_id',
  'environment',
  'environment_node_id',
  'event_name',
  'head_ref',
  'issuer_scope',
  'job_workflow_ref',
  'job_workflow_sha',
  'ref',
  'ref_protected',
  'ref_type',
  'repository_visibility',
  'run_attempt',
  'run_id',
  'run_number',
  'runner_environment',
  'sha',
  'workflow',
  'workflow_sha',
];

/** Workflows of a source-hosting service (https://docs.github.com/actions/reference/security/oidc). */
export const githubActions = pipelineKind({
  kind: 'github_actions',
  products: ['GitHub Actions', 'GitHub'],
  issuer: 'https://token.actions.githubusercontent.com',
  hosts: ['token.actions.githubusercontent.com'],
  // An enterprise may have its own: the public one with its name behind it.
  own: /^\/[^/]+/,
  everybody: 'any repository of any owner',
  anyBranch: 'any ref',
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
    workflow_ref: '[^/*]+/',
    enterprise: '$never',
    enterprise_id: '$never',
    actor: '$never',
    actor_id: '$never',
  },
  // The second form is that of repositories made, renamed or moved since July 2026. No name has an `@`, and a `:` within a
  // value is written as `%3A`. A repository may have other claims in its subject, or in another order.
  subject: {
    separator: ':',
    pieces: [
      'repo:<owner>/<repository>',
      'repo:<owner>@<owner id>/<repository>@<repository id>',
      'repository_owner:<owner>',
      'repository_owner_id:<owner id>',
      'repository_id:<repository id>',
      'workflow_ref:<owner>/<workflow>',
      'enterprise:<enterprise>',
      'enterprise_id:<enterprise id>',
      'actor:<actor>',
      'actor_id:<actor id>',
      'pull_request',
      'repo_property_<property>:<value>',
      ...chosen.map((claim) => `${claim}:<value>`),
    ],
    characters: { owner: '^:/@', repository: '^:/@', 'owner id': '\\d', 'repository id': '\\d' },
    whose: ['owner', 'owner id', 'repository id', 'enterprise', 'enterprise id', 'actor', 'actor id'],
    id: 'repository_id',
  },
  telling: ['repository_id', 'repository_owner_id'],
});
