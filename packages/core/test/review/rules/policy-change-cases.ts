import type { Change } from '../../../src/graph/change.ts';
import { change as changeOf } from '../graphs.ts';
import { jwtRole, oidcMethod, oidcRole } from './graph-fixture.ts';
import type { Case } from './rule-case.ts';

/** A change, and what is said of it. */
export type ChangeCase = Case<[Change, says: string], Change>;

const roles = (before: object, after: object) =>
  changeOf({ roles: [jwtRole(before)] }, { roles: [jwtRole(after)] });
export const policy = (before: string, after: string) =>
  changeOf(
    { policies: [{ name: 'deploy', text: before }], roles: [jwtRole()] },
    { policies: [{ name: 'deploy', text: after }], roles: [jwtRole()] },
  );
export const allow = (path: string, ...capabilities: string[]) =>
  `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }\n`;

const powers = { policies: [{ name: 'admin', text: allow('sys/*', 'update') }], methods: [oidcMethod()] };
const withPowers = (before: object, after: object) =>
  changeOf({ ...powers, roles: [oidcRole(before)] }, { ...powers, roles: [oidcRole(after)] });

/** A role that everyone can use, with the policy `power` of one text or another. */
const everyone = (before: string, after: string) =>
  changeOf(
    {
      methods: [oidcMethod()],
      roles: [oidcRole({ policies: ['power'] })],
      policies: [{ name: 'power', text: before }],
    },
    {
      methods: [oidcMethod()],
      roles: [oidcRole({ policies: ['power'] })],
      policies: [{ name: 'power', text: after }],
    },
  );
/** Rules whose templates may stand for more words than are tried. */
export const templates = Array.from(
  { length: 200 },
  (_, at) => allow(`secret/{{identity.entity.metadata.m${at}}}/*`, 'read') + allow(`secret/t${at}/*`, 'read'),
).join('');
const limited = (path: string, limits: string) => `path "${path}" { capabilities = ["update"] ${limits} }`;
const json = (path: string, fields: object) =>
  JSON.stringify({ path: { [path]: { capabilities: ['update'], ...fields } } });

/** The cases of rules that look at what policies allow. */
export const policyChangeCases: Record<string, ChangeCase> = {
  'everyone-gains': {
    error: {
      'a role that binds nobody, and gives more': [
        withPowers({}, { policies: ['secrets-read', 'admin'] }),
        'everyone with an account at id.example.com could write "sys/*".',
      ],
      'a role that no longer binds anybody': [
        withPowers({ policies: ['admin'], boundClaims: { team: 'a' } }, { policies: ['admin'] }),
        '"sys/*"',
      ],
      'a glob for any text': [
        withPowers(
          { policies: ['admin'], boundClaims: { team: 'a*' }, boundClaimsType: 'glob' },
          { policies: ['admin'], boundClaims: { team: '*' }, boundClaimsType: 'glob' },
        ),
        '"sys/*"',
      ],
      'a new role on a method that was there': [
        changeOf(powers, { ...powers, roles: [oidcRole({ policies: ['admin'] })] }),
        '"sys/*"',
      ],
      'a policy that everyone has, and that allows to change from now on': [
        changeOf(
          { ...powers, policies: [{ name: 'secrets-read', text: allow('a', 'read') }], roles: [oidcRole()] },
          {
            ...powers,
            policies: [{ name: 'secrets-read', text: allow('a', 'delete') }],
            roles: [oidcRole()],
          },
        ),
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
        changeOf(
          { methods: [oidcMethod()], roles: [oidcRole()] },
          { methods: [oidcMethod()], roles: [oidcRole({ policies: ['db-admin'] })] },
        ),
        'gets db-admin',
      ],
    },
    quiet: {
      'a role that binds': withPowers({}, { policies: ['admin'], boundClaims: { team: 'a' } }),
      'what everyone had before': withPowers({ policies: ['admin'] }, { policies: ['admin'], ttl: 60 }),
      'the same limit in other words': everyone(
        json('sys/*', { mfa_methods: ['a'] }),
        limited('sys/*', '# why\n mfa_methods = ["a"]'),
      ),
      'a limit more': everyone(limited('sys/*', ''), limited('sys/*', 'mfa_methods = ["b"]')),
      'a policy that only reads': changeOf(
        { ...powers, roles: [oidcRole({ policies: [] })] },
        { ...powers, policies: [{ name: 'secrets-read', text: allow('a', 'read') }], roles: [oidcRole()] },
      ),
      'a method that is new': changeOf({}, { ...powers, roles: [oidcRole({ policies: ['admin'] })] }),
    },
  },
  'policy-widened': {
    warning: {
      'a text of which too much would have to be compared': [
        policy(templates, templates.replaceAll('"read"', '"update"')),
        'Not checked: what the changed policy allows. The reason: there are more ways to fill in templates than can be compared.',
      ],
      'a role with one more': [roles({}, { policies: ['deploy', 'admin'] }), '"admin"'],
      'a group with one more': [
        changeOf({ groups: [{ name: 'g', policies: [] }] }, { groups: [{ name: 'g', policies: ['admin'] }] }),
        'Every member also gets "admin"',
      ],
      'a capability more': [
        policy(allow('secret/*', 'read'), allow('secret/*', 'read', 'delete')),
        'delete on "secret/*"',
      ],
      'a path more': [policy(allow('a/*', 'read'), allow('a/*', 'read') + allow('b', 'list')), 'list on "b"'],
      'a denial that is gone': [
        policy(allow('a/*', 'read') + allow('a/b', 'deny'), allow('a/*', 'read')),
        'read on "a/b". It reaches role "deploy" of auth/ci at once',
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
      'a role that has not been there': changeOf({}, { roles: [jwtRole()] }),
      'a role with one less': roles({ policies: ['deploy', 'admin'] }, {}),
      'a policy that allows less': policy(allow('a/*', 'read', 'list'), allow('a/*', 'read')),
      'a narrower path': policy(allow('a/*', 'read'), allow('a/b/*', 'read')),
      'another spelling of the same': policy(allow('a', 'read'), `# why\n${allow('a', 'read')}`),
    },
  },
};
