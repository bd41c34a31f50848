import fc from 'fast-check';
import type { SignInSetup } from '../../../../../test/harness/sign-in-pairs.ts';
import { kindById, type ProviderKind, providerKinds } from '../../../src/graph/kinds/kinds.ts';
import type { Role } from '../../../src/graph/resources/role.ts';

const uuid = 'c0ffee00-1111-4222-8333-444455556666';

/** Of each kind whose roles have words of their own: an issuer, and its claims with values that they really have. */
const worlds: Partial<Record<ProviderKind, { issuer: string; claims: Record<string, string[]> }>> = {
  github_actions: {
    issuer: 'https://token.actions.githubusercontent.com',
    claims: {
      sub: ['repo:acme/shop:ref:refs/heads/main', 'repo:acme@*/shop@*:*'],
      repository: ['acme/shop', 'acme/*', '42'],
      repository_id: ['42', '17'],
      repository_owner: ['acme', '7'],
      repository_owner_id: ['7', 'acme'],
      ref: ['refs/heads/main', 'refs/tags/*'],
      ref_type: ['tag', 'branch'],
      environment: ['production', 'on call'],
      event_name: ['push'],
      job_workflow_ref: ['acme/ci/.github/workflows/deploy.yml@refs/heads/main'],
      actor: ['jan'],
    },
  },
  gitlab_ci: {
    issuer: 'https://gitlab.com',
    claims: {
      sub: ['project_path:acme/*'],
      project_id: ['7', '7*'],
      project_path: ['acme/shop', 'acme/*'],
      namespace_id: ['72'],
      namespace_path: ['acme', '72'],
      ref: ['main', 'release/*'],
      ref_type: ['tag'],
      ref_protected: ['true', 'false'],
      environment: ['prod'],
      user_login: ['jan'],
    },
  },
  bitbucket_pipelines: {
    issuer: 'https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc',
    claims: {
      repositoryUuid: [`{${uuid}}`, 'shop'],
      workspaceUuid: [`{${uuid}}`],
      branchName: ['main', 'or'],
      deploymentEnvironmentUuid: [`{${uuid}}`],
      stepUuid: [`{${uuid}}`],
    },
  },
  circleci: {
    issuer: `https://oidc.circleci.com/org/${uuid}`,
    claims: {
      'oidc.circleci.com/project-id': [uuid],
      'oidc.circleci.com/vcs-ref': ['refs/heads/main', 'refs/heads/*'],
      'oidc.circleci.com/vcs-origin': ['github.com/acme/shop'],
      'oidc.circleci.com/ssh-rerun': ['false'],
    },
  },
  buildkite: {
    issuer: 'https://agent.buildkite.com',
    claims: {
      pipeline_id: [uuid],
      organization_id: [uuid],
      organization_slug: ['acme', uuid],
      pipeline_slug: ['deploy'],
      build_branch: ['main'],
      build_source: ['ui'],
    },
  },
  hcp_terraform: {
    issuer: 'https://app.terraform.io',
    claims: {
      terraform_workspace_id: ['ws-1', 'ws-*'],
      terraform_project_id: ['prj-1'],
      terraform_organization_id: ['org-1'],
      terraform_organization_name: ['acme', 'org-1'],
      terraform_run_phase: ['plan', 'apply'],
      terraform_workspace_name: ['prod'],
    },
  },
  container_orchestrator: {
    issuer: 'https://kubernetes.default.svc',
    claims: {
      '/kubernetes.io/namespace': ['shop', 'shop*', 'of'],
      '/kubernetes.io/serviceaccount/name': ['web'],
      '/kubernetes.io/pod/name': ['web-1'],
    },
  },
};

/** Claims of any token, and names that people may not expect. */
const ofAny = [
  'team',
  '/team',
  '/realm/team',
  '/a~1b',
  'sub "x", claim team',
  'on call',
  'aud',
  'groups',
  '/realm/groups',
];
const ofAnyone = ['x', 'x*', '*', 'a or b', 'x", claim team "y', 'like', '42', 'true'];
const typed = [7, 42, true, 7.5];

export interface RandomRole extends SignInSetup {
  kind: ProviderKind;
  /** All claims that roles of the kind may bind. Those of groups are read as well. */
  names: string[];
}

/** Roles of every kind of provider with random bounds. The same for the same seed. */
export function randomRoles(seed: number, count: number): RandomRole[] {
  return fc.sample(fc.constantFrom(...providerKinds).chain(aRole), { seed, numRuns: count });
}

function aRole(kind: ProviderKind): fc.Arbitrary<RandomRole> {
  const { issuer, claims } = worlds[kind] ?? { issuer: 'https://id.example', claims: {} };
  const names = [...Object.keys(claims), ...ofAny];
  const isOfPeople = kindById(kind).methodType === 'oidc';
  const method = {
    path: 'm',
    type: kindById(kind).methodType,
    config: {
      oidcDiscoveryUrl: issuer,
      ...(isOfPeople ? { oidcClientId: 'client' } : { boundIssuer: issuer }),
    },
  };
  const known = Object.entries(claims);
  const aBound = fc
    .oneof(
      ...(known.length === 0
        ? []
        : [
            {
              arbitrary: fc.constantFrom(...known).chain(([name, values]) => boundOf(name, values)),
              weight: 4,
            },
          ]),
      { arbitrary: fc.constantFrom(...names).chain((name) => boundOf(name, ofAnyone)), weight: 1 },
    )
    .filter(
      ([name, value]) =>
        !/^\/?(sub|aud)$|groups$/.test(name) || [value].flat().every((one) => typeof one === 'string'),
    );
  const subjects =
    kind === 'container_orchestrator'
      ? ['system:serviceaccount:shop:web', 'system:serviceaccount:on call:web', 'x']
      : ['x', 'repo:acme/shop:ref:refs/heads/main'];
  return fc
    .record({
      boundAudiences: fc.constantFrom(['a'], ['a', 'b, audience "c"'], isOfPeople ? undefined : []),
      boundSubject: fc.option(fc.constantFrom(...subjects), { nil: undefined, freq: 2 }),
      boundClaims: fc.option(fc.array(aBound, { maxLength: 4 }).map(Object.fromEntries), { nil: undefined }),
      groupsClaim: fc.constantFrom(undefined, 'groups', '/realm/groups'),
      boundClaimsType: fc.constantFrom('string' as const, 'glob' as const),
      tokenBoundCidrs: fc.constantFrom(undefined, undefined, ['10.0.0.0/8', '192.0.2.1']),
    })
    .map((fields) => {
      const own = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
      const role = { method: 'm', name: 'r', roleType: method.type, userClaim: 'who', ...own } as Role;
      return { kind, role, method, names };
    });
}

function boundOf(name: string, values: string[]): fc.Arbitrary<[string, unknown]> {
  const text = fc.constantFrom(...values);
  const value = fc.oneof(
    { arbitrary: text, weight: 8 },
    { arbitrary: fc.constantFrom<unknown>(...typed), weight: 1 },
    {
      arbitrary: fc.array(fc.oneof(text, fc.constantFrom<unknown>('z', ...typed)), { maxLength: 3 }),
      weight: 2,
    },
  );
  return value.map((bound) => [name, bound]);
}
