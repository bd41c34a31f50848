import { describe, expect, test } from '@jest/globals';
import { ruleIds } from '../../../core/model/rule-ids.ts';
import type { Change } from '../../../core/rules/change.ts';
import { changeRules, judgeChange } from '../../../core/rules/rules.ts';
import { changeOf, jwtMethod, jwtRole, message, oidcMethod, oidcRole } from './state-fixture.ts';

const roles = (before: object, after: object) =>
  changeOf({ roles: [jwtRole(before)] }, { roles: [jwtRole(after)] });
const people = (before: object, after: object) =>
  changeOf({ roles: [oidcRole(before)] }, { roles: [oidcRole(after)] });
const policy = (before: string, after: string) =>
  changeOf(
    { policies: [{ name: 'deploy', text: before }], roles: [jwtRole()] },
    { policies: [{ name: 'deploy', text: after }], roles: [jwtRole()] },
  );
const allow = (path: string, ...capabilities: string[]) =>
  `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }\n`;
const messages = (before: object[], after: object[]) =>
  changeOf({ messages: before.map(message) }, { messages: after.map(message) });
const staff = { type: 'method', name: 'staff' } as const;
const alias = { name: 'a', method: 'staff', group: 'admins' };
const whole = { methods: [oidcMethod()], roles: [oidcRole()], aliases: [alias] };

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
const limited = (path: string, more: string) => `path "${path}" { capabilities = ["update"] ${more} }`;
const json = (path: string, more: object) =>
  JSON.stringify({ path: { [path]: { capabilities: ['update'], ...more } } });

interface Case {
  /** Change, severity, and what the message says. */
  fires: [name: string, change: Change, severity: string, says: string][];
  quiet: [name: string, change: Change][];
}

const cases: Record<string, Case> = {
  'mount-lost': {
    fires: [
      [
        'a mount that is made again',
        changeOf(whole, whole, { replaced: [staff] }),
        'error',
        '1 roles and 1 group aliases',
      ],
      [
        'a mount that goes and leaves an alias',
        changeOf(whole, { aliases: [alias] }),
        'error',
        'The mount is deleted.',
      ],
      ['a mount that goes with all that it has', changeOf(whole, {}), 'warning', 'The mount is deleted.'],
    ],
    quiet: [
      [
        'a bare mount',
        changeOf({ methods: [oidcMethod()] }, { methods: [oidcMethod()] }, { replaced: [staff] }),
      ],
      ['a mount that stays', changeOf(whole, whole)],
    ],
  },
  'everyone-gains': {
    fires: [
      [
        'a role that binds nobody, and gives more',
        withPowers({}, { policies: ['secrets-read', 'admin'] }),
        'error',
        'everyone whom the provider behind auth/staff knows can change things by "admin".',
      ],
      [
        'a role that no longer binds anybody',
        withPowers({ policies: ['admin'], boundClaims: { team: 'a' } }, { policies: ['admin'] }),
        'error',
        '"admin"',
      ],
      [
        'a glob for any text',
        withPowers(
          { policies: ['admin'], boundClaims: { team: 'a*' }, boundClaimsType: 'glob' },
          { policies: ['admin'], boundClaims: { team: '*' }, boundClaimsType: 'glob' },
        ),
        'error',
        '"admin"',
      ],
      [
        'a new role on a method that was there',
        changeOf(powers, { ...powers, roles: [oidcRole({ policies: ['admin'] })] }),
        'error',
        '"admin"',
      ],
      [
        'a policy that everyone has, and that allows to change from now on',
        changeOf(
          { ...powers, policies: [{ name: 'secrets-read', text: allow('a', 'read') }], roles: [oidcRole()] },
          {
            ...powers,
            policies: [{ name: 'secrets-read', text: allow('a', 'delete') }],
            roles: [oidcRole()],
          },
        ),
        'error',
        '"secrets-read"',
      ],
      ...[
        limited('sys/*', 'control_group = { factor "a" { identity { approvals = 1 } } }'),
        limited('sys/*', '\r\n\tmfa_methods=["x",\n]'),
        limited('sys/*', 'quota "x" { per { hour = 1 } }'),
        json('sys/*', { control_group: { factor: { a: {} } } }),
        `${allow('sys/*', 'read')} ${limited('sys/*', 'pagination_limit = 1')}`,
        allow('sys/*', 'read', 'recover'),
      ].map((text): Case['fires'][number] => [
        `a policy of another server: ${text.slice(0, 60)}`,
        everyone(allow('sys/*', 'read'), text),
        'error',
        '"power"',
      ]),
      [
        'a limit that is gone',
        everyone(limited('sys/*', 'control_group = { factor "a" {} }'), limited('sys/*', '')),
        'error',
        '"power"',
      ],
      [
        'another limit',
        everyone(json('sys/*', { mfa_methods: ['a'] }), limited('sys/*', 'mfa_methods = ["b"]')),
        'error',
        '"power"',
      ],
      [
        'a policy without a text, whose name says enough',
        changeOf(
          { methods: [oidcMethod()], roles: [oidcRole()] },
          { methods: [oidcMethod()], roles: [oidcRole({ policies: ['db-admin'] })] },
        ),
        'error',
        '"db-admin"',
      ],
    ],
    quiet: [
      ['a role that binds', withPowers({}, { policies: ['admin'], boundClaims: { team: 'a' } })],
      ['what everyone had before', withPowers({ policies: ['admin'] }, { policies: ['admin'], ttl: 60 })],
      [
        'the same limit in other words',
        everyone(json('sys/*', { mfa_methods: ['a'] }), limited('sys/*', '# why\n mfa_methods = ["a"]')),
      ],
      ['a limit more', everyone(limited('sys/*', ''), limited('sys/*', 'mfa_methods = ["b"]'))],
      [
        'a policy that only reads',
        changeOf(
          { ...powers, roles: [oidcRole({ policies: [] })] },
          { ...powers, policies: [{ name: 'secrets-read', text: allow('a', 'read') }], roles: [oidcRole()] },
        ),
      ],
      ['a method that is new', changeOf({}, { ...powers, roles: [oidcRole({ policies: ['admin'] })] })],
    ],
  },
  'policy-widened': {
    fires: [
      ['a role with one more', roles({}, { policies: ['deploy', 'admin'] }), 'warning', '"admin"'],
      [
        'a group with one more',
        changeOf({ groups: [{ name: 'g', policies: [] }] }, { groups: [{ name: 'g', policies: ['admin'] }] }),
        'warning',
        'Every member gets "admin"',
      ],
      [
        'a capability more',
        policy(allow('secret/*', 'read'), allow('secret/*', 'read', 'delete')),
        'warning',
        'delete on "secret/*"',
      ],
      [
        'a path more',
        policy(allow('a/*', 'read'), allow('a/*', 'read') + allow('b', 'list')),
        'warning',
        'list on "b"',
      ],
      [
        'a denial that is gone',
        policy(allow('a/*', 'read') + allow('a/b', 'deny'), allow('a/*', 'read')),
        'warning',
        'read on "a/b". So does everyone of role "deploy" of auth/ci',
      ],
      [
        'parameters that are no longer ruled out',
        policy('path "a" { capabilities = ["update"] denied_parameters = { b = [] } }', allow('a', 'update')),
        'warning',
        'parameters on "a"',
      ],
      [
        'a limit that another one replaces',
        policy(
          limited('a', 'control_group = { factor "a" {} }'),
          limited('a', 'control_group { factor "b" {} }'),
        ),
        'warning',
        'parameters on "a"',
      ],
      [
        'a path within a limited one that has no limit',
        policy(
          limited('a/*', 'mfa_methods = ["x"]'),
          limited('a/*', 'mfa_methods = ["x"]') + limited('a/b', ''),
        ),
        'warning',
        'parameters on "a/b"',
      ],
      [
        'a capability that nobody here knows',
        policy(allow('a', 'read'), allow('a', 'read', 'recover')),
        'warning',
        'recover on "a"',
      ],
      ['a text that is no policy', policy(allow('a', 'read'), 'path {'), 'warning', 'cannot be judged'],
    ],
    quiet: [
      ['a role that has not been there', changeOf({}, { roles: [jwtRole()] })],
      ['a role with one less', roles({ policies: ['deploy', 'admin'] }, {})],
      ['a policy that allows less', policy(allow('a/*', 'read', 'list'), allow('a/*', 'read'))],
      ['a narrower path', policy(allow('a/*', 'read'), allow('a/b/*', 'read'))],
      ['another spelling of the same', policy(allow('a', 'read'), `# why\n${allow('a', 'read')}`)],
    ],
  },
  'bound-removed': {
    fires: [
      ['a subject', roles({}, { boundSubject: undefined }), 'warning', 'need no longer be "project:1"'],
      ['another subject', roles({}, { boundSubject: 'project:2' }), 'warning', 'but "project:2"'],
      ['all audiences', roles({}, { boundAudiences: [] }), 'warning', 'not bound any more'],
      ['an audience more', roles({}, { boundAudiences: ['secrets', 'x'] }), 'warning', 'will do: x'],
      ['a claim', roles({ boundClaims: { ref: 'main' } }, {}), 'warning', '"ref" is not bound any more'],
      [
        'a value more of a claim',
        roles({ boundClaims: { ref: 'main' } }, { boundClaims: { ref: ['main', 'dev'] } }),
        'warning',
        'may also be dev',
      ],
      [
        'a * that comes to life',
        roles(
          { boundClaims: { ref: 'release/*' } },
          { boundClaims: { ref: 'release/*' }, boundClaimsType: 'glob' },
        ),
        'warning',
        'stands for any text',
      ],
      ['source addresses', roles({ tokenBoundCidrs: ['10.0.0.0/8'] }, {}), 'warning', 'source address'],
      [
        'an issuer',
        changeOf({ methods: [jwtMethod({ boundIssuer: 'https://i' })] }, { methods: [jwtMethod()] }),
        'warning',
        'https://i',
      ],
    ],
    quiet: [
      ['a value less', roles({ boundClaims: { ref: ['main', 'dev'] } }, { boundClaims: { ref: 'main' } })],
      ['a bound more', roles({}, { boundClaims: { ref: 'main' } })],
      ['a first bound of source addresses', roles({}, { tokenBoundCidrs: ['10.0.0.0/8'] })],
      ['a role that has not been there', changeOf({}, { roles: [jwtRole()] })],
    ],
  },
  'ttl-raised': {
    fires: [
      ['a longer life', roles({ ttl: 600 }, { ttl: 3600 }), 'warning', 'from 10m to 1h'],
      ['a limit that goes', roles({ tokenMaxTtl: 600 }, {}), 'warning', 'the service’s own limit'],
      ['a period', roles({}, { tokenPeriod: 60 }), 'warning', 'renewed without end'],
    ],
    quiet: [
      ['a shorter life', roles({ ttl: 3600 }, { ttl: 600 })],
      ['a first limit', roles({}, { tokenMaxTtl: 600 })],
      ['a role that has not been there', changeOf({}, { roles: [jwtRole({ ttl: 86_400 })] })],
    ],
  },
  'redirect-host-added': {
    fires: [
      [
        'another host',
        people({}, { allowedRedirectUris: ['https://other.example.com/x'] }),
        'warning',
        'other.example.com',
      ],
    ],
    quiet: [
      ['a host less', people({}, { allowedRedirectUris: [] })],
      [
        'another path on the same',
        people({}, { allowedRedirectUris: ['https://secrets.example.com:8200/v1/x'] }),
      ],
    ],
  },
  'message-published': {
    fires: [
      ['a new one', messages([], [{ authenticated: false }]), 'warning', 'anyone'],
      ['one that was for people inside', messages([{}], [{ authenticated: false }]), 'warning', 'anyone'],
      [
        'a new text',
        messages([{ authenticated: false }], [{ authenticated: false, message: 'other' }]),
        'warning',
        'anyone',
      ],
    ],
    quiet: [
      ['one that was there', messages([{ authenticated: false }], [{ authenticated: false, type: 'modal' }])],
      ['one after sign-in', messages([], [{}])],
    ],
  },
  'secret-rotated': {
    fires: [['a secret', changeOf({}, {}, { rotated: [staff] }), 'info', 'A secret of auth/staff changes']],
    quiet: [['none', changeOf(whole, whole)]],
  },
  'sticky-field': {
    fires: [
      [
        'redirect URIs that are emptied',
        people({}, { allowedRedirectUris: [] }),
        'warning',
        'allowedRedirectUris is emptied',
      ],
      ['a subject', roles({}, { boundSubject: undefined }), 'warning', 'boundSubject'],
      ['a groups claim', people({ groupsClaim: 'groups' }, {}), 'warning', 'groupsClaim'],
      ['claim mappings', people({ claimMappings: { a: 'b' } }, { claimMappings: {} }), 'warning', 'claimMap'],
    ],
    quiet: [
      ['one of two that goes', people({ oidcScopes: ['a', 'b'] }, { oidcScopes: ['a'] })],
      ['a field that does not stick', roles({ policies: ['deploy'] }, { policies: [] })],
    ],
  },
  'cannot-be-judged': {
    fires: [
      [
        'what a plan leaves unknown',
        changeOf({}, {}, { unknown: [{ type: 'role', name: 'web', method: 'ci', field: 'boundAudiences' }] }),
        'warning',
        'The boundAudiences of role "web" of auth/ci',
      ],
      ['a text that cannot be read', policy(allow('a', 'read'), 'path {'), 'warning', 'cannot be read'],
      [
        'a role that gets a policy whose text cannot be read',
        changeOf(
          { policies: [{ name: 'Deploy', text: 'path {' }], roles: [jwtRole({ policies: [] })] },
          { policies: [{ name: 'Deploy', text: 'path {' }], roles: [jwtRole()] },
        ),
        'warning',
        'policy "deploy" cannot be read',
      ],
      [
        'a role with such a policy that accepts more',
        changeOf(
          { policies: [{ name: 'deploy', text: 'path {' }], roles: [jwtRole()] },
          { policies: [{ name: 'deploy', text: 'path {' }], roles: [jwtRole({ boundSubject: undefined })] },
        ),
        'warning',
        'policy "deploy" cannot be read',
      ],
    ],
    quiet: [
      ['what is known', changeOf(whole, whole)],
      ['a text that cannot be read and stays, with all who have it', policy('path {', 'path {')],
    ],
  },
};

const findings = (rule: string, change: Change) =>
  judgeChange(change).filter((finding) => finding.rule === rule);

describe.each(changeRules.map(({ id }) => id))('%s', (id) => {
  test.each(cases[id]?.fires ?? [])('objects to %s', (_, change, severity, says) => {
    expect(findings(id, change)).toEqual([
      expect.objectContaining({ severity, message: expect.stringContaining(says) }),
    ]);
  });

  test.each(cases[id]?.quiet ?? [])('says nothing of %s', (_, change) => {
    expect(findings(id, change)).toEqual([]);
  });
});

describe('the rules over a change', () => {
  test('each have a case that fires and one that does not', () => {
    expect(Object.keys(cases).sort()).toEqual(changeRules.map(({ id }) => id).sort());
    const bare = Object.entries(cases).filter(([, { fires, quiet }]) => fires.length * quiet.length === 0);
    expect(bare).toEqual([]);
  });

  test('say nothing of nothing changed', () => {
    expect(judgeChange(changeOf(whole, whole))).toEqual([]);
  });

  test('have ids that an environment can name', () => {
    expect(ruleIds.filter((id) => changeRules.some((rule) => rule.id === id))).toEqual(
      changeRules.map(({ id }) => id),
    );
  });
});
