import { expect, test } from '@jest/globals';
import { populationOf, populationWords } from '../../../../core/access/sign-in/population.ts';
import { openToInternet, openToProvider } from '../../../../core/access/sign-in/public-issuers.ts';
import type { AuthMethod, MethodConfig } from '../../../../core/model/resources/auth-method.ts';
import type { Role } from '../../../../core/model/resources/role.ts';

const role = (given: Partial<Role> = {}): Role => ({
  method: 'm',
  name: 'r',
  roleType: 'jwt',
  userClaim: 'sub',
  boundAudiences: ['app'],
  ...given,
});
const at = (url: string, config: MethodConfig = {}): AuthMethod => ({
  path: 'm',
  type: 'jwt',
  config: { oidcDiscoveryUrl: url, ...config },
});
const pipelines = 'https://token.actions.githubusercontent.com';
const anyRepository = 'any repository of any owner at token.actions.githubusercontent.com';
const glob = (boundClaims: Record<string, string | string[]>) =>
  role({ boundClaims, boundClaimsType: 'glob' });
const people = (given: Partial<Role> = {}) => role({ roleType: 'oidc', ...given });
const tenant = 'https://login.microsoftonline.com/9188040d/v2.0';

test.each<[string, Role, AuthMethod, string | undefined]>([
  ['nothing bound', role(), at(pipelines), anyRepository],
  [
    'keys by address alone',
    role(),
    { ...at(pipelines), config: { jwksUrl: `${pipelines}/.well-known/jwks` } },
    anyRepository,
  ],
  [
    'a branch, which everyone can choose',
    role({ boundClaims: { ref: 'refs/heads/main' } }),
    at(pipelines),
    anyRepository,
  ],
  ['an owner', role({ boundClaims: { repository_owner: 'acme' } }), at(pipelines), undefined],
  ['an owner by a pointer', role({ boundClaims: { '/repository_owner': 'acme' } }), at(pipelines), undefined],
  ['a subject', role({ boundSubject: 'repo:acme/app:ref:refs/heads/main' }), at(pipelines), undefined],
  ['any repository of the owner', glob({ sub: 'repo:acme/*' }), at(pipelines), undefined],
  ['a name that others can begin with', glob({ sub: 'repo:acme*' }), at(pipelines), anyRepository],
  ['a branch of any repository', glob({ sub: 'repo:*:ref:refs/heads/main' }), at(pipelines), anyRepository],
  ['one of two values open', glob({ sub: ['repo:acme/*', 'repo:*'] }), at(pipelines), anyRepository],
  ['an enterprise’s own issuer', role(), at(pipelines, { boundIssuer: `${pipelines}/acme` }), undefined],
  ['addresses', role({ tokenBoundCidrs: ['10.0.0.0/8'] }), at(pipelines), undefined],
  ['every address', role({ tokenBoundCidrs: ['0.0.0.0/1', '128.0.0.0/1'] }), at(pipelines), anyRepository],
  ['people of source hosting', people(), at('https://gitlab.com'), 'everyone with an account at gitlab.com'],
  ['jobs of source hosting', role(), at('https://gitlab.com'), 'any project at gitlab.com'],
  ['their own source hosting', people(), at('https://gitlab.acme.example'), undefined],
  [
    'a group of theirs',
    people({ boundClaims: { groups_direct: 'acme' } }),
    at('https://gitlab.com'),
    undefined,
  ],
  [
    'a hosted platform',
    role({ boundClaims: { terraform_workspace_name: 'prod' } }),
    at('https://app.terraform.io'),
    'any project at app.terraform.io',
  ],
  [
    'an organization there',
    role({ boundClaims: { terraform_organization_id: 'org-1' } }),
    at('https://app.terraform.io'),
    undefined,
  ],
  [
    'a workspace suite',
    people(),
    at('https://accounts.google.com'),
    'everyone with an account at accounts.google.com',
  ],
  [
    'its domain',
    people({ boundClaims: { hd: 'acme.example' } }),
    at('https://accounts.google.com'),
    undefined,
  ],
  [
    'addresses of a domain',
    people({ boundClaims: { email: '*@acme.example' }, boundClaimsType: 'glob' }),
    at('https://accounts.google.com'),
    undefined,
  ],
  ['people of a tenant', people(), at(tenant), undefined],
  [
    'people of any tenant',
    people(),
    at('https://login.microsoftonline.com/common/v2.0'),
    'everyone with an account at login.microsoftonline.com',
  ],
  [
    'people with personal accounts, by the id of their tenant',
    people(),
    at('https://login.microsoftonline.com/9188040D-6c67-4c5b-b112-36a304b66dad/v2.0'),
    'everyone with an account at login.microsoftonline.com',
  ],
  [
    'tokens of a tenant whose issuer is not bound',
    role({ boundAudiences: [] }),
    at(tenant),
    'any application of any tenant at login.microsoftonline.com',
  ],
  ['tokens of a tenant', role({ boundAudiences: [] }), at(tenant, { boundIssuer: tenant }), undefined],
  ['their own provider', role(), at('https://id.example'), undefined],
  [
    'an algorithm that proves nothing',
    role(),
    at('https://id.example', { jwtSupportedAlgs: ['none'] }),
    'anyone: the signing algorithm "none" does not prove who made a token',
  ],
])('who of the internet gets in: %s', (_, given, method, words) => {
  expect(openToInternet(given, method)).toBe(words);
});

test.each<[string, Role, string | undefined]>([
  ['people', people(), 'everyone known to id.example'],
  [
    'people with any value of a claim',
    people({ boundClaims: { a: '**' }, boundClaimsType: 'glob' }),
    'everyone known to id.example',
  ],
  ['people with one value', people({ boundClaims: { a: '*' } }), undefined],
  ['workloads with an audience', role(), undefined],
  ['workloads', role({ boundAudiences: [] }), 'everyone with a token of id.example'],
  ['a subject', people({ boundSubject: 'x' }), undefined],
  ['addresses', people({ tokenBoundCidrs: ['10.0.0.0/8'] }), undefined],
])('who of a provider gets in: %s', (_, given, words) => {
  expect(openToProvider(given, at('https://id.example'))).toBe(words);
});

test('that a role lets in all of a namespace is said in words before its bounds', () => {
  const given = role({ boundClaims: { '/kubernetes.io/namespace': 'shop' } });
  expect(populationWords(populationOf(given, at('https://cluster.example.com')))).toBe(
    'any service account of namespace shop: audience "app", claim /kubernetes.io/namespace "shop"',
  );
});

test('whom a role for pipelines lets in is said in words before its bounds', () => {
  const population = populationOf(role({ boundClaims: { repository_id: '42' } }), at(pipelines));
  expect(populationWords(population)).toBe(
    'any branch of repository 42: audience "app", claim repository_id "42"',
  );
});
