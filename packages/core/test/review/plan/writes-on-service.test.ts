import { describe, expect, test } from '@jest/globals';
import { principalsOf } from '../../../src/access/principals.ts';
import { entityAlias } from '../../../src/graph/nodes/other-alias.ts';
import { boundsOfNode, ofKind } from '../../../src/graph/nodes/other-node.ts';
import { complete, composedOn, policies, reviewOn, serviceWith, team } from './service-under-plan.ts';

test('what the plan does not name stays as it is', () => {
  const service = serviceWith(`
    ${team()}
    internal all - entity:ann
    entity ann
    mount people userpass`);
  const { before, after } = composedOn(service, '+ policy new');
  expect(before).toEqual(service.graph);
  expect(after).toEqual({
    ...service.graph,
    policies: [{ name: 'new', text: '' }, ...service.graph.policies],
  });
});

test('a mount that the plan makes has the roles of the plan alone', () => {
  const { before, after } = composedOn(team(), '+ method n');
  const known = [...complete, { list: 'roles', method: 'n' }];
  expect([before.complete, after.complete]).toEqual([known, known]);
});

test('a group that was not read, though the service has its name, has what is not known', () => {
  const change = composedOn(serviceWith('method ci', { complete: [] }), '+ alias a ci team', {
    missing: ['groups'],
  });
  expect(change.missing).toEqual(['groups']);
  expect(principalsOf(change).reached.elsewhere).toContainEqual({
    kind: 'open-end',
    edge: 'identity',
    node: { kind: 'group', name: 'team' },
  });
});

describe('an entity that has nothing but one alias', () => {
  const there = `
    mount people userpass
    user people/ann wide
    internal all narrow
    ${policies}`;
  const plainAliases = [entityAlias('ann', 'people', 'ann'), entityAlias('eve', 'people', 'eve')];
  const service = { ...serviceWith(there), plainAliases };

  test.each([
    ['policies', '~ identity_entity.a id: id-ann, name: ann → policies: [narrow]'],
    ['policies, under its name', '+ identity_entity.a name: ANN, policies: [narrow]'],
    ['policies by another resource', '+ identity_entity_policies.a entity_id: id-ann, policies: [narrow]'],
    [
      'a group',
      '~ identity_group.all id: id-all, name: all, policies: [narrow] → member_entity_ids: [id-ann]',
    ],
  ])('has them with what its sign-ins give, where a plan gives it %s', (_, plan) => {
    const { after } = composedOn(service, plan);
    const aliases = ofKind(after.others, 'entityAlias');
    expect(aliases.map(({ entity }) => entity)).toEqual(['ann']);
    expect(reviewOn(service, plan).losses).toBe('some');
  });

  test('is in no graph where a plan does not name it', () => {
    const { before } = composedOn(service, '+ policy new');
    expect(before.others).toEqual(service.graph.others);
  });
});

describe('of another node', () => {
  const written = (data: object) =>
    `generic_endpoint.bob path: auth/people/users/bob, data_json: '${JSON.stringify(data)}'`;
  const data = { password: 'x', a: 'b', c: 'd', token_policies: ['narrow'] };
  const { a: _, ...less } = data;
  const glob = "role_name: web, allowed_policies_glob: ['*'], allowed_entity_aliases: [a]";

  test.each<[what: string, there: string, plan: string, bounds: object]>([
    [
      'that a plan hides and does not change, the service tells what there is',
      'user people/bob - a: real, c: d',
      `~ ${written(data)} → data_json: '${JSON.stringify({ ...data, c: 'e' })}'`,
      { a: 'real', c: '(hidden 4)' },
    ],
    [
      'a plan leaves what it never gave; what it gave and gives no more, goes',
      'user people/bob - a: b, c: d, e: f',
      `~ ${written(data)} → data_json: '${JSON.stringify(less)}'`,
      { c: 'd', e: 'f' },
    ],
    [
      'what a plan shows is written again, also where the service has another value or none',
      'token token/web - allowed_entity_aliases: [b], path_suffix: x',
      `~ token_auth_backend_role.web ${glob} → path_suffix: y`,
      { allowed_policies_glob: ['*'], allowed_entity_aliases: ['a'], path_suffix: 'y' },
    ],
    [
      'what a service draws, and does not return with it, is no change',
      'approle apps/web',
      `~ approle_auth_backend_role.web backend: apps, role_name: web, role_id: id-web
         → token_bound_cidrs: [10.0.0.0/8]`,
      { token_bound_cidrs: ['10.0.0.0/8'] },
    ],
  ])('%s', (_, there, plan, bounds) => {
    const { others = [] } = composedOn(`${there}\nmount people userpass\nmount apps approle`, plan).after;
    expect(others.slice(0, 1).map(boundsOfNode)).toEqual([bounds]);
  });

  const kept = ['a', 'token_bound_cidrs'];
  test.each<[data: object, policies: string[], bounds: string[]]>([
    [{}, ['wide', 'narrow'], kept],
    [{ token_policies: [] }, [], kept],
    [{ token_policies: ['narrow'], token_bound_cidrs: [] }, ['narrow'], ['a']],
  ])('what is written over stays but for what %j gives, also as nothing', (given, policies, bounds) => {
    const { after } = composedOn(
      `user people/bob wide,narrow a: b, token_bound_cidrs: [10.0.0.0/8], token_ttl: 60
       mount people userpass`,
      `+ ${written(given)}`,
    );
    const [user] = ofKind(after.others, 'otherRole');
    expect([user?.policies, Object.keys(user?.bounds ?? {})]).toEqual([policies, bounds]);
    expect(user?.lifetime).toEqual({ token_ttl: 60 });
  });

  test.each([
    ['the plan never had', 'backend: apps, role_name: web', ['tokenBoundCidrs']],
    ['the plan has', 'backend: apps, role_name: web, token_bound_cidrs: [10.0.0.0/8]', []],
  ])('a role that is made anew may lose a bound that %s', (_, fields, unknown) => {
    const change = composedOn(
      'mount apps approle\n approle apps/web wide token_bound_cidrs: [10.0.0.0/8]',
      `-/+ approle_auth_backend_role.web ${fields}, token_policies: [wide]`,
    );
    expect(change.unknown.map(({ field }) => field)).toEqual(unknown);
  });

  test('one policy of a role is written over all that it had', () => {
    const plan = '+ approle_auth_backend_role.web backend: apps, role_name: web, token_policies: [narrow]';
    const { others } = composedOn('approle apps/web wide,narrow', plan).after;
    expect(ofKind(others, 'otherRole').map(({ policies }) => policies)).toEqual([['narrow']]);
  });
});

test('what is made anew under a name that is taken writes over what has it', () => {
  const change = composedOn(
    'method ci\n role reader narrow\n role writer wide boundSubject: web',
    '-/+ role reader narrow → role_name: writer',
  );
  const { before, after, taken } = change;
  expect(before.roles.map(({ name }) => name)).toEqual(['reader', 'writer']);
  expect(after.roles).toMatchObject([{ name: 'writer', policies: ['narrow'], boundSubject: 'web' }]);
  expect(taken).toEqual([{ type: 'role', method: 'ci', name: 'writer' }]);
});

test('what is there already is told, but for the policy default, which every service has', () => {
  const service = `
    ${policies}
    policy default
    role default
    entity ann
    group team narrow
    mount people userpass
    entity-alias a people ann
    group-alias b people userpass team`;
  const plan = `
    + policy narrow
    + policy default
    + policy new
    + role default
    + mount people userpass
    + entity-alias a people ann
    + alias b people team`;
  expect(reviewOn(service, plan).taken).toEqual([
    'narrow',
    'default',
    'method people (userpass)',
    'alias a of people for entity ann',
    'alias b of people (userpass) for group team',
  ]);
});

test('a snapshot is older than the plan: what the plan says was there, was', () => {
  const before = (rest: object) =>
    composedOn(team(), '~ role reader wide → token_policies: null', rest).before.roles;
  expect(before({ isSnapshot: true })).toMatchObject([{ policies: ['wide'] }]);
  expect(before({})).toMatchObject([{ policies: ['narrow'] }]);
});

type Asked = [what: string, service: string, plan: string, found: object];

describe('what hangs on a group or an entity by its id', () => {
  test.each<Asked>([
    [
      'goes along where that is renamed, and gains with it',
      team('-'),
      '~ group team narrow → wide name: crew',
      { gains: 'some', gaining: ['alias'] },
    ],
    [
      'is in a renamed group as before: members gain what it gains',
      `${policies}\n internal all - entity:ann\n entity ann\n entity-alias ann people ann`,
      '~ entity ann - → name: anne\n + attach all wide exclusive: false',
      { gains: 'some' },
    ],
    [
      'goes along where the plan leaves it as it is',
      team('-'),
      '~ group team narrow → wide name: crew\n alias a ci team',
      { gains: 'some', losses: 'none' },
    ],
    [
      'goes where that is deleted',
      team('-', 'wide'),
      '- group team narrow',
      { gains: 'none', losses: 'some' },
    ],
  ])('%s', (_, service, plan, found) => {
    expect(reviewOn(service, plan)).toMatchObject({ ...found, whole: true });
  });
});

describe('what a group leaves to others', () => {
  test('its members stay, and gain what it gains', () => {
    const plan = '~ internal all - external_member_group_ids: true → wide';
    expect(reviewOn(`${team('-', '-')}\n internal all - group:team`, plan).gaining).toContain('alias');
  });

  test('its policies stay: a denial of others keeps people out', () => {
    const plan = '~ group team - external_policies: true → metadata: {a: b}';
    expect(reviewOn(team('wide'), plan)).toMatchObject({ gains: 'none', whole: true });
  });
});

test.each<[what: string, service: string, plan: string]>([
  [
    'that is made over one of others takes people into what it leaves to them',
    `${team('-', '-')}\n internal all wide`,
    '+ internal all group:team external_policies: true',
  ],
  [
    'that is made anew has no denial of others',
    `${team('wide', '-')}\n internal all narrow group:team`,
    '-/+ internal all - group:team external_policies: true',
  ],
])('a group %s', (_, service, plan) => {
  expect(reviewOn(service, plan).gains).not.toBe('none');
});

test.each([
  ['that go take away what they gave: a denial', '- attach team narrow exclusive: false'],
  ['that are made anew before they go take away a denial', '+/- attach team narrow exclusive: false'],
  ['that are the only one take away what others gave', '+ attach team - exclusive: true'],
])('attachments %s', (_, plan) => {
  expect(reviewOn(team('wide'), plan)).toMatchObject({ gains: 'some', whole: true });
});

describe('a write of what is there', () => {
  test('leaves what it does not give', () => {
    const found = reviewOn(
      `${policies}\n mount apps approle\n approle apps/web wide`,
      '+ approle_auth_backend_role.web backend: apps, role_name: web, token_ttl: 60, role_id?',
    );
    const taken = ['role web of apps (approle)'];
    expect(found).toMatchObject({ taken, losses: 'none', life: 'longer', whole: true });
    expect(found.access.flatMap(({ policies }) => policies.lost)).toEqual([]);
  });

  test('of a user by a path is one of the user', () => {
    const found = reviewOn(
      `${policies}\n mount people userpass\n user people/ann narrow`,
      `~ generic_endpoint.ann path: auth/people/users/ann, data_json: '{"password":"x","token_policies":["narrow"]}'
         → data_json: '{"password":"x","token_policies":["narrow","wide"]}'`,
    );
    expect(found).toMatchObject({ gains: 'some', taken: [], whole: true });
    expect(found.access.map(({ principals: { name } }) => name)).toEqual(['user ann of people (userpass)']);
  });
});

test.each<Asked>([
  [
    'what the service no longer has is not there before',
    'policy wide: secret/* read,update',
    'policy narrow: secret/x deny\n + policy more: secret/* read,update',
    { gains: 'none', losses: 'none', whole: true },
  ],
  [
    'what others have in a mount that is replaced is made again by them, and may be without a denial then',
    `method ci\n role theirs wide\n ${policies}\n entity ann narrow\n entity-alias p ci ann`,
    '-/+ method ci',
    { gains: 'unknown' },
  ],
  [
    'a guard that goes lets in more, though no list of a service has it',
    'policy wide: secret/* read,update',
    "- egp_policy.e name: e, paths: ['*'], policy: x",
    { gains: 'some' },
  ],
  [
    'people of an entity at two mounts keep the groups of one at the other',
    `${team('-')}
     mount people userpass
     user people/ann wide
     entity ann
     entity-alias ann people ann
     entity-alias sub ci ann`,
    '~ group team narrow → -',
    { gains: 'some', whole: true },
  ],
])('%s', (_, service, plan, found) => {
  expect(reviewOn(service, plan)).toMatchObject(found);
});
