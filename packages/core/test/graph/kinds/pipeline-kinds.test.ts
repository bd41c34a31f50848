import { describe, expect, test } from '@jest/globals';
import { populationOf } from '../../../src/access/sign-in/population.ts';
import { openToInternet } from '../../../src/access/sign-in/public-issuers.ts';
import { declareProvider } from '../../../src/environment/declared.ts';
import { kindById, type ProviderKind, providerKinds } from '../../../src/graph/kinds/kinds.ts';
import type { Role } from '../../../src/graph/resources/role.ts';
import { LoginRefused } from '../../../src/login/login-refused.ts';
import { signInByClaims } from '../../../src/login/sign-in.ts';
import { whomWords } from '../../../src/words/condition-words.ts';
import { parsedProvider, problemsOfProvider } from '../../environment/environment-fixture.ts';
import { type PipelineCase, pipelineCases } from './pipeline-kinds.ts';

/** Who a role lets in, in the words of its provider. */
function whomOf(...signIn: Parameters<typeof populationOf>): string | undefined {
  const { whom } = populationOf(...signIn);
  return whom && whomWords(whom);
}

const service = { address: 'https://secrets.example.com', dialect: 'vault' } as const;
const cases = Object.entries(pipelineCases) as [ProviderKind, PipelineCase][];

/** What a role comes to, and its method. */
function declared(kind: ProviderKind, role: Record<string, unknown>) {
  const { method, roles } = declareProvider(
    parsedProvider(kind, { roles: [{ name: 'deploy', ...role }] }),
    service,
  );
  return { method, role: roles[0] as Role };
}

test('each kind for pipelines has cases', () => {
  expect(cases.map(([kind]) => kind)).toEqual(
    providerKinds.filter((kind) => kindById(kind).shared?.hosts.length),
  );
});

describe.each(cases)('%s', (kind, { role: given, claims, refused, whom }) => {
  const { method, role } = declared(kind, given);
  const signIn = (changed: Record<string, unknown> = {}) => {
    const at = 1_700_000_000;
    const token = {
      iss: method.config.boundIssuer,
      aud: role.boundAudiences?.[0],
      iat: at,
      exp: at + 300,
      ...claims,
      ...changed,
    };
    return signInByClaims({
      config: method.config,
      roleName: 'deploy',
      role: () => role,
      claims: token,
      addressAllowed: () => true,
      now: BigInt(at) * 1_000_000_000n,
    });
  };

  test('lets the job in that its role means', async () => {
    expect(await signIn()).not.toBeInstanceOf(LoginRefused);
  });

  test.each([{ iss: 'https://issuer.example' }, { aud: 'elsewhere' }, ...refused])(
    'refuses %j',
    async (changed) => {
      expect(await signIn(changed)).toBeInstanceOf(LoginRefused);
    },
  );

  test('says whom its role lets in', () => {
    expect(whomOf(role, method)).toBe(whom);
  });

  test('is not open to the internet by that role', () => {
    expect(openToInternet(role, method)).toBeUndefined();
  });

  test('adopts the role as it was written', () => {
    const own = kindById(kind).adoptRole?.(role) ?? {};
    expect(declared(kind, own).role).toMatchObject({ boundClaims: role.boundClaims });
    expect(own).not.toHaveProperty('boundClaims');
  });

  test('adopts values that no token has as they are, beside its settings', () => {
    const claims = Object.keys(role.boundClaims ?? {});
    const odd = { ...role, boundClaims: Object.fromEntries(claims.map((claim) => [claim, 7])) } as Role;
    const { boundClaims, ...own } = kindById(kind).adoptRole?.(odd) ?? {};
    expect([boundClaims, Object.keys(own).filter((name) => name !== 'boundClaimsType')]).toEqual([
      odd.boundClaims,
      [],
    ]);
  });

  test('keeps what it binds beside claims of the role’s own', () => {
    const withClaim = declared(kind, { ...given, boundClaims: { team: 'a' } }).role;
    expect(withClaim.boundClaims).toEqual({ ...role.boundClaims, team: 'a' });
    expect(declared(kind, { ...given, boundClaims: {} }).role.boundClaims).toEqual(role.boundClaims);
  });
});

describe('a role for pipelines', () => {
  const problems = (kind: ProviderKind, role: Record<string, unknown>) =>
    problemsOfProvider(kind, { roles: [{ name: 'deploy', ...role }] }).map((one) =>
      one.replace('roles[0].', ''),
    );

  test.each<[ProviderKind, Record<string, unknown>, RegExp]>([
    [
      'github_actions',
      { repositoryId: 'acme/app' },
      /^repositoryId: "acme\/app" is not the id of a repository/,
    ],
    ['github_actions', { repositoryId: '*', boundClaimsType: 'glob' }, /^repositoryId: "\*" is not the id/],
    ['github_actions', { repositoryOwnerId: [7, 'acme'] }, /^repositoryOwnerId/],
    ['github_actions', { repositoryId: [] }, /^repositoryId/],
    ['hcp_terraform', { organizationId: 'acme' }, /^organizationId: "acme" is not the id of an organization/],
    ['bitbucket_pipelines', { repositoryUuid: 'c0ffee00-1111-4222-8333-444455556666' }, /^repositoryUuid/],
    ['gitlab_ci', { projectId: 7, ref: 'release/*' }, /^ref: a \* matches any text only with boundClaims/],
    ['gitlab_ci', { projectId: 7, refProtected: 'yes' }, /^refProtected/],
    [
      'gitlab_ci',
      { projectId: 7, boundClaims: { project_id: '8' } },
      /^boundClaims\.project_id: projectId already binds this claim/,
    ],
    ['gitlab_ci', { repositoryId: 7 }, /unknown key `repositoryId`/],
  ])('of %s is not %j', (kind, role, problem) => {
    expect(problems(kind, role)).toEqual([expect.stringMatching(problem)]);
  });

  test.each<[ProviderKind, Record<string, unknown>, string | undefined]>([
    ['github_actions', { repositoryId: 42 }, 'any ref of repository 42'],
    ['github_actions', { repositoryOwnerId: [7, 8] }, 'any ref of any repository of owner 7 or 8'],
    ['github_actions', { ref: 'refs/heads/main' }, 'ref refs/heads/main of any repository of any owner'],
    ['github_actions', {}, 'any ref of any repository of any owner'],
    ['github_actions', { repository: 'a/*', boundClaimsType: 'glob' }, 'any ref of repository like a/*'],
    [
      'github_actions',
      { repositoryId: 42, repository: 'a/b', repositoryOwner: 'a' },
      'any ref of repository 42 and repository a/b of owner a',
    ],
    ['github_actions', { repositoryId: 42, boundSubject: 'repo:a/b' }, undefined],
    ['github_actions', { ref: 'refs/heads/main', boundClaims: { '/repository_id': '42' } }, undefined],
    ['github_actions', { boundClaims: { enterprise_id: '1' } }, undefined],
    [
      'circleci',
      { vcsRef: 'refs/heads/main' },
      'ref refs/heads/main of any project of https://oidc.circleci.com/org/9e3b1c2d-5555-4666-8777-888899990000',
    ],
    ['gitlab_ci', { projectId: 7, refProtected: true }, 'any protected ref of project 7'],
    ['gitlab_ci', { projectId: 7, refProtected: true, ref: 'main' }, 'protected ref, ref main of project 7'],
    ['gitlab_ci', { projectId: 7, refProtected: false }, 'protected ref: false, any ref of project 7'],
    [
      'hcp_terraform',
      { projectId: 'prj-1' },
      'any run phase of any workspace, stack or module of project prj-1',
    ],
  ])('of %s says of %j whom it lets in', (kind, role, whom) => {
    const found = declared(kind, { ...role, boundAudiences: ['a'] });
    expect(whomOf(found.role, found.method)).toBe(whom && `${whom}, audience "a"`);
  });

  test.each<[ProviderKind, Record<string, unknown>, string | undefined]>([
    [
      'github_actions',
      { repository: 'acme/shop', boundClaims: { ref_type: 'tag', actor: 'jan' } },
      'any ref of repository acme/shop, audience "a", claim ref_type "tag", claim actor "jan"',
    ],
    [
      'github_actions',
      { repositoryId: 42, boundClaims: { '/repository': 'a/b' } },
      'any ref of repository 42, audience "a", claim repository "a/b"',
    ],
    // A name that looks like an id, an id of another form, a number and a pattern of ids are said as they are bound.
    ['github_actions', { repositoryOwner: '7' }, undefined],
    [
      'github_actions',
      { repository: 'a/b', boundClaims: { repository_id: 42 } },
      'any ref of repository a/b, audience "a", claim repository_id 42',
    ],
    ['github_actions', { boundClaims: { repository_id: '4*' }, boundClaimsType: 'glob' }, undefined],
    // What stands for a hidden value is none.
    [
      'github_actions',
      { repository: '(hidden 1)', boundClaims: { actor: '(hidden 2)' } },
      'any ref of repository (hidden 1), audience "a", claim actor (hidden 2)',
    ],
    [
      'github_actions',
      { repositoryId: 42, boundClaims: { ref: 7 } },
      'repository 42, audience "a", claim ref 7',
    ],
    [
      'github_actions',
      { repositoryId: 42, environment: ['on call', 'or', 'a, ref b'] },
      'environment "on call" or "or" or "a, ref b", any ref of repository 42, audience "a"',
    ],
  ])('of %s says of %j all that it binds', (kind, role, whom) => {
    const found = declared(kind, { ...role, boundAudiences: ['a'] });
    expect(whomOf(found.role, found.method)).toBe(whom);
  });

  test.each<[ProviderKind, Record<string, unknown>]>([
    ['github_actions', { environment: 'production' }],
    ['gitlab_ci', { refProtected: true }],
    ['hcp_terraform', { runPhase: 'apply' }],
    ['buildkite', { pipelineSlug: 'deploy' }],
  ])('of %s that binds only %j is open to the internet', (kind, given) => {
    const { role, method } = declared(kind, given);
    expect(openToInternet(role, method)).toMatchObject({ who: { named: expect.stringMatching(/^any /) } });
  });
});
