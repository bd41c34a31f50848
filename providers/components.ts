// The component of each kind with the types of its arguments: what a program imports. A nested type has `Args` at its
// end for programs in TypeScript only, as the SDKs of other languages add it themselves.
export * from './access-management-suite.ts';
export * from './bitbucket-pipelines.ts';
export * from './buildkite.ts';
export * from './circleci.ts';
export * from './cloud-directory.ts';
export * from './container-orchestrator.ts';
export * from './enterprise-identity-provider.ts';
export * from './github-actions.ts';
export * from './gitlab-ci.ts';
export * from './hcp-terraform.ts';
export * from './hosted-identity-platform.ts';
export * from './jwt.ts';
export * from './oidc.ts';
export * from './open-source-identity-server.ts';
export * from './source-hosting.ts';
export * from './workspace-suite.ts';
