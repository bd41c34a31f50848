import { describe, expect, test } from '@jest/globals';
import { isIn } from '../../../../../test/harness/long-run.ts';
import {
  addressesFor,
  letsIn,
  type SignInSetup,
  setupPairs,
  tokensFor,
} from '../../../../../test/harness/sign-in-pairs.ts';
import {
  inclusion,
  inGroups,
  isDisjoint,
  type Population,
  populationOf,
  witnessOf,
} from '../../../src/access/sign-in/population.ts';
import type { MethodConfig } from '../../../src/graph/resources/auth-method.ts';
import type { ProviderConfig } from '../../../src/graph/resources/provider-config.ts';
import type { Role } from '../../../src/graph/resources/role.ts';
import { populationWords, signerWords, wideningWords } from '../../../src/words/condition-words.ts';
import { reasonWords } from '../../../src/words/reason-words.ts';
import { bareRole } from '../../review/graphs.ts';

/** What inclusion says: `yes`, why not, or what is missing with a question mark. */
function answers(inner: Population, outer: Population): string {
  const found = inclusion(inner, outer);
  if (found.answer === 'unknown') return `${reasonWords(found.missing)}?`;
  return found.answer === 'no' ? wideningWords(found.because) : 'yes';
}

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_121);
const count = isIn('npm test') ? 80 : 1_000;
const people = { roleType: 'oidc' } as const;
const populationAt = ({ role, method }: SignInSetup) => populationOf(role, method);

describe(`${count} pairs of populations, seed ${seed}`, () => {
  test('are compared as packages/core/src/login compares every token of a small alphabet', async () => {
    const answers = { yes: 0, no: 0, unknown: 0, nobody: 0 };
    for (const pair of setupPairs(seed, count)) {
      const [inner, outer] = pair;
      const found = inclusion(populationAt(inner), populationAt(outer));
      answers[found.answer] += 1;
      if (witnessOf(populationAt(inner)) === undefined) answers.nobody += 1;
      const shown = () => JSON.stringify({ inner, outer, found });
      if (found.answer === 'no') {
        const { claims, address, by } = found.witness;
        expect(by).toBe(inner.role.roleType === 'jwt' ? 'token' : 'browser');
        if (!(await letsIn(inner, claims, address))) throw new Error(`the witness is not let in: ${shown()}`);
        if (inner.role.roleType === outer.role.roleType && (await letsIn(outer, claims, address)))
          throw new Error(`the witness is let in by both: ${shown()}`);
      } else if (found.answer === 'yes') {
        for (const claims of tokensFor(pair)) {
          for (const address of addressesFor(pair)) {
            if ((await letsIn(inner, claims, address)) && !(await letsIn(outer, claims, address)))
              throw new Error(`missed ${JSON.stringify({ claims, address })}: ${shown()}`);
          }
        }
      } else throw new Error(shown());
    }
    // Otherwise the pairs would show nothing.
    expect(Math.min(answers.yes - answers.nobody, answers.no)).toBeGreaterThan(count / 10);
    expect(answers.unknown).toBe(0);
  }, 300_000);

  test('have a witness where anybody gets in, and none where nobody does', async () => {
    for (const [setup] of setupPairs(seed, count)) {
      const found = witnessOf(populationAt(setup));
      if (found !== undefined) {
        expect({ setup, found, in: await letsIn(setup, found.claims, found.address) }).toMatchObject({
          in: true,
        });
        continue;
      }
      for (const claims of tokensFor([setup])) {
        if (await letsIn(setup, claims, '10.1.0.1')) throw new Error(JSON.stringify({ setup, claims }));
      }
    }
  }, 300_000);
});

const issuer = { oidcDiscoveryUrl: 'https://id.example' };
const timed = { boundClaims: { exp: 7 } };
const population = (role: Partial<Role> = {}, config: MethodConfig = issuer) =>
  populationOf(bareRole(role), { path: 'm', type: 'jwt', config });
const suite: Extract<ProviderConfig, { provider: 'workspace_suite' }> = {
  provider: 'workspace_suite',
  suiteServiceAccount: '/key.json',
  suiteAdminImpersonate: 'a@b.example',
  fetchGroups: true,
  fetchUserInfo: false,
  groupsRecurseMaxDepth: 0,
};

describe('a population', () => {
  test('in words is what the role asks for', () => {
    expect(populationWords(population({ boundSubject: 'x', boundAudiences: ['y'] }))).toBe(
      'claim sub "x", audience "y"',
    );
    expect(populationWords(population(people))).toBe('');
    const boundClaims = { org: ['a*', 'b'] };
    const bounds = { boundClaims, boundAudiences: ['y'], tokenBoundCidrs: ['10.0.0.0/8'] };
    expect(populationWords(population({ ...bounds, boundClaimsType: 'glob' }))).toBe(
      'audience "y", claim org like "a*" or "b", source address 10.0.0.0/8',
    );
  });

  test('has a witness in groups, and in a group is part of the whole', () => {
    const readers = population({ groupsClaim: '/realm/groups', boundAudiences: ['app'] });
    const claims = { aud: 'app', sub: 'x', realm: { groups: ['admins', 'ops'] } };
    expect(witnessOf(readers, ['admins', 'ops'])?.claims).toEqual(claims);
    expect(inclusion(inGroups(readers, ['admins']), readers)).toEqual({ answer: 'yes' });
    const because = 'claim /realm/groups need not be "admins"';
    expect(answers(readers, inGroups(readers, ['admins']))).toBe(because);
  });

  test('has no words and no groups where there are none', () => {
    expect(Object.keys(population())).toEqual(['conditions']);
    expect(Object.keys(population({ groupsClaim: '' }))).toEqual(['conditions']);
    expect(population({ groupsClaim: 'g' }).groupsAt).toBe('g');
  });

  test('in groups is the same where its role reads none', () => {
    const all = population();
    expect(inGroups(all, ['a'])).toBe(all);
  });

  test('in a group whose name has a star is in that group', () => {
    expect(witnessOf(population({ groupsClaim: 'g' }), ['a*'])?.claims).toMatchObject({ g: 'a*' });
  });

  test('has a witness at the first of its addresses, by its keys', () => {
    const tokenBoundCidrs = ['10.0.0.0/8', '11.0.0.0/8'];
    expect(witnessOf(population({ tokenBoundCidrs }))).toStrictEqual({
      claims: { sub: 'x' },
      address: '10.0.0.0',
      signedBy: { keys: { keysOf: 'https://id.example' } },
      by: 'token',
    });
    expect(witnessOf(population({}, {}))).toStrictEqual({ claims: { sub: 'x' }, by: 'token' });
  });

  test('has no witness where only the clock can decide', () => {
    expect(witnessOf(population(timed))).toBeUndefined();
  });
});

describe('inclusion', () => {
  const cases: Record<string, [Population, Population, string | RegExp, string | RegExp]> = {
    'another CA certificate for the same address': [
      population({}, { ...issuer, oidcDiscoveryCaPem: 'AAAA' }),
      population({}, { ...issuer, oidcDiscoveryCaPem: 'BBBB\n' }),
      /^tokens may be signed by keys of https:\/\/id.example by CA certificate sha256:\w{8}$/,
      /^tokens may be signed by keys of https:\/\/id.example by CA certificate sha256:\w{8}$/,
    ],
    'one key more, in other line breaks': [
      population({}, { jwtValidationPubkeys: ['AA\nBB', 'CC'] }),
      population({}, { jwtValidationPubkeys: ['AA\r\nBB\n'] }),
      /^tokens may be signed by public key sha256:/,
      'yes',
    ],
    'one pair of keys more': [
      population({}, { jwksPairs: [{ jwks_url: 'https://a' }, { jwks_url: 'https://b', jwks_ca_pem: 'C' }] }),
      population({}, { jwksPairs: [{ jwks_url: 'https://a' }] }),
      /^tokens may be signed by keys of https:\/\/b by CA certificate/,
      'yes',
    ],
    'an algorithm that proves nothing': [
      population({}, { ...issuer, jwtSupportedAlgs: ['RS256', 'none'] }),
      population(),
      'signing algorithm may be "none"',
      /^signing algorithm may be "RS384"$/,
    ],
    'another port on loopback': [
      population({ ...people, allowedRedirectUris: ['http://localhost:9/cb'] }),
      population({ ...people, allowedRedirectUris: ['http://localhost:8250/cb'] }),
      'yes',
      'yes',
    ],
    'sign-ins by browser': [population(people), population(), 'sign-in by browser', 'sign-in by token'],
    'another name in the certificate, and no issuer bound': [
      population({}, { ...issuer, overrideAllowedServerNames: ['evil.example'] }),
      population({}, { ...issuer, boundIssuer: 'https://id.example' }),
      'name in the provider’s certificate may be "evil.example"',
      'yes',
    ],
    'names of policies that a claim fills in': [
      population({ policies: ['of-{{.team.id}}'], tokenPoliciesTemplateClaims: true }),
      population({ policies: ['of-{{.team.id}}'] }),
      'yes',
      'claim team.id need not be there',
    ],
    'a policy that no sign-in gives': [
      population({ policies: ['Root '] }),
      population({ boundSubject: 'x' }),
      'yes',
      'policies need not be some that no sign-in gives',
    ],
    'groups of groups': [
      population(
        { ...people, groupsClaim: 'groups' },
        { ...issuer, providerConfig: { ...suite, groupsRecurseMaxDepth: 10 } },
      ),
      population({ ...people, groupsClaim: 'groups' }, { ...issuer, providerConfig: suite }),
      'depth of groups in groups may be 10, not only 0',
      'yes',
    ],
    'settings of a provider that is not modeled': [
      population({}, { ...issuer, providerConfig: { provider: 'secureauth' } as never }),
      population(),
      'providerConfig?',
      'providerConfig?',
    ],
    'another claim for who they are': [
      population({ userClaim: '/profile/nickname', userClaimJsonPointer: true }),
      population({ userClaim: 'sub' }),
      'claim sub need not be there',
      'claim /profile/nickname need not be there',
    ],
    'one value more': [
      population({ boundClaims: { org: ['acme', 'beta'] } }),
      population({ boundClaims: { '/org': 'acme' } }),
      'claim org may be "beta"',
      'yes',
    ],
    'a glob that is wider': [
      population({ boundClaims: { repository: 'acme/*' }, boundClaimsType: 'glob' }),
      population({ boundClaims: { repository: ['acme/a*', 'acme/b'] }, boundClaimsType: 'glob' }),
      'claim repository may be "acme/x"',
      'yes',
    ],
    'addresses that cannot be read': [
      population({ tokenBoundCidrs: ['(hidden 1)', '10.0.0.1'] }),
      population({ tokenBoundCidrs: ['10.0.0.1'] }),
      'source addresses "(hidden 1)"?',
      'yes',
    ],
    'addresses that cannot be read, and are gone': [
      population(),
      population({ tokenBoundCidrs: ['(hidden 1)'] }),
      'source address need not be (hidden 1)',
      'yes',
    ],
    'a bound time, which only the clock can judge': [
      population({ boundClaims: { exp: 7 as never } }),
      population(),
      'what claim exp, a time, may be?',
      'what claim exp, a time, may be?',
    ],
  };
  test.each(Object.entries(cases))('of %s, and the other way around', (_, [one, other, forward, back]) => {
    const wanted = (text: string | RegExp) => (typeof text === 'string' ? text : expect.stringMatching(text));
    expect([answers(one, other), answers(other, one)]).toEqual([forward, back].map(wanted));
  });

  test('is not known where the method is not, but for what the role asks', () => {
    const inner = populationOf(bareRole({}), undefined);
    expect(answers(inner, inner)).toBe('yes');
    expect([answers(inner, population()), answers(population(), inner)]).toEqual(
      Array(2).fill('configuration of method m?'),
    );
    expect(answers(inner, population({ boundSubject: 'x' }))).toBe('claim sub need not be "x"');
  });

  test('that fails shows the sign-in that makes the difference', () => {
    const from = (...tokenBoundCidrs: string[]) => population({ boundAudiences: ['app'], tokenBoundCidrs });
    const shown = {
      address: '10.128.0.0',
      signedBy: { keys: { keysOf: 'https://id.example' } },
      by: 'token',
    };
    expect(inclusion(from('10.0.0.0/8'), from('10.0.0.0/9'))).toEqual({
      answer: 'no',
      because: { kind: 'address', address: '10.128.0.0' },
      witness: { claims: { aud: 'app', sub: 'x' }, ...shown },
    });
  });

  test('of several audiences of an ID token, one is the client', () => {
    const fields = { ...people, boundAudiences: ['y'], boundClaims: { aud: ['z'] } };
    const own = { ...issuer, oidcClientId: 'x' };
    const inner = population(fields, own);
    expect(witnessOf(inner)?.claims['aud']).toEqual(['y', 'z', 'x']);
    expect(inclusion(inner, population({ ...people, boundClaims: { aud: 'x' } }, own))).toEqual({
      answer: 'yes',
    });
  });

  test('in itself is certain, whatever cannot be decided', () => {
    expect(inclusion(population(timed), population(timed))).toEqual({ answer: 'yes' });
  });

  test('of what cannot be decided is unknown, for that reason', () => {
    const missing = { kind: 'claim-is-time', claim: 'exp' };
    expect(inclusion(population(timed), population({ boundSubject: 'x' }))).toEqual({
      answer: 'unknown',
      missing,
    });
  });

  test.each<[string, Partial<Role>, MethodConfig, MethodConfig, string]>([
    ['a client’s audience', people, issuer, { ...issuer, oidcClientId: 'c' }, 'audience need not be "c"'],
    [
      'a client',
      { ...people, boundAudiences: ['a'] },
      issuer,
      { ...issuer, oidcClientId: 'c' },
      'client need not be "c"',
    ],
  ])('fails for %s', (_, role, inner, outer, because) => {
    expect(answers(population(role, inner), population(role, outer))).toBe(because);
  });

  test.each<[string, MethodConfig, string]>([
    ['key', { ...issuer, jwksUrl: 'https://other.example' }, 'keys of https://other.example'],
    [
      'algorithm',
      { ...issuer, jwtSupportedAlgs: ['none'] },
      'keys of https://id.example, by algorithm "none"',
    ],
    ['certificate', { ...issuer, overrideAllowedServerNames: ['a'] }, 'keys of https://id.example'],
  ])('fails for another %s, which signs the token of the witness', (_, config, signedBy) => {
    const found = inclusion(population({}, config), population());
    const signer = found.answer === 'no' ? found.witness.signedBy : undefined;
    expect(signer && signerWords(signer)).toBe(signedBy);
  });

  test.each([
    [['10.0.0.0/8'], '192.0.2.1'],
    [['192.0.2.0/24'], '2001:db8::1'],
    [['192.0.2.0/24', '2001:db8::/32'], '0.0.0.0'],
    [['0.0.0.0/0', '2001:db8::/32'], '::'],
  ])('fails for an address that is not in %j: %s', (tokenBoundCidrs, address) => {
    expect(inclusion(population(), population({ tokenBoundCidrs }))).toMatchObject({ witness: { address } });
  });

  test('is unknown where an address may be in a range that cannot be read', () => {
    const outer = population({ tokenBoundCidrs: ['10.0.0.0/8', '?'] });
    const unknown = { answer: 'unknown', missing: { kind: 'unreadable-addresses', range: '?' } };
    expect(inclusion(population({ tokenBoundCidrs: ['11.0.0.1'] }), outer)).toEqual(unknown);
    expect(inclusion(population({ tokenBoundCidrs: ['10.0.0.1'] }), outer)).toEqual({ answer: 'yes' });
  });
});

describe('two populations have no one in common', () => {
  const scopes = (scope: string) => population({ ...people, groupsClaim: 'g', oidcScopes: [scope] });
  const keys = (...jwtValidationPubkeys: string[]) => population({}, { jwtValidationPubkeys });
  const from = (...tokenBoundCidrs: string[]) => population({ tokenBoundCidrs });
  const other = { oidcDiscoveryUrl: 'https://other.example' };

  const cases: Record<string, [Population, Population, boolean]> = {
    'two subjects': [population({ boundSubject: 'x' }), population({ boundSubject: 'y' }), true],
    'two values of a claim': [
      population({ boundClaims: { a: 'x' } }),
      population({ boundClaims: { a: 'y' } }),
      false,
    ],
    'by browser and by token': [population(), population(people), true],
    nobody: [population(), population({ boundClaims: { a: [] as never } }), false],
    'not by other scopes': [scopes('a'), scopes('b'), false],
    'not where the keys of one are not known': [population(), population({}, {}), false],
    'not where the keys of the other are not known': [population({}, {}), population(), false],
    'not where they share a key': [keys('AA', 'BB'), keys('BB', 'CC'), false],
    'where they share no key': [keys('AA', 'BB'), keys('CC', 'DD'), true],
    'where only the clock decides, and keys differ': [population(timed), population({}, other), true],
    'not where only the clock decides': [population(timed), population(), false],
    'not where a range is in another': [
      from('10.0.0.0/8', '12.0.0.0/8'),
      from('11.0.0.0/8', '12.1.0.0/16'),
      false,
    ],
    'not where ranges share their last address': [from('10.0.0.0/31'), from('10.0.0.1'), false],
    'not where ranges share their first address': [from('10.0.0.1'), from('10.0.0.0/31'), false],
    'not where one address is the same': [from('10.0.0.1'), from('10.0.0.1/32'), false],
    'where all ranges differ': [from('10.0.0.0/8'), from('11.0.0.0/8', '12.0.0.0/8'), true],
  };
  test.each(Object.entries(cases))('%s', (_, [one, another, disjoint]) => {
    expect(isDisjoint(one, another)).toBe(disjoint);
  });
});
