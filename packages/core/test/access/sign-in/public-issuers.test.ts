import { expect, test } from '@jest/globals';
import { populationOf, populationWords } from '../../../src/access/sign-in/population.ts';
import {
  openToInternet,
  openToProvider,
  tellsWhose,
  trustsPublicIssuer,
} from '../../../src/access/sign-in/public-issuers.ts';
import type { AuthMethod, MethodConfig } from '../../../src/graph/resources/auth-method.ts';
import type { Role } from '../../../src/graph/resources/role.ts';

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
const hosting = at('https://gitlab.com');
const own = at('https://id.example');
const glob = (boundClaims: Record<string, string | string[]>) =>
  role({ boundClaims, boundClaimsType: 'glob' });
const globbing = (boundClaims: Record<string, string | string[]>) =>
  people({ boundClaims, boundClaimsType: 'glob' });
const people = (given: Partial<Role> = {}) => role({ roleType: 'oidc', ...given });
const account = (host: string) => `everyone with an account at ${host}`;
const tenants = 'https://login.microsoftonline.com';
const anyTenant = account('login.microsoftonline.com');
const tenant = `${tenants}/9188040d/v2.0`;

const guests: Record<string, [Role, AuthMethod, string | undefined]> = {
  'nothing bound': [role(), at(pipelines), anyRepository],
  'keys by address alone': [
    role(),
    { ...at(pipelines), config: { jwksUrl: `${pipelines}/.well-known/jwks` } },
    anyRepository,
  ],
  'a branch, which everyone can choose': [
    role({ boundClaims: { ref: 'refs/heads/main' } }),
    at(pipelines),
    anyRepository,
  ],
  'an owner': [role({ boundClaims: { repository_owner: 'acme' } }), at(pipelines), undefined],
  'an owner by a pointer': [role({ boundClaims: { '/repository_owner': 'acme' } }), at(pipelines), undefined],
  'a subject': [role({ boundSubject: 'repo:acme/app:ref:refs/heads/main' }), at(pipelines), undefined],
  'any repository of the owner': [glob({ sub: 'repo:acme/*' }), at(pipelines), undefined],
  'a name that others can begin with': [glob({ sub: 'repo:acme*' }), at(pipelines), anyRepository],
  'a branch of any repository': [glob({ sub: 'repo:*:ref:refs/heads/main' }), at(pipelines), anyRepository],
  'one of two values open': [glob({ sub: ['repo:acme/*', 'repo:*'] }), at(pipelines), anyRepository],
  'an enterprise’s own issuer': [role(), at(pipelines, { boundIssuer: `${pipelines}/acme` }), undefined],
  addresses: [role({ tokenBoundCidrs: ['10.0.0.0/8'] }), at(pipelines), undefined],
  'every address': [role({ tokenBoundCidrs: ['0.0.0.0/1', '128.0.0.0/1'] }), at(pipelines), anyRepository],
  'people of source hosting': [people(), hosting, account('gitlab.com')],
  'jobs of source hosting': [role(), hosting, 'any project at gitlab.com'],
  'their own source hosting': [people(), at('https://gitlab.acme.example'), undefined],
  'a group of theirs': [people({ boundClaims: { groups_direct: 'acme' } }), hosting, undefined],
  'a hosted platform': [
    role({ boundClaims: { terraform_workspace_name: 'prod' } }),
    at('https://app.terraform.io'),
    'any project at app.terraform.io',
  ],
  'an organization there': [
    role({ boundClaims: { terraform_organization_id: 'org-1' } }),
    at('https://app.terraform.io'),
    undefined,
  ],
  'a workspace suite': [people(), at('https://accounts.google.com'), account('accounts.google.com')],
  'its domain': [
    people({ boundClaims: { hd: 'acme.example' } }),
    at('https://accounts.google.com'),
    undefined,
  ],
  'addresses of a domain': [
    globbing({ email: '*@acme.example' }),
    at('https://accounts.google.com'),
    undefined,
  ],
  'people of a tenant': [people(), at(tenant), undefined],
  'people of any tenant': [people(), at(`${tenants}/common/v2.0`), anyTenant],
  'people with personal accounts, by the id of their tenant': [
    people(),
    at(`${tenants}/9188040D-6c67-4c5b-b112-36a304b66dad/v2.0`),
    anyTenant,
  ],
  'tokens of a tenant whose issuer is not bound': [
    role({ boundAudiences: [] }),
    at(tenant),
    'any application of any tenant at login.microsoftonline.com',
  ],
  'tokens of a tenant': [role({ boundAudiences: [] }), at(tenant, { boundIssuer: tenant }), undefined],
  'their own provider': [role(), own, undefined],
  'any application where a pair of keys is theirs': [
    role({ boundAudiences: [] }),
    { ...at(tenant), config: { jwksPairs: [{ jwks_url: 'https://sts.windows.net/keys' }] } },
    'any application of any tenant at sts.windows.net',
  ],
  'an audience of one application': [role(), at(tenant), undefined],
  ...Object.fromEntries(
    ['common', 'organizations', 'consumers'].map((any): [string, [Role, AuthMethod, string | undefined]] => [
      `people of ${any}`,
      [people({ boundClaims: { email: 'a@b.example' } }), at(`${tenants}/${any}`), anyTenant],
    ]),
  ),
  ...Object.fromEntries(
    ['sub', 'oid', 'tid', 'groups'].map((claim): [string, [Role, AuthMethod, string | undefined]] => [
      `people of any tenant with a ${claim}`,
      [people({ boundClaims: { [claim]: 'x' } }), at(`${tenants}/common`), undefined],
    ]),
  ),
  ...Object.fromEntries(
    ['slack.com', 'www.linkedin.com', 'appleid.apple.com'].map(
      (host): [string, [Role, AuthMethod, string | undefined]] => [
        `people at ${host}`,
        [people(), at(`https://${host}`), `everyone with an account at ${host}`],
      ],
    ),
  ),
  'a team': [
    people({ boundClaims: { '/https:~1~1slack.com~1team_id': 'T' } }),
    at('https://slack.com'),
    undefined,
  ],
  ...Object.fromEntries(
    ['sub', 'email', 'preferred_username', 'groups', 'nickname'].map(
      (claim): [string, [Role, AuthMethod, string | undefined]] => [
        `one account by its ${claim}`,
        [people({ boundClaims: { [claim]: 'ann' } }), hosting, undefined],
      ],
    ),
  ),
  'a host with the dot that ends a name': [people(), at('https://gitlab.com.'), account('gitlab.com')],
  'a pattern of a name': [globbing({ nickname: 'a*' }), hosting, account('gitlab.com')],
  'a star where no globs are': [people({ boundClaims: { nickname: 'a*' } }), hosting, undefined],
  'groups below one': [globbing({ groups_direct: 'acme/*' }), hosting, undefined],
  'people and a secret algorithm, which only tokens have': [
    people(),
    at('https://id.example', { jwtSupportedAlgs: ['HS256'] }),
    undefined,
  ],
  'an address that is none': [role(), at('nonsense'), undefined],
  'some addresses that cannot be read': [role({ tokenBoundCidrs: ['?'] }), at(pipelines), undefined],
  'tokens signed with a secret': [
    role(),
    at('https://id.example', { jwtSupportedAlgs: ['RS256', 'hs512'] }),
    'anyone: the signing algorithm "hs512" does not prove who made a token',
  ],
  'an algorithm that proves nothing': [
    role(),
    at('https://id.example', { jwtSupportedAlgs: ['none'] }),
    'anyone: the signing algorithm "none" does not prove who made a token',
  ],
};
test.each(Object.entries(guests))('who of the internet gets in: %s', (_, [given, method, words]) => {
  expect(openToInternet(given, method)).toBe(words);
});

test.each<[string, Role, words: string | undefined, method?: AuthMethod | undefined]>([
  ['people', people(), 'everyone with an account at id.example'],
  ['people with any value of a claim', globbing({ a: '**' }), 'everyone with an account at id.example'],
  ['people with one value', people({ boundClaims: { a: '*' } }), undefined],
  ['workloads with an audience', role(), undefined],
  ['workloads', role({ boundAudiences: [] }), 'everyone with a token of id.example'],
  ['a subject', people({ boundSubject: 'x' }), undefined],
  ['addresses', people({ tokenBoundCidrs: ['10.0.0.0/8'] }), undefined],
  [
    'an issuer that is bound',
    role({ boundAudiences: [] }),
    'everyone with a token of other.example',
    at('https://id.example', { boundIssuer: 'https://other.example' }),
  ],
  [
    'people and their audience',
    people({ boundAudiences: ['app'] }),
    'everyone with an account at id.example',
  ],
  [
    'people with one of any two values',
    globbing({ a: ['x', '*'] }),
    'everyone with an account at id.example',
  ],
  ['people with any value, and one', globbing({ a: '*', b: 'x' }), undefined],
  ['no addresses', people({ tokenBoundCidrs: [] }), 'everyone with an account at id.example'],
])('who of a provider gets in with %s', (_, given, words, ...[method = own]) => {
  expect(openToProvider(given, method)).toBe(words);
});

test('no one gets in from the internet where the method is not known', () => {
  expect(openToProvider(people(), undefined)).toBe('everyone with an account at the provider');
  expect(openToInternet(role(), undefined)).toBeUndefined();
});

test.each<[string, Role, AuthMethod, boolean]>([
  ['tokens of pipelines', role(), at(pipelines), true],
  ['people of pipelines', people(), at(pipelines), true],
  ['tokens of their own issuer', role(), own, false],
  [
    'people whose provider’s keys are elsewhere',
    people(),
    { ...at(''), config: { jwksUrl: `${pipelines}/k` } },
    false,
  ],
  ['tokens whose keys are elsewhere', role(), { ...at(''), config: { jwksUrl: `${pipelines}/k` } }, true],
])('whether an issuer that is trusted is anyone’s: %s', (_, given, method, isPublic) => {
  expect(trustsPublicIssuer(given, method)).toBe(isPublic);
});

test.each<[string, Partial<Role>, boolean]>([
  ['a subject', { boundSubject: 's' }, true],
  ['the claim', { boundClaims: { owner: 'acme' } }, true],
  ['the claim by a pointer', { boundClaims: { '/owner': 'acme' } }, true],
  ['another claim', { boundClaims: { other: 'acme' } }, false],
  ['another claim as well', { boundClaims: { other: 'x', owner: 'acme' } }, true],
  ['nothing', {}, false],
  ['a glob that begins with an owner', { boundClaims: { owner: 'acme/*' }, boundClaimsType: 'glob' }, true],
  ['a glob that does not', { boundClaims: { owner: 'ac*' }, boundClaimsType: 'glob' }, false],
  [
    'a glob, and one that does not',
    { boundClaims: { owner: ['acme/*', '*'] }, boundClaimsType: 'glob' },
    false,
  ],
  ['a text among globs', { boundClaims: { owner: 'acme' }, boundClaimsType: 'glob' }, true],
])('a role tells whose tokens it takes by %s: %s', (_, given, tells) => {
  expect(tellsWhose(role(given), { owner: '[^/*]+/' })).toBe(tells);
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
