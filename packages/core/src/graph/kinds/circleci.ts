import { uuid } from '../values/uuid.ts';
import { pipelineKind } from './pipeline-kind.ts';

/** Jobs of a pipeline service (https://circleci.com/docs/openid-connect-tokens/). Each organization has its issuer. */
export const circleci = pipelineKind({
  kind: 'circleci',
  products: ['CircleCI'],
  hosts: ['oidc.circleci.com'],
  own: /^\/org\/[^/]+/,
  everybody: 'any project of any organization',
  anyBranch: 'any ref',
  userClaim: 'oidc.circleci.com/project-id',
  claims: {
    projectId: { claim: 'oidc.circleci.com/project-id', noun: 'project', level: 0, id: uuid },
    vcsRef: { claim: 'oidc.circleci.com/vcs-ref', noun: 'ref', isBranch: true },
    vcsOrigin: { claim: 'oidc.circleci.com/vcs-origin', noun: 'origin' },
    contextIds: { claim: 'oidc.circleci.com/context-ids', noun: 'context', id: uuid },
  },
  // A project’s people choose what comes after its user: the branch, with any slashes.
  subject: {
    separator: '/',
    pieces: [
      'org/<organization>',
      'project/<project>',
      'user/<user>',
      'vcs-origin/<origin>',
      'vcs-ref/<ref>',
    ],
    characters: { organization: '\\da-fA-F-', project: '\\da-fA-F-' },
    whose: ['organization', 'project'],
    id: 'oidc.circleci.com/project-id',
  },
  telling: ['oidc.circleci.com/project-id'],
});
