import type { Change } from '../../../src/graph/change.ts';
import { change, graph } from '../../worlds.ts';
import { change as changeOf } from '../graphs.ts';
import type { Case } from './rule-case.ts';

/** A change, and what is said of it. */
export type ChangeCase = Case<[Change, says: string], Change>;

const job = 'role deploy deploy boundSubject: project:1, tokenNoDefaultPolicy: false';
const roles = (text: string) => change(job.replace('role', '~ role') + text);
/** A policy that a role has, with one text or another. */
export const policy = (before: string, after: string) => withTexts('deploy', job, before, after);
const withTexts = (name: string, nodes: string, before: string, after: string) => {
  const [was, is] = [before, after].map((text) => ({ ...graph(nodes), policies: [{ name, text }] }));
  return changeOf(was ?? {}, is ?? {});
};
export const allow = (path: string, ...capabilities: string[]) =>
  `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }\n`;

const staff = 'method staff oidc oidcDiscoveryUrl: https://id.example.com, oidcClientId: client';
const person = (policies: string) =>
  `role staff/reader ${policies} roleType: oidc, boundAudiences: [], tokenNoDefaultPolicy: false`;
const powers = `policy admin: sys/* update\n ${staff}`;
const withPowers = (text: string) => change(`${powers}\n ~ ${text}`);

/** A role that everyone can use, with the policy `power` of one text or another. */
const everyone = (before: string, after: string) =>
  withTexts('power', `${staff}\n ${person('power')}`, before, after);
/** Rules whose templates may stand for more words than are tried. */
export const templates = Array.from(
  { length: 200 },
  (_, at) => allow(`secret/{{identity.entity.metadata.m${at}}}/*`, 'read') + allow(`secret/t${at}/*`, 'read'),
).join('');
const limited = (path: string, limits: string) => `path "${path}" { capabilities = ["update"] ${limits} }`;
const json = (path: string, rest: object) =>
  JSON.stringify({ path: { [path]: { capabilities: ['update'], ...rest } } });

/** The cases of rules that look at what policies allow. */
export const policyChangeCases: Record<string, ChangeCase> = {
  'everyone-gains': {
    error: {
      'a role that binds nobody, and gives more': [
        withPowers(`${person('secrets-read')} → secrets-read,admin`),
        'everyone with an account at id.example.com could write "sys/*".',
      ],
      'a role that no longer binds anybody': [
        withPowers(`${person('admin')}, boundClaims: {team: a} → boundClaims: null`),
        '"sys/*"',
      ],
      'a glob for any text': [
        withPowers(
          `${person('admin')}, boundClaims: {team: a*}, boundClaimsType: glob → boundClaims: {team: "*"}`,
        ),
        '"sys/*"',
      ],
      'a new role on a method that was there': [change(`${powers}\n + ${person('admin')}`), '"sys/*"'],
      'a policy that everyone has, and that allows to change from now on': [
        change(`${staff}\n ${person('secrets-read')}\n ~ policy secrets-read: a read → a delete`),
        'could write "a"',
      ],
      ...Object.fromEntries(
        [
          limited('sys/*', 'control_group = { factor "a" { identity { approvals = 1 } } }'),
          limited('sys/*', '\r\n\tmfa_methods=["x",\n]'),
          limited('sys/*', 'quota "x" { per { hour = 1 } }'),
          json('sys/*', { control_group: { factor: { a: {} } } }),
          `${allow('sys/*', 'read')} ${limited('sys/*', 'pagination_limit = 1')}`,
          allow('sys/*', 'read', 'recover'),
        ].map((text) => [
          `a policy of another server: ${text.slice(0, 60)}`,
          [everyone(allow('sys/*', 'read'), text), '"sys/*"'],
        ]),
      ),
      'a limit that is gone': [
        everyone(limited('sys/*', 'control_group = { factor "a" {} }'), limited('sys/*', '')),
        '"sys/*"',
      ],
      'another limit': [
        everyone(json('sys/*', { mfa_methods: ['a'] }), limited('sys/*', 'mfa_methods = ["b"]')),
        '"sys/*"',
      ],
      'a policy without a text, whose name says enough': [
        change(`${staff}\n ~ ${person('secrets-read')} → db-admin`),
        'gets db-admin',
      ],
    },
    quiet: {
      'a role that binds': withPowers(`${person('secrets-read')} → admin boundClaims: {team: a}`),
      'what everyone had before': withPowers(`${person('admin')} → ttl: 60`),
      'the same limit in other words': everyone(
        json('sys/*', { mfa_methods: ['a'] }),
        limited('sys/*', '# why\n mfa_methods = ["a"]'),
      ),
      'a limit more': everyone(limited('sys/*', ''), limited('sys/*', 'mfa_methods = ["b"]')),
      'a policy that only reads': change(
        `${staff}\n - policy admin: sys/* update\n + policy secrets-read: a read\n ~ ${person('-')} → secrets-read`,
      ),
      'a method that is new': change(`${powers}\n ${person('admin')}`.replace(/^\s*/gm, '+ ')),
    },
  },
  'denial-removed': {
    warning: {
      'a denial that goes, where another rule decides now': [
        everyone(`${allow('secret/*', 'read')} ${allow('secret/prod/*', 'deny')}`, allow('secret/*', 'read')),
        'Now allowed, and denied before: read "secret/prod/*".',
      ],
      'a rule without capabilities': [
        everyone(`${allow('secret/*', 'read')} ${allow('secret/prod/*')}`, allow('secret/*', 'read')),
        'read "secret/prod/*"',
      ],
      'a policy with a denial that a role loses': [
        change(
          `policy wide: secret/* read\n policy shut: secret/prod/* deny\n ~ role build wide,shut boundSubject: x → wide`,
        ),
        'read "secret/prod/*"',
      ],
      'one that a group takes along, on a path of the role': [
        change(`
          policy wide: secret/* read
          policy shut: secret/prod/* deny
          role build wide boundSubject: x, groupsClaim: groups
          ~ group limited shut → -
          alias limited ci limited`),
        'read "secret/prod/*"',
      ],
      'one of an AppRole, with its policy': [
        change('approle app wide,shut\n policy wide: secret/* read\n - policy shut: secret/prod/* deny'),
        'read "secret/prod/*"',
      ],
    },
    quiet: {
      'one on a path that no one has': change(
        'role build shut boundSubject: x\n ~ policy shut: secret/prod/* deny → b read',
      ),
      'one that another denial replaces': everyone(
        `${allow('secret/*', 'read')} ${allow('secret/prod/a', 'deny')}`,
        `${allow('secret/*', 'read')} ${allow('secret/prod/*', 'deny')}`,
      ),
      'a narrower rule that goes': everyone(
        `${allow('secret/*', 'read', 'list')} ${allow('secret/prod/*', 'read')}`,
        allow('secret/*', 'read', 'list'),
      ),
    },
  },
  'policy-removed': {
    warning: {
      'one that a role and a user of another method name': [
        change('role build gone\n user ann Gone\n policy read: a read\n - policy gone: b read'),
        'still named by role ci/build, user ann of userpass.',
      ],
      'one that a group has in two ways': [
        change('group ops gone\n internal ops gone\n policy read: a read\n - policy gone: b read'),
        'still named by group ops. They',
      ],
    },
    quiet: {
      'one that no one names anymore': change('~ role build gone,read → read\n - policy gone: b read'),
      'one with another text': change('role build read\n ~ policy read: a read → b read'),
    },
  },
  'policy-widened': {
    warning: {
      'a text of which too much would have to be compared': [
        policy(templates, templates.replaceAll('"read"', '"update"')),
        'Not checked: what the changed policy allows. The reason: there are more ways to fill in templates than can be compared.',
      ],
      'a role with one more': [roles(' → deploy,admin'), '"admin"'],
      'a group with one more': [change('~ group g - → admin'), 'Every member also gets "admin"'],
      'a capability more': [
        policy(allow('secret/*', 'read'), allow('secret/*', 'read', 'delete')),
        'delete on "secret/*"',
      ],
      'a path more': [policy(allow('a/*', 'read'), allow('a/*', 'read') + allow('b', 'list')), 'list on "b"'],
      'a denial that is gone': [
        policy(allow('a/*', 'read') + allow('a/b', 'deny'), allow('a/*', 'read')),
        'read on "a/b". It reaches role ci/deploy at once',
      ],
      'parameters that are no longer ruled out': [
        policy('path "a" { capabilities = ["update"] denied_parameters = { b = [] } }', allow('a', 'update')),
        'parameters on "a"',
      ],
      'a limit that another one replaces': [
        policy(
          limited('a', 'control_group = { factor "a" {} }'),
          limited('a', 'control_group { factor "b" {} }'),
        ),
        'other limits on "a"',
      ],
      'a path within a limited one that has no limit': [
        policy(
          limited('a/*', 'mfa_methods = ["x"]'),
          limited('a/*', 'mfa_methods = ["x"]') + limited('a/b', ''),
        ),
        'other limits on "a/b"',
      ],
      'a capability that nobody here knows': [
        policy(allow('a', 'read'), allow('a', 'read', 'recover')),
        'recover on "a"',
      ],
      'a text that is no policy': [
        policy(allow('a', 'read'), 'path {'),
        'Not checked: what the changed policy allows',
      ],
    },
    quiet: {
      'a role that has not been there': change(`+ ${job}`),
      'a role with one less': change(`~ ${job.replace('deploy deploy', 'deploy deploy,admin')} → deploy`),
      'a policy that allows less': policy(allow('a/*', 'read', 'list'), allow('a/*', 'read')),
      'a narrower path': policy(allow('a/*', 'read'), allow('a/b/*', 'read')),
      'another spelling of the same': policy(allow('a', 'read'), `# why\n${allow('a', 'read')}`),
    },
  },
};
