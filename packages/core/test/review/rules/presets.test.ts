import { describe, expect, test } from '@jest/globals';
import { type Environment, parseEnvironment } from '../../../src/environment/environment.ts';
import { rulePresets } from '../../../src/environment/rule-presets.ts';
import type { Change } from '../../../src/graph/change.ts';
import { ruleOptions } from '../../../src/review/rules/rule-options.ts';
import { changeRules, judgeChange, judgeGraph, ruleIds } from '../../../src/review/rules/rules.ts';
import { graph } from '../../worlds.ts';
import { now } from '../graphs.ts';

/** A stack with nothing but settings of its rules. */
const environment = (rules: object): Environment =>
  parseEnvironment({ service: { address: 'https://secrets.example.com' }, rules }, { ruleIds });
const [strict, plain] = [environment({ preset: 'strict' }), environment({})];

/** A service that was set up by hand. */
const service = `
  method oidc oidc oidcDiscoveryUrl: https://id.example.com, oidcClientId: gatehouse
  role oidc/default secrets-read,prod-deny roleType: oidc, userClaim: email, groupsClaim: groups, ttl: 28800, boundAudiences: []
  role oidc/admin admin roleType: oidc, userClaim: email, groupsClaim: groups, boundClaims: {groups: [/platform]}, boundAudiences: []
  method ci jwksUrl: https://token.actions.githubusercontent.com/keys, boundIssuer: https://token.actions.githubusercontent.com
  role ci/deploy-shop ci-deploy boundClaims: {repository: acme/shop, ref: refs/heads/main}
  role ci/test-all web boundClaimsType: glob, boundClaims: {repository: acme/*}
  approle legacy-batch secrets-read,ops
  approle backup admin
  group platform ops
  alias /platform oidc platform
  group team-shop shop-dev
  alias /shop oidc team-shop
  internal oncall ops entity:jan
  internal engineering web group:platform group:team-shop
  entity jan -
  policy secrets-read: secret/data/* read; secret/metadata/* list,read
  policy prod-deny: secret/data/prod/* deny
  policy shop-dev: secret/data/shop/* create,read,update,delete
  policy ops: sys/health read,sudo; sys/policies/acl/* read,list; sys/mounts read
  policy ci-deploy: secret/data/shop/prod read; secret/data/ci/* read
  policy admin: * create,read,update,delete,list,sudo
  policy web: secret/data/web/* read
  complete`;

/** The service with other words in some of its lines. */
function edited(...edits: [before: string, after: string][]): Change {
  const after = edits.reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  }, service);
  return { before: graph(service), after: graph(after), replaced: [], rotated: [], unknown: [] };
}

const everyday: Record<string, Change> = {
  'a new role for tags of one repository': edited([
    'approle backup',
    'role ci/release-shop ci-deploy boundClaims: {repository: acme/shop, ref_type: tag}\n approle backup',
  ]),
  'a new group, in an internal one': edited(
    ['group:team-shop', 'group:team-shop group:team-pay'],
    ['group platform', 'group team-pay pay\n alias /pay oidc team-pay\n group platform'],
    ['policy web', 'policy pay: secret/data/pay/* create,read,update\n policy web'],
  ),
  'tokens of a role expire sooner': edited(['ttl: 28800', 'ttl: 3600']),
  'a role gets another policy': edited(['deploy-shop ci-deploy', 'deploy-shop shop-dev']),
  'a group gets another name, with the same alias': edited(
    ['group team-shop', 'group developers'],
    ['oidc team-shop', 'oidc developers'],
    ['group:team-shop', 'group:developers'],
  ),
  'a policy is taken from a group': edited(['group platform ops', 'group platform -']),
  'one more repository in a pattern': edited(['repository: acme/*', 'repository: [acme/*, partner/lib]']),
  'another client secret': {
    ...edited(),
    rotated: [{ type: 'method', name: 'oidc', field: 'oidcClientSecret' }],
  },
};
const dangerous: Record<string, { change: Change; rule: string }> = {
  'a denial is taken from the role of everyone': {
    change: edited(['secrets-read,prod-deny', 'secrets-read']),
    rule: 'denial-removed',
  },
  'a policy is deleted that others still name': {
    change: edited(
      ['group platform ops', 'group platform -'],
      ['policy ops: sys/health read,sudo; sys/policies/acl/* read,list; sys/mounts read\n', ''],
    ),
    rule: 'policy-removed',
  },
};

/** Rules by which an environment finds an error in a change. */
function errorsOf(change: Change, judging: Environment, base?: Environment): string[] {
  const findings = judgeChange(change, { ...ruleOptions(judging, base), now });
  return findings.flatMap(({ rule, severity }) => (severity === 'error' ? rule : []));
}

describe('of ten everyday changes', () => {
  test('there are ten', () => {
    expect([...Object.keys(everyday), ...Object.keys(dangerous)]).toHaveLength(10);
  });

  test.each(Object.entries(everyday))('strict lets pass: %s', (_, change) => {
    expect(errorsOf(change, strict)).toEqual([]);
  });

  test.each(Object.entries(dangerous))('strict stops, and nothing else does: %s', (_, { change, rule }) => {
    expect(errorsOf(change, strict)).toEqual([rule]);
    expect(errorsOf(change, plain)).toEqual([]);
  });
});

test('a rule that is disabled next to a preset stays off', () => {
  const rules = { preset: 'strict', disabled: { 'denial-removed': 'the paths are empty' } };
  expect(
    errorsOf(dangerous['a denial is taken from the role of everyone']?.change as Change, environment(rules)),
  ).toEqual([]);
});

test('a change that drops the preset is judged by it, and weakens the gate', () => {
  const [{ change, rule }] = Object.values(dangerous) as [{ change: Change; rule: string }];
  expect(errorsOf(change, plain, strict)).toEqual([rule]);
  expect(judgeGraph(change.after, { ...ruleOptions(plain, strict), now })).toContainEqual(
    expect.objectContaining({ rule: 'gate-weakened', message: 'preset: strict → none' }),
  );
});

test('a preset that does not exist is refused, with those that do', () => {
  expect(() => environment({ preset: 'lax' })).toThrow(
    'gatehouse:rules.preset: there is no preset "lax"; allowed: strict',
  );
});

test('a preset names rules over changes', () => {
  const known = changeRules.map(({ id }) => id);
  for (const severities of Object.values(rulePresets))
    expect(Object.keys(severities).filter((id) => !known.includes(id))).toEqual([]);
});
