import { expect, test } from '@jest/globals';
import type { Change } from '../../../src/graph/change.ts';
import { otherMount, otherRole } from '../../../src/graph/resources/other-access.ts';
import { roleSubject } from '../../../src/graph/subject.ts';
import { changeRules, judgeChange } from '../../../src/review/rules/rules.ts';
import { change as changeOf } from '../graphs.ts';
import { jwtMethod, jwtRole, message, oidcMethod, oidcRole } from './graph-fixture.ts';
import { allow, type ChangeCase, policy, policyChangeCases, templates } from './policy-change-cases.ts';
import { testCases } from './rule-case.ts';

const roles = (before: object, after: object) =>
  changeOf({ roles: [jwtRole(before)] }, { roles: [jwtRole(after)] });
const people = (before: object, after: object) =>
  changeOf({ roles: [oidcRole(before)] }, { roles: [oidcRole(after)] });
const remade = (before: object, after: object): Change => ({
  ...roles(before, after),
  remade: [roleSubject(jwtRole())],
});
const messages = (before: object[], after: object[]) =>
  changeOf({ messages: before.map(message) }, { messages: after.map(message) });
const tuned = (before?: object, after?: object) =>
  changeOf(
    { methods: [{ ...oidcMethod(), ...(before && { tune: before }) }] },
    { methods: [{ ...oidcMethod(), ...(after && { tune: after }) }] },
  );
const around = (name: string, member: string) => ({
  ...{ kind: 'group' as const, name, policies: [] },
  members: [{ kind: 'group' as const, name: member }],
});
const staff = { type: 'method', name: 'staff' } as const;
const alias = { name: 'a', method: 'staff', group: 'admins' };
const whole = { methods: [oidcMethod()], roles: [oidcRole()], aliases: [alias] };

const loginAdmin = [{ name: 'deploy', text: allow('sys/policies/acl/*', 'update') }];
const anyJob = { oidcDiscoveryUrl: 'https://token.actions.githubusercontent.com' };
const ofAnyJob = (policies: string[]) => ({
  methods: [jwtMethod(anyJob)],
  roles: [jwtRole({ boundSubject: undefined, policies })],
});

/** What no list of its own has: it is told apart by its type. */
const other = (type: string, bounds: object = {}) => ({
  otherAccess: [
    {
      identity: { type, name: 'x' },
      name: 'x',
      effect: 'gives' as const,
      policies: [],
      bounds: { ...bounds },
    },
  ],
});
const ofSuite = (bound: object) => {
  const methods = [oidcMethod({ oidcDiscoveryUrl: 'https://accounts.google.com' })];
  return changeOf({ methods }, { methods, roles: [oidcRole({ policies: ['deploy'], ...bound })] });
};

const appRole = (...policies: string[]) =>
  otherRole({ type: 'approle', mount: 'approle', noun: 'role', name: 'app' }, { token_policies: policies });

const cases: Record<string, ChangeCase> = {
  'administration-gained': {
    error: {
      'a role that comes to write policies': [
        changeOf(
          { roles: [jwtRole({ policies: [] })], policies: loginAdmin },
          { roles: [jwtRole()], policies: loginAdmin },
        ),
        'they could change auth methods and policies (`sys/policies/acl/*`)',
      ],
      'an AppRole that is there, without a role of ours': [
        changeOf(
          { otherAccess: [appRole()], policies: loginAdmin },
          { otherAccess: [appRole('deploy')], policies: loginAdmin },
        ),
        'This makes them administrators',
      ],
      'an AppRole next to others': [
        changeOf(
          { otherAccess: [appRole()], policies: loginAdmin },
          { otherAccess: [appRole(), { ...appRole('deploy'), name: 'b' }], policies: loginAdmin },
        ),
        'This makes them administrators',
      ],
      'an entity that is there': [
        changeOf(
          { identities: [{ kind: 'entity', name: 'e', policies: [] }], policies: loginAdmin },
          { identities: [{ kind: 'entity', name: 'e', policies: ['deploy'] }], policies: loginAdmin },
        ),
        'This makes them administrators',
      ],
      'a directory whose mount gives it': [
        changeOf(
          { otherAccess: [otherMount('ldap', 'ldap', { token_policies: ['a'] })], policies: loginAdmin },
          { otherAccess: [otherMount('ldap', 'ldap', { token_policies: ['deploy'] })], policies: loginAdmin },
        ),
        'This makes them administrators',
      ],
      'a policy that is held elsewhere alone': [
        changeOf(
          { policies: [{ name: 'p', text: allow('a', 'read') }] },
          { policies: [{ name: 'p', text: allow('*', 'update', 'sudo') }] },
        ),
        'This makes them administrators',
      ],
    },
    warning: {
      'a first set-up next to who administers already': [
        changeOf(
          { otherAccess: [appRole('deploy')], policies: loginAdmin },
          { otherAccess: [appRole('deploy')], roles: [jwtRole()], policies: loginAdmin },
        ),
        'This makes them administrators',
      ],
      'a first AppRole': [
        changeOf({}, { otherAccess: [appRole('deploy')], policies: loginAdmin }),
        'This makes them administrators',
      ],
      'a first set-up': [
        changeOf({}, { roles: [jwtRole()], policies: loginAdmin }),
        'This makes them administrators',
      ],
    },
    quiet: {
      'what was there': changeOf(
        { roles: [jwtRole()], policies: loginAdmin },
        { roles: [jwtRole()], policies: loginAdmin },
      ),
      'a policy that reads policies': policy('', allow('sys/policies/acl/*', 'read')),
      'a policy that administers nothing': policy('', allow('secret/*', 'update')),
    },
  },
  'open-to-the-internet': {
    error: {
      'a role for any job of a public service': [
        changeOf(ofAnyJob([]), ofAnyJob(['deploy'])),
        'Anyone can sign in',
      ],
      'people of any organization, and of none': [ofSuite({}), 'everyone with an account'],
    },
    quiet: {
      'people of one organization': ofSuite({ boundClaims: { hd: 'example.com' } }),
      'a role for one repository': changeOf(
        { methods: [jwtMethod(anyJob)] },
        { methods: [jwtMethod(anyJob)], roles: [jwtRole()] },
      ),
      'one that was there': changeOf(ofAnyJob(['deploy']), ofAnyJob(['deploy'])),
    },
  },
  'identity-can-be-chosen': {
    warning: { 'a nickname': [people({}, { userClaim: 'nickname' }), 'nickname'] },
    quiet: { 'an object id': people({}, { userClaim: 'oid' }) },
  },
  'lock-out': {
    error: {
      'the last administrator': [
        changeOf({ roles: [jwtRole()], policies: loginAdmin }, { policies: loginAdmin }),
        'No one managed here can get policy "deploy"',
      ],
    },
    quiet: {
      'one that stays': changeOf(
        { roles: [jwtRole()], policies: loginAdmin },
        { roles: [jwtRole()], policies: loginAdmin },
      ),
    },
  },
  ...policyChangeCases,
  'mount-lost': {
    error: {
      'a mount that is made again': [
        changeOf(whole, whole, { replaced: [staff] }),
        'replaced with 1 role and 1 group alias',
      ],
      'a mount that goes and leaves an alias': [
        changeOf(whole, { aliases: [alias] }),
        'The mount is deleted with 1 role',
      ],
    },
    warning: {
      'a mount that goes with all that it has': [changeOf(whole, {}), 'The mount is deleted with 1 role'],
    },
    quiet: {
      'a bare mount': changeOf(
        { methods: [oidcMethod()] },
        { methods: [oidcMethod()] },
        { replaced: [staff] },
      ),
      'a mount that stays': changeOf(whole, whole),
    },
  },
  'trust-changed': {
    error: {
      'another cluster': [
        changeOf(other('configuration', { host: 'a' }), other('configuration', { host: 'b' })),
        'host changes',
      ],
    },
    quiet: {
      'a new one': changeOf({}, other('configuration', { host: 'a' })),
      'the same': changeOf(other('configuration', { host: 'a' }), other('configuration', { host: 'a' })),
    },
  },
  'guard-removed': {
    error: { 'a second factor': [changeOf(other('guard'), {}), 'blocked requests that policies allow'] },
    quiet: { 'one that comes': changeOf({}, other('guard')) },
  },
  'credential-made': {
    warning: {
      'a secret id': [changeOf({}, other('secretId')), 'read the state'],
      'a token': [changeOf({}, other('token')), 'read the state'],
    },
    quiet: { 'one that stays': changeOf(other('secretId'), other('secretId')) },
  },
  'takes-over': {
    warning: {
      'a policy that is there': [
        changeOf({}, {}, { taken: [{ type: 'policy', name: 'deploy' }] }),
        'It already exists on the service',
      ],
      several: [
        changeOf({}, {}, { taken: ['a', 'b'].map((name) => ({ type: 'policy', name })) }),
        '2 resources already exist on the service',
      ],
    },
    quiet: { 'nothing that is there': changeOf({}, {}) },
  },
  'bound-removed': {
    warning: {
      'a subject': [roles({}, { boundSubject: undefined }), 'need not be "project:1"'],
      'an audience more': [roles({}, { boundAudiences: ['secrets', 'x'] }), 'audience'],
      'a claim': [roles({ boundClaims: { ref: 'main' } }, {}), 'claim ref'],
      'a value more of a claim': [
        roles({ boundClaims: { ref: 'main' } }, { boundClaims: { ref: ['main', 'dev'] } }),
        'may be "dev"',
      ],
      'a * that comes to life': [
        roles(
          { boundClaims: { ref: 'release/*' } },
          { boundClaims: { ref: 'release/*' }, boundClaimsType: 'glob' },
        ),
        'claim ref may be "release/x"',
      ],
      'source addresses': [roles({ tokenBoundCidrs: ['10.0.0.0/8'] }, {}), 'source address'],
      'an issuer': [
        changeOf({ methods: [jwtMethod({ boundIssuer: 'https://i' })] }, { methods: [jwtMethod()] }),
        'https://i',
      ],
    },
    quiet: {
      'a value less': roles({ boundClaims: { ref: ['main', 'dev'] } }, { boundClaims: { ref: 'main' } }),
      'a bound more': roles({}, { boundClaims: { ref: 'main' } }),
      'another subject, which is another way in': roles({}, { boundSubject: 'project:2' }),
      'a first bound of source addresses': roles({}, { tokenBoundCidrs: ['10.0.0.0/8'] }),
      'a role that has not been there': changeOf({}, { roles: [jwtRole()] }),
    },
  },
  'token-lives-longer': {
    warning: {
      'a longer life': [
        roles({ ttl: 600 }, { ttl: 3600 }),
        'Tokens last 1h instead of 10m. Workloads that are removed keep access up to 50m longer.',
      ],
      'a limit that goes': [roles({ tokenMaxTtl: 600 }, {}), 'to the method’s value'],
      'a period': [roles({}, { tokenPeriod: 60 }), 'tokenPeriod goes from none to 1m'],
    },
    quiet: {
      'a shorter life': roles({ ttl: 3600 }, { ttl: 600 }),
      'a first limit': roles({}, { tokenMaxTtl: 600 }),
      'a role that has not been there': changeOf({}, { roles: [jwtRole({ ttl: 86_400 })] }),
    },
  },
  'redirect-host-added': {
    warning: {
      'another host': [
        people({}, { allowedRedirectUris: ['https://other.example.com/x'] }),
        'other.example.com',
      ],
    },
    quiet: {
      'a host less': people({}, { allowedRedirectUris: [] }),
      'another path on the same': people(
        {},
        { allowedRedirectUris: ['https://secrets.example.com:8200/v1/x'] },
      ),
    },
  },
  'message-published': {
    warning: {
      'a new one': [messages([], [{ authenticated: false }]), 'Anyone'],
      'one that was for people inside': [messages([{}], [{ authenticated: false }]), 'Anyone'],
      'a new text': [
        messages([{ authenticated: false }], [{ authenticated: false, message: 'other' }]),
        'Anyone',
      ],
    },
    quiet: {
      'one that was there': messages([{ authenticated: false }], [{ authenticated: false, type: 'modal' }]),
      'one after sign-in': messages([], [{}]),
    },
  },
  'secret-rotated': {
    info: { 'a secret': [changeOf({}, {}, { rotated: [staff] }), 'A secret of auth/staff changes'] },
    quiet: { none: changeOf(whole, whole) },
  },
  'sticky-field': {
    warning: {
      'a field that an update leaves': [
        changeOf({}, {}, { left: [{ type: 'role', name: 'web', method: 'ci', field: 'maxAge' }] }),
        'maxAge stays as it is',
      ],
      'a tuning': [
        tuned({ listingVisibility: 'unauth', maxLeaseTtl: 60 }, undefined),
        'tune is removed (listingVisibility, maxLeaseTtl)',
      ],
      'a tuning that is emptied': [tuned({ maxLeaseTtl: 60 }, {}), 'tune is removed'],
    },
    quiet: {
      'a tuning that changes': tuned({ maxLeaseTtl: 60 }, { defaultLeaseTtl: 60 }),
      'no tuning': tuned(undefined, undefined),
      'a field that is cleared': people({ claimMappings: { a: 'b' } }, { claimMappings: {} }),
    },
  },
  'role-replaced': {
    info: {
      'for fields that an update would leave': [
        remade({ claimMappings: { a: 'b' }, maxAge: 60 }, {}),
        'created again: an update would leave claimMappings, maxAge. Sign-ins fail in between',
      ],
      'for another type': [remade({ roleType: 'oidc' }, {}), 'its type changes'],
      'for another resource': [
        remade({ boundClaims: { protected: 'true' } }, { boundClaims: { protected: true } }),
        'the types of its bound claims need another resource',
      ],
    },
    quiet: {
      'one that is updated': roles({}, { maxAge: 60 }),
      'for what only the plan knows': remade({}, { ttl: 60 }),
    },
  },
  'cannot-be-judged': {
    error: {
      'what a plan leaves unknown': [
        changeOf({}, {}, { unknown: [{ type: 'role', name: 'web', method: 'ci', field: 'boundAudiences' }] }),
        'The boundAudiences of role "web" of auth/ci',
      ],
      'a change of which too much would have to be compared': [
        policy(templates, templates.replaceAll('"read"', '"update"')),
        'there are more ways to fill in templates than can be compared',
      ],
      'a text that cannot be read': [policy(allow('a', 'read'), 'path {'), 'unreadable'],
      'groups in a circle': [
        changeOf({}, { identities: [around('a', 'b'), around('b', 'a'), around('c', 'a')] }),
        'by a group in it: "a", "b".',
      ],
      'a group in itself': [changeOf({}, { identities: [around('a', 'A')] }), 'by a group in it: "a".'],
    },
    warning: {
      'a role that gets a policy whose text cannot be read': [
        changeOf(
          { policies: [{ name: 'Deploy', text: 'path {' }], roles: [jwtRole({ policies: [] })] },
          { policies: [{ name: 'Deploy', text: 'path {' }], roles: [jwtRole()] },
        ),
        'what policy "deploy" allows',
      ],
      'a role with such a policy that accepts more': [
        changeOf(
          { policies: [{ name: 'deploy', text: 'path {' }], roles: [jwtRole()] },
          { policies: [{ name: 'deploy', text: 'path {' }], roles: [jwtRole({ boundSubject: undefined })] },
        ),
        'what policy "deploy" allows',
      ],
    },
    quiet: {
      'what is known': changeOf(whole, whole),
      'a text that cannot be read and stays, with all who have it': policy('path {', 'path {'),
    },
  },
};

const findings = (rule: string, change: Change) =>
  judgeChange(change).filter((finding) => finding.rule === rule);

testCases(cases, changeRules, {
  objection: (id, [change, says], severity) =>
    expect(findings(id, change)).toEqual([
      expect.objectContaining({ severity, message: expect.stringContaining(says) }),
    ]),
  silence: (id, change) => expect(findings(id, change)).toEqual([]),
});

test('the rules over a change say nothing of nothing changed', () => {
  expect(judgeChange(changeOf(whole, whole))).toEqual([]);
});

test('open-to-the-internet names the setting that keeps strangers out', () => {
  const found = judgeChange(ofSuite({})).find(({ rule }) => rule === 'open-to-the-internet');
  expect(found?.fix).toBe('Set hostedDomain to the domain of your organization.');
});
