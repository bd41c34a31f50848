import { type Case, kind, workloads } from './rule-case.ts';

/** Rules over issuers whose tokens others can have as well. */
export const sharedIssuerCases: Record<string, Case> = {
  'shared-issuer-unbound': {
    fires: [
      [
        'a role of a cluster',
        workloads({ boundSubject: undefined }),
        'error',
        kind('container_orchestrator'),
      ],
      [
        'pipelines of everyone',
        workloads(
          { boundSubject: undefined },
          { oidcDiscoveryUrl: 'https://token.actions.githubusercontent.com' },
        ),
        'error',
      ],
      [
        'a bare * glob',
        workloads(
          { boundSubject: undefined, boundClaims: { repository: ['*'] }, boundClaimsType: 'glob' },
          { boundIssuer: 'https://gitlab.com' },
        ),
        'error',
      ],
      ['an issuer of one’s own', workloads({ boundSubject: undefined }), 'warning'],
      [
        'service accounts of any namespace of a cluster',
        workloads({
          boundSubject: undefined,
          boundClaims: { sub: 'system:serviceaccount:*:web' },
          boundClaimsType: 'glob',
        }),
        'warning',
        kind('container_orchestrator'),
      ],
      [
        'namespaces whose names begin alike',
        workloads({
          boundSubject: undefined,
          boundClaims: { '/kubernetes.io/namespace': 'shop*' },
          boundClaimsType: 'glob',
        }),
        'warning',
        kind('container_orchestrator'),
      ],
      ...(
        [
          ['token.actions.githubusercontent.com', { ref: 'refs/heads/main' }],
          ['token.actions.githubusercontent.com', { environment: 'production', event_name: 'push' }],
          ['gitlab.com', { ref: 'main', ref_protected: 'true' }],
          ['app.terraform.io', { terraform_run_phase: 'apply' }],
          ['agent.buildkite.com', { pipeline_slug: 'deploy', build_branch: 'main' }],
        ] as const
      ).map(([host, boundClaims]): Case['fires'][number] => [
        `what every job of ${host} can say: ${Object.keys(boundClaims).join(', ')}`,
        workloads({ boundSubject: undefined, boundClaims }, { oidcDiscoveryUrl: `https://${host}` }),
        'error',
      ]),
      [
        'what every job can say, of keys by address',
        workloads(
          { boundSubject: undefined, boundClaims: { ref: 'refs/heads/main' } },
          {
            ...{ oidcDiscoveryUrl: undefined, boundIssuer: undefined },
            jwksUrl: 'https://token.actions.githubusercontent.com/.well-known/jwks',
          },
        ),
        'error',
      ],
      [
        'keys at a complete host name, with its dot',
        workloads(
          { boundSubject: undefined },
          {
            ...{ oidcDiscoveryUrl: undefined, boundIssuer: undefined },
            jwksUrl: 'https://token.actions.githubusercontent.com./.well-known/jwks',
          },
        ),
        'error',
      ],
      [
        'a glob that every owner fits',
        workloads(
          {
            ...{ boundSubject: undefined, boundClaims: { repository: 'acme*' } },
            boundClaimsType: 'glob',
          },
          { oidcDiscoveryUrl: 'https://token.actions.githubusercontent.com' },
        ),
        'error',
      ],
      [
        'every project of a source-hosting service of one’s own',
        workloads({ boundSubject: undefined, boundClaims: { ref: 'main' } }),
        'warning',
        kind('gitlab_ci'),
      ],
    ],
    quiet: [
      [
        'every service account of a namespace',
        workloads({ boundSubject: undefined, boundClaims: { '/kubernetes.io/namespace': 'shop' } }),
        kind('container_orchestrator'),
      ],
      ['a subject', workloads({}, { oidcDiscoveryUrl: 'https://token.actions.githubusercontent.com' })],
      ['a claim', workloads({ boundSubject: undefined, boundClaims: { project_id: '7' } })],
      [
        'an owner of a public service, by id',
        workloads(
          { boundSubject: undefined, boundClaims: { repository_owner_id: '7' } },
          { oidcDiscoveryUrl: 'https://token.actions.githubusercontent.com' },
        ),
      ],
      [
        'the issuer of one organization',
        workloads(
          { boundSubject: undefined, boundClaims: { 'oidc.circleci.com/vcs-ref': 'refs/heads/main' } },
          { boundIssuer: 'https://oidc.circleci.com/org/7' },
        ),
      ],
      [
        'a glob that names someone beside a bare one',
        workloads({
          boundSubject: undefined,
          boundClaims: { ref: '*', project_id: '7' },
          boundClaimsType: 'glob',
        }),
      ],
    ],
  },
  'mutable-bound-claim': {
    fires: [
      ['a repository by its name', workloads({ boundClaims: { repository: 'a/b' } }), 'info'],
      [
        'a repository by its name alone',
        workloads({ boundSubject: undefined, boundClaims: { repository: 'a/b' } }),
        'warning',
        kind('github_actions'),
      ],
      [
        'a repository by its name, of an owner by id',
        workloads({
          boundSubject: undefined,
          boundClaims: { repository: 'a/b', repository_owner_id: '7' },
        }),
        'info',
        kind('github_actions'),
      ],
    ],
    quiet: [['a repository by its id', workloads({ boundClaims: { repository_id: '7' } })]],
  },
};
