import { type Case, type Judged, ofKind, workloads } from './rule-case.ts';

const github = { oidcDiscoveryUrl: 'https://token.actions.githubusercontent.com' };
/** Workloads that bind no subject, but these claims. */
const claiming = (boundClaims?: object, config: object = {}) =>
  workloads({ boundSubject: undefined, ...(boundClaims && { boundClaims }) }, config);
const globbing = (boundClaims: object, config: object = {}) =>
  workloads({ boundSubject: undefined, boundClaims, boundClaimsType: 'glob' }, config);
const keysAt = (host: string) => ({
  oidcDiscoveryUrl: undefined,
  boundIssuer: undefined,
  jwksUrl: `https://${host}/.well-known/jwks`,
});
/** Claims that every job of a service can have. */
const ofAnyJob: [host: string, claims: object][] = [
  ['token.actions.githubusercontent.com', { ref: 'refs/heads/main' }],
  ['token.actions.githubusercontent.com', { environment: 'production', event_name: 'push' }],
  ['gitlab.com', { ref: 'main', ref_protected: 'true' }],
  ['app.terraform.io', { terraform_run_phase: 'apply' }],
  ['agent.buildkite.com', { pipeline_slug: 'deploy', build_branch: 'main' }],
];
const inNamespace = (name: string) => ({ '/kubernetes.io/namespace': name });
const byName = { repository: 'a/b' };

/** Rules over issuers whose tokens others can have as well. */
export const sharedIssuerCases: Record<string, Case<Judged, Judged>> = {
  'shared-issuer-unbound': {
    error: {
      'a role of a cluster': ofKind('container_orchestrator', claiming()),
      'pipelines of everyone': claiming(undefined, github),
      'a bare * glob': globbing({ repository: ['*'] }, { boundIssuer: 'https://gitlab.com' }),
      ...Object.fromEntries(
        ofAnyJob.map(([host, claims]) => [
          `what every job of ${host} can say: ${Object.keys(claims).join(', ')}`,
          claiming(claims, { oidcDiscoveryUrl: `https://${host}` }),
        ]),
      ),
      'what every job can say, of keys by address': claiming(
        { ref: 'refs/heads/main' },
        keysAt('token.actions.githubusercontent.com'),
      ),
      'keys at a complete host name, with its dot': claiming(
        undefined,
        keysAt('token.actions.githubusercontent.com.'),
      ),
      'a glob that every owner fits': globbing({ repository: 'acme*' }, github),
      'a subject that does not end an owner’s name': globbing({ sub: 'repo:acme*/shop:*' }, github),
      'a subject with an id and any name': globbing({ sub: 'repo:*@7/*' }, github),
      'a subject that a repository may be set to have': workloads(
        { boundSubject: 'environment:prod' },
        github,
      ),
    },
    warning: {
      'an issuer of one’s own': claiming(),
      'service accounts of any namespace of a cluster': ofKind(
        'container_orchestrator',
        globbing({ sub: 'system:serviceaccount:*:web' }),
      ),
      'namespaces whose names begin alike': ofKind('container_orchestrator', globbing(inNamespace('shop*'))),
      'every project of a source-hosting service of one’s own': ofKind(
        'gitlab_ci',
        claiming({ ref: 'main' }),
      ),
    },
    quiet: {
      'every service account of a namespace': ofKind('container_orchestrator', claiming(inNamespace('shop'))),
      'a subject': workloads({}, github),
      'a claim': claiming({ project_id: '7' }),
      'an owner’s subjects': globbing({ sub: 'repo:acme/*' }, github),
      'an owner’s subjects with any ids': globbing(
        { sub: ['repo:acme@*/*', 'repo:acme@*/shop@*:*'] },
        github,
      ),
      'an owner of a public service, by id': claiming({ repository_owner_id: '7' }, github),
      'the issuer of one organization': claiming(
        { 'oidc.circleci.com/vcs-ref': 'refs/heads/main' },
        { boundIssuer: 'https://oidc.circleci.com/org/7' },
      ),
      'a glob that names someone beside a bare one': globbing({ ref: '*', project_id: '7' }),
    },
  },
  'mutable-bound-claim': {
    info: {
      'a repository by its name': workloads({ boundClaims: byName }),
      'a repository by its name, of an owner by id': ofKind(
        'github_actions',
        claiming({ ...byName, repository_owner_id: '7' }),
      ),
    },
    warning: { 'a repository by its name alone': ofKind('github_actions', claiming(byName)) },
    quiet: { 'a repository by its id': workloads({ boundClaims: { repository_id: '7' } }) },
  },
};
