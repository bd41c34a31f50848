import { describe, expect, test } from '@jest/globals';
import type { FoldedLog } from '../../src/usage/folded-log.ts';
import { type ReplayedChange, replay } from '../../src/usage/replay.ts';
import { change } from '../worlds.ts';
import { answers, logOf, now, partOf, policyOf, replayed, serviceOf, someone } from './replayed-log.ts';

const shop = 'secret/data/shop/db';
const log = logOf({ path: shop });
/** What all services here have, but for the roles. */
const base = `
  method ci oidcDiscoveryUrl: https://ci.example.com
  entity alice`;
const web =
  'role web shop tokenNoDefaultPolicy: false, boundAudiences: null, boundClaims: {project: [shop]}, groupsClaim: groups';
const bare = web.replace('web shop', 'web -');
const shopPolicy = 'policy shop: secret/data/shop/* read';
const whole = 'complete methods groups aliases policies identities others roles:ci';

type Row = [what: string, change: string, answer: string[], given?: Asked];

/** What becomes of a log by a change, on top of what both sides have unless the change has it. */
function answersTo(both: string, text: string, log: FoldedLog, { unknown, replaced, isPart }: Asked = {}) {
  const isIn = (line: string) => text.includes(line.trim().split(' ').slice(0, 2).join(' '));
  const rest = `${base}\n${both}`.split('\n').filter((line) => !isIn(line) || line.trim() === '');
  const { before, after } = change([...rest, isPart ? '' : whole, text].join('\n'));
  return answers(log, before, after, { ...(unknown && { unknown }), ...(replaced && { replaced }) });
}

interface Asked {
  unknown?: ReplayedChange['unknown'];
  replaced?: ReplayedChange['replaced'];
  /** As a plan shows it: nothing is known completely. */
  isPart?: boolean;
  log?: FoldedLog;
}

/** Tests of what becomes of a log, a change each. */
function testAnswers(both: string, log: FoldedLog, rows: Row[]): void {
  test.each(rows)('%s', (_, text, answer, given = {}) => {
    expect(answersTo(both, text, given.log ?? log, given)).toEqual(answer);
  });
}

describe('a replay', () => {
  const elsewhere = logOf({ by: someone({ unknown: 'elsewhere' }), path: shop });
  const withOps = logOf({ by: someone({ tokenPolicies: ['default', 'ops'] }), path: shop });
  const root = someone({ name: 'root', entity: '', role: '', metadata: {}, tokenPolicies: ['root'] });
  const child = logOf({ by: someone({ name: 'token', role: '', metadata: {} }), path: shop });
  const bounds = 'unknown: role ci/web has other bounds, and the log has no claims';
  const hidden = (type: 'policy' | 'role', name: string, field: string) => [
    { type, name, field, ...(type === 'role' && { method: 'ci' }) },
  ];

  testAnswers(`${web}\n ${shopPolicy}`, log, [
    ['refuses nothing where nothing changes', '', []],
    [
      'refuses nothing where only the writing of a policy changes',
      '~ policy shop: secret/data/shop/* read → path "secret/data/shop/*" {capabilities=["read"]}',
      [],
    ],
    ['refuses everything of a role that is deleted', `- ${web}`, ['refused: role ci/web is gone']],
    [
      'does not know what narrower bounds let in',
      `~ ${web} → boundClaims: {project: [shop], ref: [main]}`,
      [bounds],
    ],
    [
      'does not know who people are by another claim',
      `~ ${web} → userClaim: email`,
      ['unknown: role ci/web gives other tokens'],
    ],
    [
      'does not know the entity of people whose method is made anew',
      '',
      ['unknown: auth/ci is made anew, and their entity with it'],
      { replaced: [{ type: 'method', name: 'ci' }] },
    ],
    [
      'does not know what a policy allows that the plan hides',
      '',
      ['unknown: what policy shop allows'],
      { unknown: hidden('policy', 'shop', 'text') },
    ],
    [
      'does not know what a role gives that the plan hides',
      '',
      ['unknown: what becomes of role ci/web'],
      { unknown: hidden('role', 'web', 'policies') },
    ],
    ['leaves root tokens alone', `- ${web}\n - ${shopPolicy}`, [], { log: logOf({ by: root, path: shop }) }],
    [
      'does not know what tokens of tokens would have',
      `- ${web}`,
      ['unknown: where the token is from'],
      { log: child },
    ],
    [
      'does not know what policies of other namespaces do',
      `~ ${shopPolicy} → ${shop} read`,
      ['unknown: policies of other namespaces'],
      { log: elsewhere },
    ],
    [
      'knows little where policies are elsewhere',
      `~ ${web.replace('web shop', 'web shop,ops')} → ops`,
      ['unknown: what policy ops allows'],
      { log: withOps, isPart: true },
    ],
  ]);

  test('refuses what a policy no longer gives, with the rule that decided before', () => {
    const after = serviceOf({ policies: [policyOf('shop', 'secret/data/shop/*', 'list')] });
    expect(replayed(log, { before: serviceOf(), after }).refused).toMatchObject([
      {
        at: { method: 'ci', role: 'web' },
        pattern: { before: 'secret/data/shop/*', after: 'secret/data/shop/*' },
        because: { kind: 'capability', capability: 'read' },
      },
    ]);
  });

  test('refuses everything of a method that is deleted, also where its roles are elsewhere', () => {
    const [was, is] = [partOf({ roles: [] }), partOf({ roles: [], methods: [] })];
    expect(answers({ ...log, signIns: signedIn() }, was, is)).toEqual(['refused: auth/ci is gone']);
  });

  test('names what of the change has no name yet', () => {
    const unknown = [{ type: 'policy' as const, name: 'vault_policy.made' }];
    const missing = [{ kind: 'unnamed', subject: { type: 'policy', name: 'vault_policy.made' } }];
    const [before, after] = [serviceOf(), serviceOf()];
    expect(replayed(log, { before, after, unknown })).toMatchObject({ refused: [], missing });
  });

  test('counts what another rule allows', () => {
    const after = serviceOf({ policies: [policyOf('shop', 'secret/data/*', 'read')] });
    expect(replayed(log, { before: serviceOf(), after })).toMatchObject({
      refused: [],
      unknown: [],
      byAnotherRule: 1,
    });
  });

  test('counts apart what the service refuses today already', () => {
    const [was, is] = [serviceOf({ policies: [] }), serviceOf({ policies: [policyOf('shop', 'x', 'read')] })];
    expect(replayed(log, { before: was, after: is })).toMatchObject({ refused: [], unknown: [], already: 1 });
  });
});

const inOps = someone({ tokenPolicies: ['default'], identityPolicies: ['ops'] });
const opsLog = logOf({ by: inOps, path: 'secret/data/ops/a' });
const ops = 'policy ops: secret/data/ops/* read';

describe('groups in a replay', () => {
  const alias = 'alias /admins ci admins';
  const support = 'alias /support ci support';
  const maybe = (group: string) => [`unknown: whether they are in group ${group}`];
  const never = 'policy never: secret/data/ops/* deny';

  testAnswers(`${bare}\n ${ops}\n ${alias}\n group admins ops`, opsLog, [
    ['refuse what their policy gave, where that is taken', '~ group admins ops → -', ['refused: no-rule']],
    [
      'do not tell whether another one elsewhere gives it',
      '~ group admins ops → -',
      ['unknown: whether a group elsewhere gives policy ops'],
      { isPart: true },
    ],
    [
      'do not tell which of two people are in, where one loses a policy',
      `~ group admins ops → -\n group support ops\n ${support}`,
      maybe('support'),
    ],
    [
      'keep a policy that two of them gave, where both still do',
      `~ group admins ops → ops,more\n group support ops\n ${support}\n + policy more: other/* read`,
      [],
    ],
    ['deny what others give', `+ ${never}\n ~ group admins ops → ops,never`, ['refused: denied']],
    [
      'are not known to have people by another alias',
      `- ${alias}\n + alias /others ci admins`,
      maybe('admins'),
    ],
    [
      'are not known to keep people whom the service still counts to them',
      `- ${alias}\n internal admins - entity:alice`,
      maybe('admins'),
    ],
    [
      'do not tell what they give where the plan hides it',
      '',
      ['unknown: the policies of group admins'],
      { unknown: [{ type: 'group', name: 'admins', field: 'policies' }] },
    ],
  ]);

  testAnswers(`${web}\n ${shopPolicy}`, log, [
    [
      'deny perhaps, where they are new',
      '+ policy never: secret/data/shop/* deny\n + group new never\n + alias /new ci new',
      maybe('new'),
    ],
  ]);

  test('count as possible where their policies changed since', () => {
    const both = `${bare}\n ${ops}\n policy more: other/* read\n ${alias}`;
    expect(answersTo(both, '~ group admins more,ops → more', opsLog)).not.toEqual([]);
  });
});

describe('entities in a replay', () => {
  testAnswers(`${bare}\n ${ops}`, opsLog, [
    ['lose what their policies gave', '~ entity alice ops → -', ['refused: no-rule']],
    [
      'are others by another name',
      '~ entity alice ops → name: alicia',
      ['unknown: whether they are still the same entity'],
    ],
    [
      'leave a group of the service with their membership',
      '- internal team ops entity:alice\n + internal team ops',
      ['refused: no-rule'],
    ],
  ]);

  test('are not told by their id where no service was read', () => {
    const { before, after } = change(`method ci\n ${bare}\n ${ops}\n ~ entity alice ops → -`);
    const { refused, unknown } = replay(opsLog, { before, after }, { now });
    expect([refused.length, unknown.length]).toEqual([0, 1]);
  });
});

describe('AppRoles in a replay', () => {
  const by = someone({
    name: 'approle',
    role: 'app',
    metadata: { role_name: 'app' },
    tokenPolicies: ['default', 'shop'],
  });
  testAnswers(`${web}\n ${shopPolicy}`, logOf({ by, path: shop }), [
    ['lose the policies of their role', '~ approle app shop → -', ['refused: no-rule']],
    [
      'may not get in from where they did, with other bounds',
      '~ approle app shop → token_bound_cidrs: [10.0.0.0/8]',
      ['unknown: role approle/app has other bounds, and the log has no claims'],
    ],
    [
      'cannot sign in where their role is deleted',
      '- approle app shop',
      ['refused: role approle/app is gone'],
    ],
  ]);
});

describe('people of a directory in a replay', () => {
  const by = someone({ name: 'ldap-ann', metadata: { username: 'ann' } });
  const signIns = [{ who: by, method: 'ldap', role: 'ann', count: 1, first: 0, last: 0 }];
  testAnswers(
    `${shopPolicy}\n mount ldap ldap\n configuration ldap ldap url: ldaps://a.example`,
    { ...logOf({ by, path: shop }), signIns },
    [
      [
        'may not get in where the configuration of their method changes',
        '~ configuration ldap ldap url: ldaps://a.example → url: ldaps://b.example',
        ['unknown: auth/ldap changes'],
      ],
      ['get in where that of another method changes', '~ configuration k8s kubernetes host: a → host: b', []],
    ],
  );
});

describe('groups of a directory in a replay', () => {
  const by = someone({ name: 'ldap-ann', metadata: { username: 'ann' } });
  const signIns = [{ who: by, method: 'ldap', role: 'ann', count: 1, first: 0, last: 0 }];
  const log = { ...logOf({ by, path: shop }), signIns };
  const never = 'policy never: secret/data/shop/* deny';
  const madeBy = (inherits: boolean) => {
    const request = { operation: 'update', path: 'auth/token/create', fields: {} };
    const making = { by, request, role: '', inherits, isOrphan: false };
    const child = someone({
      name: 'ldap-ann',
      metadata: {},
      lineage: { method: 'ldap', role: 'ann', type: 'ldap', namespace: '', making },
    });
    return { ...logOf({ by: child, path: shop }), signIns };
  };
  const mayMake = 'policy make: auth/token/create update';
  testAnswers(
    `${shopPolicy}\n ${mayMake}\n mount ldap ldap\n ldap-group ldap/crew shop\n user ldap/ann make`,
    log,
    [
      [
        'refuse a token that takes the policies of its maker',
        '~ ldap-group ldap/crew shop → -',
        ['refused: no-rule'],
        { log: madeBy(true) },
      ],
      [
        'do not tell whether a maker may give what they may not have given',
        '~ ldap-group ldap/crew shop → -',
        ['unknown: the token that makes theirs lacks policies, or sudo'],
        { log: madeBy(false), isPart: true },
      ],
      [
        'refuse a token whose maker lacks what it asks for',
        '~ ldap-group ldap/crew shop → -',
        ['refused: the token that makes theirs lacks policies, or sudo'],
        { log: madeBy(false) },
      ],
    ],
  );
  testAnswers(`${shopPolicy}\n mount ldap ldap\n ldap-group ldap/crew shop`, log, [
    [
      'refuse what their policy gave, where that is taken',
      '~ ldap-group ldap/crew shop → -',
      ['refused: no-rule'],
    ],
    ['refuse everything of one that is deleted', '- ldap-group ldap/crew shop', ['refused: no-rule']],
    [
      'do not tell whether another one elsewhere gives it',
      '~ ldap-group ldap/crew shop → -',
      ['unknown: whether a group elsewhere gives policy shop'],
      { isPart: true },
    ],
    ['deny what they gave', `+ ${never}\n ~ ldap-group ldap/crew shop → shop,never`, ['refused: denied']],
    [
      'deny perhaps, where they are new',
      `+ ${never}\n + ldap-group ldap/new never`,
      ['unknown: whether they have what group new of ldap gives'],
    ],
    ['keep what another one of theirs gives', '+ ldap-group ldap/other shop', []],
  ]);
});

describe('groups of a configuration in a replay', () => {
  const by = someone({ name: 'okta-ann', metadata: { username: 'ann' } });
  const signIns = [{ who: by, method: 'okta', role: 'ann', count: 1, first: 0, last: 0 }];
  const groups = ['shop', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `{policies: [${name}]}`);
  testAnswers(
    `${shopPolicy}\n mount okta okta group: [${groups.join(', ')}]`,
    { ...logOf({ by, path: shop }), signIns },
    [
      [
        'refuse what the policy of one of theirs gave, however many there are',
        `~ ${shopPolicy} → secret/data/shop/* list`,
        ['refused: read'],
      ],
      ['refuse nothing where another one changes', '+ policy a: secret/data/shop/* deny', []],
    ],
  );
});

describe('parameters in a replay', () => {
  const limited = (...values: string[]) => {
    const allowed = `allowed_parameters = { "kind" = ${JSON.stringify(values)} }`;
    const text = `path "secret/data/shop/*" { capabilities = ["update"]\n ${allowed} }`;
    return serviceOf({ policies: [{ name: 'shop', text }] });
  };
  const asked = (kind: unknown) => logOf({ path: shop, operation: 'update', fields: { kind } });
  const hashes = new Map(['a', 'b'].map((value) => [value, `hmac-sha256:${value}1`]));
  const change = { before: limited('a', 'b'), after: limited('b') };

  test('are unknown where the log has a hash, and no device was asked', () => {
    const unknown = ['unknown: a hashed value that a policy limits'];
    expect(answers(asked('hmac-sha256:a1'), change.before, change.after)).toEqual(unknown);
  });

  test('are compared by what the device makes of them', () => {
    const { refused, unknown } = replay(asked('hmac-sha256:a1'), change, { now, hashes });
    expect([refused.map(({ because }) => because), unknown]).toEqual([[{ kind: 'parameters' }], []]);
    const passed = replay(asked('hmac-sha256:b1'), change, { now, hashes });
    expect(passed).toMatchObject({ refused: [], unknown: [] });
  });

  test('are unknown where a pattern meets a hash', () => {
    const pattern = { ...change, after: limited('b', 'x*') };
    expect(replay(asked('hmac-sha256:a1'), pattern, { now, hashes }).unknown).toHaveLength(1);
  });
});

function signedIn() {
  const times = { count: 1, first: 0, last: 0 };
  return [{ who: someone(), method: 'ci', role: 'web', ...times }];
}
