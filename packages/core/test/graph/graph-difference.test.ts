import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Graph } from '../../src/graph/graph.ts';
import { graphDifferences } from '../../src/graph/graph-difference.ts';
import { graphOf } from '../review/graphs.ts';
import {
  jwtMethod,
  jwtRole,
  message,
  oidcMethod,
  oidcRole,
  workspaceSuite as suite,
} from '../review/rules/graph-fixture.ts';

const between = (declared: Partial<Graph>, live: Partial<Graph>) =>
  graphDifferences(graphOf(declared), graphOf(live));
const roles = (declared: object, live: object) =>
  between({ roles: [oidcRole(declared)] }, { roles: [oidcRole(live)] });
const methods = (declared: object, live: object) =>
  between({ methods: [{ ...oidcMethod(), ...declared }] }, { methods: [{ ...oidcMethod(), ...live }] });
const config = (declared: object, live: object) =>
  methods({ config: oidcMethod(declared).config }, { config: oidcMethod(live).config });
const policies = (declared: string, live: string) =>
  between({ policies: [{ name: 'p', text: declared }] }, { policies: [{ name: 'p', text: live }] });
const messages = (declared: object, live: object) =>
  between({ messages: [message(declared)] }, { messages: [message(live)] });
const groups = (declared: object, live: object) =>
  between(
    { groups: [{ name: 'g', policies: ['p'], ...declared }] },
    { groups: [{ name: 'g', policies: ['p'], ...live }] },
  );

describe('no difference', () => {
  const same: Record<string, ReturnType<typeof between>> = {
    'the order of a set': roles({ policies: ['a', 'b'] }, { policies: ['b', 'a'] }),
    'the case of a policy': roles({ policies: ['Reader'] }, { policies: ['reader'] }),
    'defaults that are said': roles({ boundClaimsType: 'string', clockSkewLeeway: 0, maxAge: 0 }, {}),
    'booleans that are false by default': roles({ tokenNoDefaultPolicy: false }, {}),
    'the default type of tokens': roles({}, { tokenType: 'default' }),
    'the default mode of callbacks': roles({}, { callbackMode: 'client' }),
    'one bound value or a list of it': roles({ boundClaims: { a: 'x' } }, { boundClaims: { a: ['x'] } }),
    'the order of bound values and claims': roles(
      { boundClaims: { a: ['x', 'y'], b: 'z' } },
      { boundClaims: { b: 'z', a: ['y', 'x'] } },
    ),
    'one address or a range of one': roles({ tokenBoundCidrs: ['::1/128'] }, { tokenBoundCidrs: ['::1'] }),
    'the case of a role': roles({ name: 'Reader' }, { name: 'reader' }),
    'an empty map': roles({ claimMappings: {} }, {}),
    'blanks around a certificate': config({ oidcDiscoveryCaPem: 'PEM\n' }, { oidcDiscoveryCaPem: 'PEM' }),
    'the default mode of answers': config({ oidcResponseMode: 'query' }, {}),
    'the default type of answers': config({}, { oidcResponseTypes: ['code'] }),
    'the namespace in the state, as by default': config({}, { namespaceInState: true }),
    'a client that the program creates': config({ oidcClientId: undefined }, { oidcClientId: 'made' }),
    'a service account, which no read gives': config(
      { providerConfig: suite },
      { providerConfig: { ...suite, suiteServiceAccount: '' } },
    ),
    'an empty name in a list of a tuning': methods({}, { tune: { passthroughRequestHeaders: [''] } }),
    'a tuning that is the default': methods({ tune: { tokenType: 'default-service' } }, {}),
    'the order of what a policy lists': policies(
      'path "a" {capabilities=["read","list"] required_parameters=["x","y"] allowed_parameters={x=[1,2], y=[]}}',
      'path "a" {capabilities=["list","read"] required_parameters=["y","x"] allowed_parameters={y=[], x=[2,1]}}',
    ),
    'blanks and comments of a policy': policies(
      'path "a" {capabilities=["read"]}',
      '# why\npath "a" {\n  capabilities = ["read"]\n}\n',
    ),
    'instants in two zones': messages(
      { startTime: '2026-01-01T00:00:00Z' },
      { startTime: '2026-01-01T01:00:00.000+01:00' },
    ),
    'the case of a group': groups({ name: 'G' }, {}),
  };
  test.each(Object.entries(same))('is %s', (_, differences) => {
    expect(differences).toEqual([]);
  });
});

describe('a difference', () => {
  const changed: Record<
    string,
    [ReturnType<typeof between>, field: string, declared: unknown, live: unknown]
  > = {
    'a list that is longer': [
      roles({ policies: ['a'] }, { policies: ['a', 'b'] }),
      'policies',
      ['a'],
      ['a', 'b'],
    ],
    'a duration': [roles({ ttl: 3600 }, { ttl: 3601 }), 'ttl', 3600, 3601],
    'a default that is gone': [roles({}, { boundClaimsType: 'glob' }), 'boundClaimsType', undefined, 'glob'],
    'a callback mode': [roles({}, { callbackMode: 'direct' }), 'callbackMode', undefined, 'direct'],
    'a boolean in place of its text': [
      roles({ boundClaims: { a: 'true' } }, { boundClaims: { a: [true] } }),
      'boundClaims',
      { a: ['true'] },
      { a: [true] },
    ],
    'the state without its namespace': [
      config({}, { namespaceInState: false }),
      'namespaceInState',
      undefined,
      false,
    ],
    'a URL': [
      config({}, { oidcDiscoveryUrl: 'https://other' }),
      'oidcDiscoveryUrl',
      'https://id.example.com',
      'https://other',
    ],
    'a tuning': [methods({ tune: { maxLeaseTtl: 60 } }, {}), 'tune.maxLeaseTtl', 60, undefined],
    'a tuning that nobody declared': [
      methods({}, { tune: { maxLeaseTtl: 60 } }),
      'tune.maxLeaseTtl',
      undefined,
      60,
    ],
    'headers that the method gets to see': [
      methods(
        { tune: { maxLeaseTtl: 60 } },
        { tune: { maxLeaseTtl: 60, passthroughRequestHeaders: ['x-a'] } },
      ),
      'tune.passthroughRequestHeaders',
      undefined,
      ['x-a'],
    ],
    'names of policies that claims fill in': [
      roles({}, { tokenPoliciesTemplateClaims: true }),
      'tokenPoliciesTemplateClaims',
      undefined,
      true,
    ],
    'a token bound to its address': [
      roles({}, { tokenStrictlyBindIp: true }),
      'tokenStrictlyBindIp',
      undefined,
      true,
    ],
    'a message that is published': [messages({}, { authenticated: false }), 'authenticated', true, false],
    metadata: [groups({}, { metadata: { team: 'x' } }), 'metadata', undefined, { team: 'x' }],
  };
  test.each(Object.entries(changed))('is %s', (_, [differences, field, declared, live]) => {
    expect(differences).toMatchObject([{ kind: 'changed', field }]);
    expect([differences[0]?.declared, differences[0]?.live]).toEqual([declared, live]);
  });

  test('is what a policy allows', () => {
    const [read, list] = ['read', 'list'].map((word) => `path "a" { capabilities = ["${word}"] }`);
    expect(policies(read!, list!)).toMatchObject([
      { kind: 'changed', subject: { name: 'p' }, field: 'text' },
    ]);
  });

  test('is an alias that another group has taken', () => {
    const alias = { name: 'X', method: 'staff' };
    const found = between(
      { aliases: [{ ...alias, group: 'admins' }] },
      { aliases: [{ ...alias, name: 'x', group: 'others' }] },
    );
    expect(found).toEqual([
      {
        kind: 'changed',
        subject: { type: 'alias', name: 'X', method: 'staff' },
        field: 'group',
        declared: 'admins',
        live: 'others',
        note: 'another group has taken the alias',
      },
    ]);
  });

  test('is what is missing, and what is there and not declared', () => {
    const found = between(
      { methods: [oidcMethod()], roles: [oidcRole()] },
      { methods: [jwtMethod()], roles: [jwtRole()] },
    );
    expect(found.map(({ kind, subject: { type, name } }) => [kind, type, name])).toEqual([
      ['missing', 'method', 'staff'],
      ['unmanaged', 'method', 'ci'],
      ['missing', 'role', 'reader'],
      ['unmanaged', 'role', 'deploy'],
    ]);
  });

  test('is a second message of one title', () => {
    const found = between(
      { messages: [message()] },
      { messages: [message(), message({ message: 'other' })] },
    );
    expect(found).toMatchObject([{ kind: 'unmanaged', subject: { type: 'message', name: 'Maintenance' } }]);
  });
});

const texts = fc.array(fc.stringMatching(/^[a-z]{1,6}$/), { maxLength: 4 });
const anyRole = fc.record(
  {
    policies: texts,
    boundAudiences: texts,
    oidcScopes: texts,
    ttl: fc.nat(10_000),
    boundClaims: fc.dictionary(
      fc.stringMatching(/^[a-z]{1,4}$/),
      fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }),
    ),
    claimMappings: fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.stringMatching(/^[a-z]{1,4}$/)),
  },
  { requiredKeys: [] },
);

describe('the comparison', () => {
  test('finds nothing between a state and itself in another order', () => {
    fc.assert(
      fc.property(anyRole, (fields) => {
        const reversed = Object.fromEntries(
          Object.entries(fields)
            .reverse()
            .map(([name, value]) => [name, Array.isArray(value) ? [...value].reverse() : value]),
        );
        expect(roles(fields, reversed)).toEqual([]);
      }),
    );
  });

  test('is the same from both sides', () => {
    fc.assert(
      fc.property(anyRole, anyRole, (one, other) => {
        const fields = (found: ReturnType<typeof roles>) => found.map(({ field }) => field).sort();
        expect(fields(roles(one, other))).toEqual(fields(roles(other, one)));
      }),
    );
  });
});
