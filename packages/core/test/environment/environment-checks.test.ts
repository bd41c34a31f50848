import { describe, expect, test } from '@jest/globals';
import { parseEnvironment } from '../../src/environment/environment.ts';
import {
  givenEnvironment,
  givenProvider,
  givenMessage as message,
  problemsOf,
} from './environment-fixture.ts';

const source = (settings: Record<string, unknown> = {}) => givenProvider('source_hosting', settings);

describe('parseEnvironment refuses between the parts', () => {
  const group = (name: string, alias: string) => ({ name, alias });
  const refused: Record<string, Record<string, unknown>> = {
    [`gatehouse:providers[1].name: the provider name "it" is declared twice; first at providers[0].name\ngatehouse:providers[1].roles[0].name: the resource name <provider>-<role> "it-reader" is declared twice; first at providers[0].roles[0].name`]:
      givenEnvironment([source({ path: 'a' }), source({ path: 'b' })]),
    'gatehouse:providers[1].path: the auth method path "a" is declared twice; first at providers[0].name':
      givenEnvironment([source({ name: 'a' }), source({ name: 'b', path: 'a' })]),
    'gatehouse:providers[0].path: the auth method path "team/git" lies below another, "team"':
      givenEnvironment([source({ name: 'a', path: 'team/git' }), source({ name: 'team' })]),
    'gatehouse:providers[0].config.oidcResponseTypes: a provider sends an id_token back by oidcResponseMode form_post only':
      givenEnvironment([source({ config: { oidcResponseTypes: ['code', 'id_token'] } })]),
    'gatehouse:providers[0].roles[1].name: the role "reader" is declared twice; first at providers[0].roles[0].name':
      givenEnvironment([source({ roles: [{ name: 'reader' }, { name: 'Reader' }] })]),
    'gatehouse:providers[1].groups[0].name: the group "admins" is declared twice; first at providers[0].groups[0].name':
      givenEnvironment([
        source({ name: 'a', groups: [group('admins', 'x')] }),
        source({ name: 'b', groups: [group('Admins', 'x')] }),
      ]),
    'gatehouse:providers[0].groups[1].alias: the group alias "x" is declared twice; first at providers[0].groups[0].alias':
      givenEnvironment([source({ groups: [group('a', 'x'), group('b', 'x')] })]),
    'gatehouse:providers[1].roles[0].name: the resource name <provider>-<role> "a-b-c" is declared twice; first at providers[0].roles[0].name':
      givenEnvironment([
        source({ name: 'a', roles: [{ name: 'b-c' }] }),
        source({ name: 'a-b', roles: [{ name: 'c' }] }),
      ]),
    'gatehouse:providers[0].roles[0].roleType: the roles of a source_hosting are of type oidc; leave this out':
      givenEnvironment([source({ roles: [{ name: 'reader', roleType: 'jwt' }] })]),
    'gatehouse:policies[0].policy: line 1: path "a": `reed` is no capability; did you mean `read`?': {
      policies: [{ name: 'a', policy: 'path "a" { capabilities = ["reed"] }' }],
    },
    'gatehouse:policies[1].name: the policy "a" is declared twice; first at policies[0].name': {
      policies: [
        { name: 'a', policy: 'path "a" {}' },
        { name: 'A', policy: 'path "b" {}' },
      ],
    },
    'gatehouse:messages[1].title: the message title "mind-the-gap" is declared twice; first at messages[0].title':
      { messages: [message({ title: 'Mind the gap' }), message({ title: 'Mind the gap!' })] },
    'gatehouse:clientSecrets.it: the client secret is missing; set it with: gatehouse secret set clientSecrets.it':
      givenEnvironment([source()], { clientSecrets: [] }),
    'gatehouse:clientSecrets.other: no provider has this name': givenEnvironment([source()], {
      clientSecrets: ['it', 'other'],
    }),
    'gatehouse:clientSecrets.it: Kubernetes needs no client secret with these settings; remove it':
      givenEnvironment([givenProvider('container_orchestrator')], { clientSecrets: ['it'] }),
    'gatehouse:serviceAccountKeys.it: Google Workspace needs no service account key with these settings; remove it':
      givenEnvironment([givenProvider('workspace_suite')], { serviceAccountKeys: ['it'] }),
    'gatehouse:serviceAccountKeys.it: the service account key is missing; set it with: gatehouse secret set serviceAccountKeys.it, or give the path of its file: directory.serviceAccountFile':
      givenEnvironment([
        givenProvider('workspace_suite', { directory: { adminImpersonate: 'a@example.com' } }),
      ]),
  };
  test.each(Object.entries(refused))('%s', (problems, given) => {
    const found = problemsOf({ service: { address: 'https://secrets.example.com' }, ...given });
    expect(found.join('\n')).toBe(problems);
  });

  test('a service account key beside the path of its file', () => {
    const directory = { adminImpersonate: 'a@example.com', serviceAccountFile: '/key.json' };
    const given = [givenProvider('workspace_suite', { directory })];
    expect(problemsOf(givenEnvironment(given, { serviceAccountKeys: ['it'] }))).toEqual([
      'gatehouse:serviceAccountKeys.it: Google Workspace needs no service account key with these settings; remove it',
    ]);
  });

  test('no resource names that only look the same, below components of two kinds', () => {
    const two = [
      source({ name: 'a', roles: [{ name: 'b-c' }] }),
      givenProvider('workspace_suite', { name: 'a-b', roles: [{ name: 'c' }] }),
    ];
    expect(problemsOf(givenEnvironment(two))).toEqual([]);
  });

  test('nothing of one name in two providers, but groups', () => {
    const two = ['a', 'b'].map((name) => source({ name, groups: [group(`${name}-admins`, 'x')] }));
    expect(problemsOf(givenEnvironment(two))).toEqual([]);
  });
});

describe('what parseEnvironment says', () => {
  const broken = {
    service: { address: 'https://secrets.example.com', token: 'hvs.secret-1' },
    providers: [
      source({ clientSecret: 'hunter2', roles: [{ name: 'reader', ttl: 'soon' }, { name: 'reader' }] }),
      { kind: 'ldap', name: 'old', bindPassword: 'hunter2' },
    ],
    clientSecrets: ['it', 'gone'],
    policies: [{ name: 'a', file: 'a.json' }],
    messages: [message({ type: 'popup' })],
  };

  test('names every problem at once, in the schema and between the parts', () => {
    expect(problemsOf(broken).map((line) => line.slice(0, line.indexOf(': ')))).toEqual([
      'gatehouse:service',
      'gatehouse:providers[0].roles[0].ttl',
      'gatehouse:providers[0]',
      'gatehouse:providers[1].kind',
      'gatehouse:policies[0].file',
      'gatehouse:messages[0].type',
      'gatehouse:providers[0].roles[1].name',
      'gatehouse:clientSecrets.old',
      'gatehouse:clientSecrets.gone',
    ]);
  });

  test('counts the problems', () => {
    expect(() => parseEnvironment(broken)).toThrow('the configuration has 9 problems:');
    expect(() => parseEnvironment({})).toThrow('the configuration has one problem:');
  });

  test('never repeats the value of an unknown field', () => {
    const problems = problemsOf(broken).join('\n');
    expect(problems).not.toContain('hunter2');
    expect(problems).not.toContain('hvs.');
  });
});
