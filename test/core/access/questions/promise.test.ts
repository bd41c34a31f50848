import { describe, expect, it, test } from '@jest/globals';
import { type PromiseAnswer, Promises } from '../../../../core/access/questions/promise.ts';
import type { Graph } from '../../../../core/model/graph.ts';
import { Acl } from '../../../../core/model/policies/acl.ts';
import type { PathRule } from '../../../../core/model/policies/parse-policy.ts';
import type { Promised } from '../../../../core/model/promise-settings.ts';
import { everyPath, randomPolicies } from '../../../harness/random-policies.ts';
import { graphOf, method, policy, role } from '../../review/graphs.ts';

const now = 0n;
const because = 'only they know how';
const prod = 'secret/data/prod/*';

/** The method `ci` with roles `backup`, `build` and `staff`, of which `staff` reads groups, and the group `admins`. */
function house(more: Partial<Graph> = {}, rules: Parameters<typeof policy>[1][] = []): Graph {
  return graphOf({
    methods: [method('ci', { jwksUrl: 'https://ci.example.com/keys' })],
    roles: [
      role('backup', { policies: ['backup'], boundSubject: 'backup' }),
      role('build', { policies: ['build'], boundSubject: 'build' }),
      role('staff', { policies: ['build'], groupsClaim: 'groups' }),
    ],
    groups: [{ name: 'admins', policies: ['admin'] }],
    aliases: [{ name: 'a-1', method: 'ci', group: 'admins' }],
    policies: [
      policy('admin', [prod, 'create', 'update', 'delete']),
      policy('backup', [prod, 'read', 'update', 'list']),
      policy('build', ['secret/data/build/*', 'read'], ...rules),
    ],
    ...more,
  });
}

const writers: Promised = {
  only: ['group admins', 'role backup'],
  can: ['create', 'update', 'delete'],
  on: prod,
  because,
};
const decide = (given: Graph, promise: Promised, unseen: string[] = []): PromiseAnswer =>
  new Promises(given, now, unseen).decide(promise);
const witnessed = (given: Graph, promise: Promised) => {
  const found = decide(given, promise);
  return found.answer === 'broken' ? found.witness : found;
};

describe('only', () => {
  it('is kept where nobody else can', () => {
    expect(decide(house(), writers)).toEqual({ answer: 'kept' });
  });

  test.each<[string, Parameters<typeof policy>[1], string?]>([
    ['by the pattern itself', [prod, 'update']],
    ['by a + for one of its segments', ['secret/+/prod/*', 'update']],
    ['by + all the way', ['+/+/+/+', 'delete']],
    ['by a prefix above', ['secret/*', 'create']],
    ['by everything', ['*', 'update']],
    ['by a prefix that ends within a word', ['secret/data/pr*', 'update']],
    ['by one path below', ['secret/data/prod/db', 'update']],
    ['by patching', [prod, 'patch'], 'patch'],
    ['with sudo beside it', [prod, 'update', 'sudo']],
    ['by a template', ['secret/data/{{identity.entity.name}}/*', 'update']],
    ['by a template below', ['secret/data/prod/{{identity.entity.name}}', 'update']],
  ])('is broken %s', (_, rule, capability = rule[1]) => {
    const found = witnessed(house({}, [rule]), writers);
    expect(found).toMatchObject({
      who: 'role "build" of auth/ci',
      path: expect.stringMatching(/^secret\/data\/prod\//),
      capability,
      policies: ['build'],
      pattern: rule[0],
      signIn: { role: 'build', token: { claims: { sub: 'build', aud: 'secrets' } } },
    });
  });

  test.each<[string, Parameters<typeof policy>[1][]]>([
    ['something beside', [['secret/data/produce/*', 'update']]],
    ['another number of segments', [['secret/+/+', 'update']]],
    [
      'a denial that is more specific',
      [
        ['secret/*', 'update'],
        [prod, 'deny'],
      ],
    ],
    ['looking', [[prod, 'read', 'list']]],
    ['sudo alone', [[prod, 'sudo']]],
  ])('is kept with %s', (_, rules) => {
    expect(decide(house({}, rules), writers)).toEqual({ answer: 'kept' });
  });

  it('is broken where a denial has a hole', () => {
    const rules: Parameters<typeof policy>[1][] = [
      ['secret/*', 'update'],
      [prod, 'deny'],
      ['secret/data/prod/+/x', 'update'],
    ];
    expect(witnessed(house({}, rules), writers)).toMatchObject({
      path: expect.stringMatching(/^secret\/data\/prod\/[^/]+\/x$/),
      pattern: 'secret/data/prod/+/x',
    });
  });

  it('is broken by a list of the folder', () => {
    const promise: Promised = { only: ['role backup'], can: ['list'], on: prod, because };
    expect(decide(house(), promise)).toEqual({ answer: 'kept' });
    for (const pattern of ['secret/data/prod', 'secret/data/prod/', 'secret/data/+', 'secret/data/prod/x/']) {
      const on = pattern.endsWith('x/') ? prod : 'secret/data/prod';
      expect(witnessed(house({}, [[pattern, 'list']]), { ...promise, on })).toMatchObject({
        who: 'role "build" of auth/ci',
        capability: 'list',
        pattern,
      });
    }
    expect(witnessed(house({}, [['secret/data/prod/', 'list']]), promise)).toMatchObject({
      pattern: 'secret/data/prod/',
    });
  });

  it('is broken by a group of a group', () => {
    const base = house();
    const given: Graph = {
      ...base,
      groups: [...base.groups, { name: 'juniors', policies: [] }],
      aliases: [...base.aliases, { name: 'j-1', method: 'ci', group: 'juniors' }],
      holders: [
        { kind: 'group', name: 'inner', policies: [], members: [{ kind: 'group', name: 'juniors' }] },
        { kind: 'group', name: 'outer', policies: ['admin'], members: [{ kind: 'group', name: 'inner' }] },
      ],
    };
    expect(witnessed(given, writers)).toMatchObject({
      who: 'role "build" of auth/ci, in group "juniors" ("j-1" of auth/ci)',
      signIn: { role: 'staff', token: { claims: { groups: 'j-1' } } },
    });
    const ofAdmins: Graph = {
      ...base,
      holders: [
        { kind: 'group', name: 'outer', policies: ['admin'], members: [{ kind: 'group', name: 'ADMINS' }] },
      ],
    };
    expect(decide(ofAdmins, writers)).toEqual({ answer: 'kept' });
  });

  it('is broken by an entity, and by another way in', () => {
    const holders: Graph['holders'] = [{ kind: 'entity', name: 'bot', policies: ['Admin'] }];
    expect(witnessed(house({ holders }), writers)).toMatchObject({ who: 'entity "bot"' });
    const others: Graph['others'] = [
      { name: 'role "app" of auth/k8s (kubernetes)', effect: 'gives', policies: ['admin'], bounds: {} },
    ];
    expect(witnessed(house({ others }), writers)).toMatchObject({
      who: 'role "app" of auth/k8s (kubernetes)',
    });
  });

  it('is broken by an alias that comes later, for a group with the policy in capitals', () => {
    const base = house({ groups: [...house().groups, { name: 'ops', policies: ['ADMIN'] }] });
    expect(decide(base, writers)).toMatchObject({
      answer: 'unknown',
      missing: expect.stringContaining('members of group "ops"'),
    });
    const later = { ...base, aliases: [...base.aliases, { name: 'o-1', method: 'ci', group: 'ops' }] };
    expect(witnessed(later, writers)).toMatchObject({ who: expect.stringContaining('in group "ops"') });
  });

  it('is not broken by a policy that expired', () => {
    const text = `path "${prod}" { capabilities = ["update"]\n expiration = "1970-01-01T00:00:01Z" }`;
    const given = house();
    const policies = given.policies.map((one) => (one.name === 'build' ? { ...one, text } : one));
    expect(decide({ ...given, policies }, writers).answer).toBe('broken');
    expect(new Promises({ ...given, policies }, 2_000_000_000n).decide(writers)).toEqual({ answer: 'kept' });
  });

  it('cannot be judged where a policy cannot be read, is not here, or is filled in by claims', () => {
    for (const policies of [['elsewhere'], ['build', 'elsewhere'], ['{{claims}}']]) {
      const roles = [role('build', { policies, boundSubject: 'build' })];
      expect(decide(house({ roles }), writers)).toMatchObject({
        answer: 'unknown',
        missing: expect.stringContaining('role "build" of auth/ci has'),
      });
    }
    const broken = house().policies.map((one) => (one.name === 'build' ? { ...one, text: 'path {' } : one));
    expect(decide(house({ policies: broken }), writers).answer).toBe('unknown');
  });

  it('cannot be judged where something was not read', () => {
    expect(decide(house(), writers, ['what auth/app gives'])).toEqual({
      answer: 'unknown',
      missing: 'what auth/app gives',
    });
  });
});

describe('never', () => {
  const never = (...never: string[]): Promised => ({ never, can: ['update'], on: prod, because });

  it('is broken by a role alone, and by anyone at all', () => {
    expect(witnessed(house(), never('role backup'))).toMatchObject({ who: 'role "backup" of auth/ci' });
    expect(decide(house(), never('anyone')).answer).toBe('broken');
    expect(decide(house({ aliases: [], groups: [] }, []), { ...never('anyone'), can: ['delete'] })).toEqual({
      answer: 'kept',
    });
  });

  it('is broken by a role without a groups claim, whose mount has another that has one', () => {
    // Whoever signs in by both has the group’s policies in both tokens.
    expect(witnessed(house(), never('role build'))).toMatchObject({
      who: 'role "build" of auth/ci, in group "admins" ("a-1" of auth/ci)',
      signIn: { role: 'staff' },
    });
    const without = house().roles.filter(({ name }) => name !== 'staff');
    expect(decide(house({ roles: without }), never('role build'))).toEqual({ answer: 'kept' });
  });

  it('is broken for a group by its role, and by another group that its people may be in', () => {
    const base = house();
    const given: Graph = {
      ...base,
      roles: base.roles.filter(({ name }) => name !== 'backup'),
      groups: [...base.groups, { name: 'guests', policies: ['build'] }],
      aliases: [...base.aliases, { name: 'g-1', method: 'ci', group: 'guests' }],
    };
    expect(witnessed(given, never('group guests'))).toMatchObject({
      who: expect.stringMatching(/in group "guests" .*, in group "admins"/),
    });
    const denied = given.policies.map((one) =>
      one.name === 'build' ? policy('build', ['secret/data/prod/*', 'deny']) : one,
    );
    expect(decide({ ...given, policies: denied }, never('group guests'))).toEqual({ answer: 'kept' });
  });

  it('cannot be judged where an entity has it: its people may sign in by the role', () => {
    const holders: Graph['holders'] = [{ kind: 'entity', name: 'bot', policies: ['admin'] }];
    const roles = house().roles.filter(({ name }) => name !== 'staff');
    expect(decide(house({ holders, roles }), never('role build'))).toMatchObject({
      answer: 'unknown',
      missing: expect.stringContaining('entity "bot"'),
    });
  });
});

describe('always', () => {
  const always = (who: string, more: Partial<Promised> = {}): Promised => ({
    always: [who],
    can: ['create', 'update'],
    on: prod,
    because,
    ...more,
  });

  it('is kept where they can on every path', () => {
    expect(decide(house(), always('group admins'))).toEqual({ answer: 'kept' });
    expect(decide(house(), always('role backup', { can: ['update', 'list'] }))).toEqual({ answer: 'kept' });
    expect(decide(house(), always('someone'))).toEqual({ answer: 'kept' });
  });

  test.each<[string, Graph, Promised]>([
    ['one of the capabilities is missing', house(), always('role backup')],
    ['one path is missing', house({}, []), always('group admins', { on: 'secret/data/*' })],
    ['nobody reads the group any more', house({ roles: house().roles.slice(0, 2) }), always('group admins')],
    ['the alias is gone', house({ aliases: [] }), always('group admins')],
    ['the role is gone', house({ roles: [] }), always('role backup', { can: ['update'] })],
    [
      'the role takes away what the group gives',
      house({}, [['secret/data/prod/x', 'deny']]),
      always('group admins'),
    ],
    [
      'patching is all that is left',
      house({ policies: [policy('admin', [prod, 'patch']), policy('backup'), policy('build')] }),
      always('someone', { can: ['update'] }),
    ],
    [
      'it is root that gives it',
      house({ roles: [role('backup', { policies: ['root'] })] }),
      always('role backup'),
    ],
  ])('is broken where %s', (_, given, promise) => {
    expect(decide(given, promise)).toMatchObject({
      answer: 'broken',
      witness: { who: (promise.always ?? [])[0], path: expect.stringMatching(/^secret\/data\//) },
    });
  });

  it('cannot be judged with a limit beside it, or without a sign-in', () => {
    const limited = house();
    const text = `path "${prod}" { capabilities = ["create", "update"]\n required_parameters = ["reason"] }`;
    const policies = limited.policies.map((one) => (one.name === 'admin' ? { ...one, text } : one));
    expect(decide({ ...limited, policies }, always('group admins'))).toMatchObject({
      answer: 'unknown',
      missing: expect.stringContaining('required_parameters'),
    });
    const nobody = [role('backup', { policies: ['admin'], boundSubject: 'a', boundClaims: { sub: 'b' } })];
    expect(decide(house({ roles: nobody }), always('role backup'))).toMatchObject({
      answer: 'unknown',
      missing: expect.stringContaining('sign-in'),
    });
  });
});

const rounds = Number(process.env['ROUNDS'] ?? 300);
const seed = Number(process.env['SEED'] ?? 20_261_121);

it(`holds or not as asking every path for every token does, seed ${seed}`, () => {
  const wrong: unknown[] = [];
  for (let round = 0; round < rounds; round++) {
    const texts = randomPolicies(seed + round, 4, 3);
    const names = ['p0', 'p1', 'p2', 'p3'];
    const given = graphOf({
      roles: [role('r', { policies: ['p0'], groupsClaim: 'groups' })],
      groups: names.slice(1).map((name) => ({ name: `g ${name}`, policies: [name] })),
      aliases: names.slice(1).map((name) => ({ name, method: 'ci', group: `g ${name}` })),
      policies: texts.map((rules, at) =>
        policy(
          `p${at}`,
          ...rules.map(({ path, capabilities }): [string, ...string[]] => [path, ...capabilities]),
        ),
      ),
    });
    const on = ['a/*', 'a', '+/a', 'ab*', '*', 'a/+/a'][round % 6] as string;
    const capability = (['read', 'update', 'list'] as const)[round % 3] as 'read';
    const paths = everyPath.filter((path) => {
      const isAsked = aclOf([[{ path: on, capabilities: [capability] }]]).allows({ path, capability });
      return isAsked && !(round % 3 === 2 && path.endsWith('/'));
    });
    const can = (at: number[]) => {
      const acl = aclOf([0, ...at].map((one) => texts[one] ?? []));
      return paths.filter((path) => acl.allows({ path, capability })).length;
    };
    const without = [[], [2], [3], [2, 3]];
    const withOne = [[1], [1, 2], [1, 3], [1, 2, 3]];
    const truth = {
      only: without.every((set) => can(set) === 0),
      never: withOne.every((set) => can(set) === 0),
      always: can([1]) === paths.length,
    };
    const group = ['group g p1'];
    const told = Object.fromEntries(
      (['only', 'never', 'always'] as const).map((kind) => [
        kind,
        decide(given, { [kind]: group, can: [capability], on, because }).answer === 'kept',
      ]),
    );
    if (JSON.stringify(told) !== JSON.stringify(truth))
      wrong.push({ round, on, capability, texts, told, truth });
  }
  expect(wrong.slice(0, 1)).toEqual([]);
});

function aclOf(texts: PathRule[][]): Acl {
  return new Acl(
    texts.map((rules, at) => ({ name: `p${at}`, rules })),
    0n,
  );
}
