import { uuid } from '../values/uuid.ts';
import { pipelineKind } from './pipeline-kind.ts';

/**
 * Jobs of a pipeline service (https://buildkite.com/docs/agent/cli/reference/oidc). A token has the ids only if its job
 * asks for them.
 */
export const buildkite = pipelineKind({
  kind: 'buildkite',
  products: ['Buildkite'],
  issuer: 'https://agent.buildkite.com',
  hosts: ['agent.buildkite.com'],
  everybody: 'any pipeline of any organization',
  anyBranch: 'any branch',
  userClaim: 'pipeline_id',
  claims: {
    pipelineId: { claim: 'pipeline_id', noun: 'pipeline', level: 0, id: uuid },
    organizationId: { claim: 'organization_id', noun: 'organization', level: 1, id: uuid },
    organizationSlug: { claim: 'organization_slug', noun: 'organization', level: 1 },
    pipelineSlug: { claim: 'pipeline_slug', noun: 'pipeline called' },
    buildBranch: { claim: 'build_branch', noun: 'branch', isBranch: true },
    stepKey: { claim: 'step_key', noun: 'step' },
  },
  moreClaims: { cluster_id: '$never' },
  // A job may ask for one id as the whole of its subject.
  subject: {
    separator: ':',
    pieces: [
      'organization:<organization>',
      'pipeline:<pipeline>',
      'ref:<ref>',
      'commit:<commit>',
      'step:<step>',
      '<id>',
    ],
    characters: { id: '\\da-fA-F-' },
    whose: ['organization', 'id'],
    id: 'pipeline_id',
  },
});
