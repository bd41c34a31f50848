import { pipelineKind } from './pipeline-kind.ts';

const id = /^\d+$/;

/** Pipelines of a source-hosting service (https://docs.gitlab.com/ci/secrets/id_token_authentication). */
export const gitlabCi = pipelineKind({
  kind: 'gitlab_ci',
  products: ['GitLab CI', 'GitLab CI/CD', 'GitLab Pipelines'],
  issuer: 'https://gitlab.com',
  hosts: ['gitlab.com'],
  everybody: 'any project',
  anyBranch: 'any ref',
  userClaim: 'project_id',
  claims: {
    projectId: { claim: 'project_id', noun: 'project', level: 0, id },
    namespaceId: { claim: 'namespace_id', noun: 'namespace', level: 1, id },
    projectPath: { claim: 'project_path', noun: 'project', level: 0, whose: '[^/*]+/' },
    namespacePath: { claim: 'namespace_path', noun: 'namespace', level: 1, whose: '[^/*]+/' },
    ref: { claim: 'ref', noun: 'ref', isBranch: true },
    refType: { claim: 'ref_type', noun: 'ref type' },
    refProtected: { claim: 'ref_protected', noun: 'protected ref', isFlag: true, isOfBranch: true },
    environment: { claim: 'environment', noun: 'environment' },
    environmentProtected: { claim: 'environment_protected', noun: 'protected environment', isFlag: true },
    pipelineSource: { claim: 'pipeline_source', noun: 'pipeline source' },
  },
  moreClaims: {
    ci_config_ref_uri: 'gitlab.com/[^/*]+/',
    user_id: '$never',
    user_login: '$never',
    user_email: '.*@[^*@]+$',
  },
  // Always begins with the project; what follows is a setting of it. The name of a ref has no `:`.
  subject: {
    separator: ':',
    pieces: ['project_path:<group>/<project>', 'ref_type:<ref type>', 'ref:<ref>'],
    characters: { group: '^:/' },
    whose: ['group'],
    id: 'project_id',
  },
  telling: ['project_path', 'namespace_id', 'namespace_path', 'ref_protected'],
});
