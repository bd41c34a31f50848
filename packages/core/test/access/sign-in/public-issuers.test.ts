import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { populationOf } from '../../../src/access/sign-in/population.ts';
import {
  openToInternet,
  openToProvider,
  tellsWhose,
  trustsPublicIssuer,
} from '../../../src/access/sign-in/public-issuers.ts';
import type { AuthMethod, MethodConfig } from '../../../src/graph/resources/auth-method.ts';
import type { Role } from '../../../src/graph/resources/role.ts';
import { populationWords } from '../../../src/words/condition-words.ts';
import { openWords, providerWords } from '../../../src/words/everyone-words.ts';

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
const own = at('https://id.example');
const people = (given: Partial<Role> = {}) => role({ roleType: 'oidc', ...given });
const tenants = 'https://login.microsoftonline.com';
const urls: Record<string, string> = {
  pipelines,
  hosting: 'https://gitlab.com',
  own: 'https://id.example',
  google: 'https://accounts.google.com',
  terraform: 'https://app.terraform.io',
  tenant: `${tenants}/9188040d/v2.0`,
  personal: `${tenants}/9188040D-6c67-4c5b-b112-36a304b66dad/v2.0`,
};

/** `people globs boundClaims: {hd: a*} at google boundIssuer: x`: a role (`role` of workloads) and its method. */
function signInOf(text: string): [Role, AuthMethod] {
  const [, word, globs = '', fields, place = 'own', config] =
    /^(role|people)( globs)?(?: (?!at )(.*?))?(?: at (\S+) ?(.*))?$/.exec(text) ?? [];
  const given = { ...(globs && { boundClaimsType: 'glob' }), ...parse(`{${fields ?? ''}}`) };
  const url = place === 'nowhere' ? {} : { oidcDiscoveryUrl: urls[place] ?? place };
  const method: AuthMethod = { path: 'm', type: 'jwt', config: { ...url, ...parse(`{${config ?? ''}}`) } };
  return [word === 'people' ? people(given) : role(given), method];
}
const listed = (all: Record<string, Record<string, string>>) =>
  Object.entries(all).flatMap(([words, texts]) =>
    Object.entries(texts).map((one) => [...one, words] as const),
  );

const guests: Record<string, Record<string, string>> = {
  'any repository of any owner at token.actions.githubusercontent.com': {
    'nothing bound': 'role at pipelines',
    'keys by address alone': `role at nowhere jwksUrl: ${pipelines}/.well-known/jwks`,
    'a branch, which everyone can choose': 'role boundClaims: {ref: refs/heads/main} at pipelines',
    'a name that others can begin with': 'role globs boundClaims: {sub: repo:acme*} at pipelines',
    'a branch of any repository': 'role globs boundClaims: {sub: repo:*:ref:refs/heads/main} at pipelines',
    'any name of an owner with an id': "role globs boundClaims: {sub: 'repo:*@7/*'} at pipelines",
    'a subject that anyone can choose': "role boundSubject: 'environment:prod' at pipelines",
    'one of two values open': 'role globs boundClaims: {sub: [repo:acme/*, repo:*]} at pipelines',
    'every address': 'role tokenBoundCidrs: [0.0.0.0/1, 128.0.0.0/1] at pipelines',
  },
  'no one': {
    'an owner': 'role boundClaims: {repository_owner: acme} at pipelines',
    'an owner by a pointer': 'role boundClaims: {/repository_owner: acme} at pipelines',
    'a subject': 'role boundSubject: repo:acme/app:ref:refs/heads/main at pipelines',
    'any repository of the owner': 'role globs boundClaims: {sub: repo:acme/*} at pipelines',
    'any repository of the owner, with any ids':
      "role globs boundClaims: {sub: 'repo:acme@*/*'} at pipelines",
    'an enterprise’s own issuer': `role at pipelines boundIssuer: ${pipelines}/acme`,
    addresses: 'role tokenBoundCidrs: [10.0.0.0/8] at pipelines',
    'their own source hosting': 'people at https://gitlab.acme.example',
    'a group of theirs': 'people boundClaims: {groups_direct: acme} at hosting',
    'an organization there': 'role boundClaims: {terraform_organization_id: org-1} at terraform',
    'its domain': 'people boundClaims: {hd: acme.example} at google',
    'addresses of a domain': "people globs boundClaims: {email: '*@acme.example'} at google",
    'people of a tenant': 'people at tenant',
    'tokens of a tenant': `role boundAudiences: [] at tenant boundIssuer: ${tenants}/9188040d/v2.0`,
    'their own provider': 'role at own',
    'an audience of one application': 'role at tenant',
    'people of any tenant with a sub': `people boundClaims: {sub: x} at ${tenants}/common`,
    'people of any tenant with a oid': `people boundClaims: {oid: x} at ${tenants}/common`,
    'people of any tenant with a tid': `people boundClaims: {tid: x} at ${tenants}/common`,
    'people of any tenant with a groups': `people boundClaims: {groups: x} at ${tenants}/common`,
    'a team': 'people boundClaims: {/https:~1~1slack.com~1team_id: T} at https://slack.com',
    'one account by its sub': 'people boundClaims: {sub: ann} at hosting',
    'one account by its email': 'people boundClaims: {email: ann} at hosting',
    'one account by its preferred_username': 'people boundClaims: {preferred_username: ann} at hosting',
    'one account by its groups': 'people boundClaims: {groups: ann} at hosting',
    'one account by its nickname': 'people boundClaims: {nickname: ann} at hosting',
    'a star where no globs are': 'people boundClaims: {nickname: a*} at hosting',
    'groups below one': 'people globs boundClaims: {groups_direct: acme/*} at hosting',
    'people and a secret algorithm, which only tokens have': 'people at own jwtSupportedAlgs: [HS256]',
    'an address that is none': 'role at nonsense',
    'some addresses that cannot be read': "role tokenBoundCidrs: ['?'] at pipelines",
  },
  'everyone with an account at gitlab.com': {
    'people of source hosting': 'people at hosting',
    'a host with the dot that ends a name': 'people at https://gitlab.com.',
    'a pattern of a name': 'people globs boundClaims: {nickname: a*} at hosting',
  },
  'any project at gitlab.com': { 'jobs of source hosting': 'role at hosting' },
  'any project at app.terraform.io': {
    'a hosted platform': 'role boundClaims: {terraform_workspace_name: prod} at terraform',
  },
  'everyone with an account at accounts.google.com': { 'a workspace suite': 'people at google' },
  'everyone with an account at login.microsoftonline.com': {
    'people of any tenant': `people at ${tenants}/common/v2.0`,
    'people with personal accounts, by the id of their tenant': 'people at personal',
    'people of common': `people boundClaims: {email: a@b.example} at ${tenants}/common`,
    'people of organizations': `people boundClaims: {email: a@b.example} at ${tenants}/organizations`,
    'people of consumers': `people boundClaims: {email: a@b.example} at ${tenants}/consumers`,
  },
  'any application of any tenant at login.microsoftonline.com': {
    'tokens of a tenant whose issuer is not bound': 'role boundAudiences: [] at tenant',
  },
  'any application of any tenant at sts.windows.net': {
    'any application where a pair of keys is theirs':
      'role boundAudiences: [] at nowhere jwksPairs: [{jwks_url: https://sts.windows.net/keys}]',
  },
  'everyone with an account at slack.com': {
    'people at slack.com': 'people at https://slack.com',
  },
  'everyone with an account at www.linkedin.com': {
    'people at www.linkedin.com': 'people at https://www.linkedin.com',
  },
  'everyone with an account at appleid.apple.com': {
    'people at appleid.apple.com': 'people at https://appleid.apple.com',
  },
  'anyone: the signing algorithm "hs512" does not prove who made a token': {
    'tokens signed with a secret': 'role at own jwtSupportedAlgs: [RS256, hs512]',
  },
  'anyone: the signing algorithm "none" does not prove who made a token': {
    'an algorithm that proves nothing': 'role at own jwtSupportedAlgs: [none]',
  },
};
test.each(listed(guests))('who of the internet gets in: %s', (_, text, words) => {
  const found = openToInternet(...signInOf(text));
  expect(found === undefined ? 'no one' : openWords(found)).toBe(words);
});

const ofProvider: Record<string, Record<string, string>> = {
  'everyone with an account at id.example': {
    people: 'people',
    'people with any value of a claim': "people globs boundClaims: {a: '**'}",
    'people and their audience': 'people',
    'people with one of any two values': "people globs boundClaims: {a: [x, '*']}",
    'no addresses': 'people tokenBoundCidrs: []',
  },
  'no one': {
    'people with one value': "people boundClaims: {a: '*'}",
    'workloads with an audience': 'role',
    'a subject': 'people boundSubject: x',
    addresses: 'people tokenBoundCidrs: [10.0.0.0/8]',
    'people with any value, and one': "people globs boundClaims: {a: '*', b: x}",
  },
  'everyone with a token of id.example': { workloads: 'role boundAudiences: []' },
  'everyone with a token of other.example': {
    'an issuer that is bound': 'role boundAudiences: [] at own boundIssuer: https://other.example',
  },
};
test.each(listed(ofProvider))('who of a provider gets in with %s', (_, text, words) => {
  const found = openToProvider(...signInOf(text));
  expect(found === undefined ? 'no one' : providerWords(found)).toBe(words);
});

test('no one gets in from the internet where the method is not known', () => {
  expect(openToProvider(people(), undefined)).toEqual({ by: 'account' });
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

test('that a role lets in all of a namespace is said in words, with what else it binds', () => {
  const given = role({ boundClaims: { '/kubernetes.io/namespace': 'shop' } });
  expect(populationWords(populationOf(given, at('https://cluster.example.com')))).toBe(
    'any service account of namespace shop, audience "app"',
  );
});

test('whom a role for pipelines lets in is said in words, with what else it binds', () => {
  const population = populationOf(role({ boundClaims: { repository_id: '42' } }), at(pipelines));
  expect(populationWords(population)).toBe('any ref of repository 42, audience "app"');
});
