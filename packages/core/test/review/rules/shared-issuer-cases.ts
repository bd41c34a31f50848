import { type Case, type Judged, ofKind, workloads } from './rule-case.ts';

/** Rules over issuers whose tokens others can have as well. */
export const sharedIssuerCases: Record<string, Case<Judged, Judged>> = {
  'shared-issuer-unbound': {
    error: {
      'a role of a cluster': ofKind('container_orchestrator', workloads({ boundSubject: undefined })),
      'pipelines of everyone': workloads(
        { boundSubject: undefined },
        { oidcDiscoveryUrl: 'https://token.actions.githubusercontent.com' },
      ),
      'a bare * glob': workloads(
        { boundSubject: undefined, boundClaims: { repository: ['*'] }, boundClaimsType: 'glob' },
        { boundIssuer: 'https://gitlab.com' },
      ),
      ...Object.fromEntries(
        (
          [
            ['token.actions.githubusercontent.com', { ref: 'refs/heads/main' }],
            ['token.actions.githubusercontent.com', { environment: 'production', event_name: 'push' }],
            ['gitlab.com', { ref: 'main', ref_protected: 'true' }],
            ['app.terraform.io', { terraform_run_phase: 'apply' }],
            ['agent.buildkite.com', { pipeline_slug: 'deploy', build_branch: 'main' }],
          ] as const
        ).map(([host, boundClaims]) => [
          `what every job of ${host} can say: ${Object.keys(boundClaims).join(', ')}`,
          workloads({ boundSubject: undefined, boundClaims }, { oidcDiscoveryUrl: `https://${host}` }),
        ]),
      ),
      'what every job can say, of keys by address': workloads(
        { boundSubject: undefined, boundClaims: { ref: 'refs/heads/main' } },
        {
          ...{ oidcDiscoveryUrl: undefined, boundIssuer: undefined },
          jwksUrl: 'https://token.actions.githubusercontent.com/.well-known/jwks',
        },
      ),
      'keys at a complete host name, with its dot': workloads(
        { boundSubject: undefined },
        {
          ...{ oidcDiscoveryUrl: undefined, boundIssuer: undefined },
          jwksUrl: 'https://token.actions.githubusercontent.com./.well-known/jwks',
        },
      ),
      'a glob that every owner fits': workloads(
        {
          ...{ boundSubject: undefined, boundClaims: { repository: 'acme*' } },
          boundClaimsType: 'glob',
        },
        { oidcDiscoveryUrl: 'https://token.actions.githubusercontent.com' },
      ),
    },
    warning: {
      'an issuer of one’s own': workloads({ boundSubject: undefined }),
      'service accounts of any namespace of a cluster': ofKind(
        'container_orchestrator',
        workloads({
          boundSubject: undefined,
          boundClaims: { sub: 'system:serviceaccount:*:web' },
          boundClaimsType: 'glob',
        }),
      ),
      'namespaces whose names begin alike': ofKind(
        'container_orchestrator',
        workloads({
          boundSubject: undefined,
          boundClaims: { '/kubernetes.io/namespace': 'shop*' },
          boundClaimsType: 'glob',
        }),
      ),
      'every project of a source-hosting service of one’s own': ofKind(
        'gitlab_ci',
        workloads({ boundSubject: undefined, boundClaims: { ref: 'main' } }),
      ),
    },
    quiet: {
      'every service account of a namespace': ofKind(
        'container_orchestrator',
        workloads({ boundSubject: undefined, boundClaims: { '/kubernetes.io/namespace': 'shop' } }),
      ),
      'a subject': workloads({}, { oidcDiscoveryUrl: 'https://token.actions.githubusercontent.com' }),
      'a claim': workloads({ boundSubject: undefined, boundClaims: { project_id: '7' } }),
      'an owner of a public service, by id': workloads(
        { boundSubject: undefined, boundClaims: { repository_owner_id: '7' } },
        { oidcDiscoveryUrl: 'https://token.actions.githubusercontent.com' },
      ),
      'the issuer of one organization': workloads(
        { boundSubject: undefined, boundClaims: { 'oidc.circleci.com/vcs-ref': 'refs/heads/main' } },
        { boundIssuer: 'https://oidc.circleci.com/org/7' },
      ),
      'a glob that names someone beside a bare one': workloads({
        boundSubject: undefined,
        boundClaims: { ref: '*', project_id: '7' },
        boundClaimsType: 'glob',
      }),
    },
  },
  'mutable-bound-claim': {
    info: {
      'a repository by its name': workloads({ boundClaims: { repository: 'a/b' } }),
      'a repository by its name, of an owner by id': ofKind(
        'github_actions',
        workloads({
          boundSubject: undefined,
          boundClaims: { repository: 'a/b', repository_owner_id: '7' },
        }),
      ),
    },
    warning: {
      'a repository by its name alone': ofKind(
        'github_actions',
        workloads({ boundSubject: undefined, boundClaims: { repository: 'a/b' } }),
      ),
    },
    quiet: { 'a repository by its id': workloads({ boundClaims: { repository_id: '7' } }) },
  },
};
