import { expect, test } from '@jest/globals';
import type { Change } from '../../../src/graph/change.ts';
import { roleSubject } from '../../../src/graph/subject.ts';
import { changeRules, judgeChange } from '../../../src/review/rules/rules.ts';
import { change } from '../../worlds.ts';
import { change as changeOf } from '../graphs.ts';
import { jwtRole, message, oidcRole } from './graph-fixture.ts';
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
const staff = { type: 'method', name: 'staff' } as const;
const reader =
  'policy read: secret/shared/* read\n policy a: a read\n user people/ann read\n approle apps/app a';
const ofPeople = 'method staff oidc oidcDiscoveryUrl: https://id.example.com, oidcClientId: client';
const alias = 'alias a staff admins';
const whole = `${ofPeople}\n role staff/reader secrets-read roleType: oidc, ttl: 3600\n ${alias}`;
const admin = 'policy deploy: sys/policies/acl/* update';
const job = 'role deploy deploy boundSubject: project:1, tokenNoDefaultPolicy: false';
const anyJob = 'method ci oidcDiscoveryUrl: https://token.actions.githubusercontent.com';
const ofAnyJob = 'role deploy deploy tokenNoDefaultPolicy: false';
const isAdmin = 'This makes them administrators';

/** A person of a workspace suite who comes to deploy. */
const ofSuite = (bound: object) =>
  change(`
    method staff oidc oidcDiscoveryUrl: https://accounts.google.com, oidcClientId: client
    + role staff/reader deploy roleType: oidc, boundAudiences: [], ${JSON.stringify(bound).slice(1, -1)}`);
const cluster = 'configuration k8s kubernetes kubernetes_host: a';

const cases: Record<string, ChangeCase> = {
  'administration-gained': {
    error: {
      'a role that comes to write policies': [
        change(`${admin}\n ~ ${job.replace('deploy deploy', 'deploy -')} → deploy`),
        'they could change auth methods and policies (`sys/policies/acl/*`)',
      ],
      'an AppRole that is there, without a role of ours': [
        change(`${admin}\n ~ approle app - → deploy`),
        isAdmin,
      ],
      'an AppRole next to others': [change(`${admin}\n ~ approle app - → -\n + approle b deploy`), isAdmin],
      'an entity that is there': [change(`${admin}\n ~ entity e - → deploy`), isAdmin],
      'a directory whose mount gives it': [
        change(`${admin}\n ~ mount ldap ldap token_policies: [a] → token_policies: [deploy]`),
        isAdmin,
      ],
      'a policy that is held elsewhere alone': [change('~ policy p: a read → * update,sudo'), isAdmin],
    },
    warning: {
      'a first set-up next to who administers already': [
        change(`${admin}\n approle app deploy\n + ${job}`),
        isAdmin,
      ],
      'a first AppRole': [change(`+ ${admin}\n + approle app deploy`), isAdmin],
      'a first set-up': [change(`+ ${admin}\n + ${job}`), isAdmin],
    },
    quiet: {
      'what was there': change(`${admin}\n ${job}`),
      'a policy that reads policies': policy('', allow('sys/policies/acl/*', 'read')),
      'a policy that administers nothing': policy('', allow('secret/*', 'update')),
    },
  },
  'open-to-the-internet': {
    error: {
      'a role for any job of a public service': [
        change(`${anyJob}\n ~ ${ofAnyJob.replace('deploy deploy', 'deploy -')} → deploy`),
        'Anyone can sign in',
      ],
      'people of any organization, and of none': [ofSuite({}), 'everyone with an account'],
    },
    quiet: {
      'people of one organization': ofSuite({ boundClaims: { hd: 'example.com' } }),
      'a role for one repository': change(`${anyJob}\n + ${job}`),
      'one that was there': change(`${anyJob}\n ${ofAnyJob}`),
    },
  },
  'identity-can-be-chosen': {
    warning: { 'a nickname': [people({}, { userClaim: 'nickname' }), 'nickname'] },
    quiet: { 'an object id': people({}, { userClaim: 'oid' }) },
  },
  'credential-gained': {
    warning: {
      'a secret id where others read it': [
        change(`${reader}\n + kept secret/shared/creds apps/app`),
        'Reads secret/shared/creds, which signs in as role app of apps (approle)',
      ],
    },
    quiet: { 'a secret id that no one reads': change(`${reader}\n + kept secret/own/creds apps/app`) },
  },
  'lock-out': {
    error: {
      'the last administrator': [change(`${admin}\n - ${job}`), 'No one managed here can get policy deploy'],
    },
    quiet: { 'one that stays': change(`${admin}\n ${job}`) },
  },
  ...policyChangeCases,
  'mount-lost': {
    error: {
      'a mount that is made again': [
        change(whole, { replaced: [staff] }),
        'replaced with 1 role and 1 group alias',
      ],
      'a mount that goes and leaves an alias': [
        change(whole.replace('method', '- method').replace('role', '- role')),
        'The mount is deleted with 1 role',
      ],
    },
    warning: {
      'a mount that goes with all that it has': [
        change(whole.replace(/^\s*/gm, '- ')),
        'The mount is deleted with 1 role',
      ],
    },
    quiet: {
      'a bare mount': change(ofPeople, { replaced: [staff] }),
      'a mount that stays': change(whole),
    },
  },
  'trust-changed': {
    error: {
      'another cluster': [
        change(`~ ${cluster} → kubernetes_host: b`),
        'The method trusts another party: kubernetes_host. That party’s sign-ins get the same roles.',
      ],
    },
    quiet: {
      'a new one': change(`+ ${cluster}`),
      'the same': change(cluster),
    },
  },
  'guard-removed': {
    error: { 'a second factor': [change('- guard en'), 'blocked requests that policies allow'] },
    quiet: { 'one that comes': change('+ guard en') },
  },
  'credential-made': {
    warning: {
      'a secret id': [change('+ secret-id s apps/web'), 'read the state'],
      'a token': [change('+ made-token t'), 'read the state'],
    },
    quiet: { 'one that stays': change('secret-id s apps/web') },
  },
  'takes-over': {
    warning: {
      'a policy that is there': [
        change('', { taken: [{ type: 'policy', name: 'deploy' }] }),
        'It already exists on the service',
      ],
      several: [
        change('', { taken: ['a', 'b'].map((name) => ({ type: 'policy', name })) }),
        '2 resources already exist on the service',
      ],
    },
    quiet: { 'nothing that is there': change('') },
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
      'a subject of a role whose method drops its issuer': [
        change(`~ method ci boundIssuer: https://i → boundIssuer: null\n ~ ${job} → boundSubject: null`),
        'need not be "project:1"',
      ],
    },
    quiet: {
      'an issuer, which trust-changed says once': change(
        `~ method ci boundIssuer: https://i → boundIssuer: null\n ${job}`,
      ),
      'a value less': roles({ boundClaims: { ref: ['main', 'dev'] } }, { boundClaims: { ref: 'main' } }),
      'a bound more': roles({}, { boundClaims: { ref: 'main' } }),
      'another subject, which is another way in': roles({}, { boundSubject: 'project:2' }),
      'a first bound of source addresses': roles({}, { tokenBoundCidrs: ['10.0.0.0/8'] }),
      'a role that has not been there': change(`+ ${job}`),
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
    info: { 'a secret': [change('', { rotated: [staff] }), 'A secret of method staff changes'] },
    quiet: { none: change(whole) },
  },
  'sticky-field': {
    warning: {
      'a field that an update leaves': [
        change('', { left: [{ type: 'role', name: 'web', method: 'ci', field: 'maxAge' }] }),
        'The field stays as it is',
      ],
      'a tuning': [
        change('', { left: [{ ...staff, field: 'tune.maxLeaseTtl' }] }),
        'The field is removed. The official plugin',
      ],
    },
    quiet: {
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
        change('', { unknown: [{ type: 'role', name: 'web', method: 'ci', field: 'boundAudiences' }] }),
        'The boundAudiences of role ci/web',
      ],
      'a change of which too much would have to be compared': [
        policy(templates, templates.replaceAll('"read"', '"update"')),
        'there are more ways to fill in templates than can be compared',
      ],
      'a text that cannot be read': [policy(allow('a', 'read'), 'path {'), 'unreadable'],
      'groups in a circle': [
        change('+ internal a - group:b\n + internal b - group:a\n + internal c - group:a'),
        'by a group in it: "a", "b".',
      ],
      'a group in itself': [change('+ internal a - group:A'), 'by a group in it: "a".'],
    },
    warning: {
      'a role that gets a policy whose text cannot be read': [
        change(`policy Deploy: path {\n ~ ${job.replace('deploy deploy', 'deploy -')} → deploy`),
        'what policy deploy allows',
      ],
      'a role with such a policy that accepts more': [
        change(`policy deploy: path {\n ~ ${job} → boundSubject: null`),
        'what policy deploy allows',
      ],
    },
    quiet: {
      'what is known': change(whole),
      'a text that cannot be read and stays, with all who have it': policy('path {', 'path {'),
    },
  },
};

const findings = (rule: string, asked: Change) =>
  judgeChange(asked).filter((finding) => finding.rule === rule);

testCases(cases, changeRules, {
  objection: (id, [asked, says], severity) =>
    expect(findings(id, asked)).toEqual([
      expect.objectContaining({ severity, message: expect.stringContaining(says) }),
    ]),
  silence: (id, asked) => expect(findings(id, asked)).toEqual([]),
});

test('the rules over a change say nothing of nothing changed', () => {
  expect(judgeChange(change(whole))).toEqual([]);
});

test('open-to-the-internet names the setting that keeps strangers out', () => {
  const found = judgeChange(ofSuite({})).find(({ rule }) => rule === 'open-to-the-internet');
  expect(found?.fix).toBe('Set hostedDomain to the domain of your organization.');
});
