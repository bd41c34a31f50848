import { describe, expect, test } from '@jest/globals';
import { composeChanges } from '../../../src/review/plan/compose-change.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';

const types = {
  method: 'vault:jwt/authBackend:AuthBackend',
  role: 'vault:jwt/authBackendRole:AuthBackendRole',
  policy: 'vault:index/policy:Policy',
  group: 'vault:identity/group:Group',
  alias: 'vault:identity/groupAlias:GroupAlias',
};
const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';
const provider = (name: string) => `urn:pulumi:prod::p::pulumi:providers:vault::${name}::1`;

interface Sides {
  old?: object;
  wanted?: object;
  outputs?: object;
  diff?: string[];
  of?: string;
  oldOf?: string;
  fields?: object;
}

function step(
  op: string,
  type: string,
  name: string,
  { old, wanted, outputs, diff, of = 'default', oldOf = of, fields }: Sides,
) {
  const urn = `urn:pulumi:prod::p::${type}::${name}`;
  const state = (inputs: object, at: string, out?: object) => ({
    urn,
    type,
    custom: true,
    provider: provider(at),
    inputs,
    ...(out && { outputs: out }),
    ...fields,
  });
  return {
    op,
    urn,
    diffReasons: diff ?? [],
    detailedDiff: null,
    ...(old && { oldState: state(old, oldOf, outputs ?? old) }),
    ...(wanted && { newState: state(wanted, of) }),
  };
}

const composed = (...steps: object[]) => composeChanges(readPlan(JSON.stringify({ steps })));
const compose = (...steps: object[]) => {
  const [first] = composed(...steps);
  if (first === undefined) throw new Error('nothing was composed');
  return first.change;
};

const role = { backend: 'ci', roleName: 'r', roleType: 'jwt', userClaim: 'sub', tokenPolicies: ['a'] };
const field = (name: string) => ({ type: 'role', name: 'r', method: 'ci', field: name });
const update = (old: object, wanted: object, rest: Sides = {}) =>
  step('update', types.role, 'r', { old: { ...role, ...old }, wanted: { ...role, ...wanted }, ...rest });

describe('a secret', () => {
  const secret = { boundClaims: '[secret]' };
  test('that is in no diff stays as it is', () => {
    const changed = update(secret, { ...secret, tokenTtl: 60 }, { diff: ['tokenTtl'] });
    const { before, after, unknown: untold } = compose(changed);
    expect(untold).toEqual([]);
    expect(before.roles[0]?.boundClaims).toEqual(after.roles[0]?.boundClaims);
    expect(Object.keys(after.roles[0]?.boundClaims ?? {})).toHaveLength(1);
  });

  test.each([[['boundClaims']], [[]]])(
    'that a diff names, or no diff tells of, is another one: %j',
    (diff) => {
      const { before, after, unknown: untold } = compose(update(secret, secret, { diff }));
      expect(untold).toEqual([field('boundClaims')]);
      expect(before.roles[0]?.boundClaims).not.toEqual(after.roles[0]?.boundClaims);
    },
  );
});

test('what the program does not set goes where the diff says so: it was set by hand', () => {
  const outputs = { ...role, boundSubject: 'x' };
  const { after } = compose(update({}, {}, { outputs, diff: ['boundSubject'] }));
  expect(after.roles[0]).not.toHaveProperty('boundSubject');
});

describe('the order of steps', () => {
  const replaced = (...ops: string[]) =>
    compose(
      ...ops.map((op) =>
        step(op, types.role, 'r', { old: role, ...(op === 'delete-replaced' ? {} : { wanted: role }) }),
      ),
    );

  test.each<[string[], number, number]>([
    [['delete-replaced', 'replace', 'create-replacement'], 1, 0],
    [['create-replacement', 'replace', 'delete-replaced'], 0, 0],
    [['replace'], 1, 1],
  ])('%j: %i roles, %i unknown', (ops, roles, untold) => {
    const { after, unknown: unknownParts } = replaced(...ops);
    expect([after.roles.length, unknownParts.length]).toEqual([roles, untold]);
  });

  test('what is no longer declared is deleted when all else is done', () => {
    const { after, unknown: unknownParts } = compose(
      step('create', types.role, 'new', { wanted: role }),
      step('delete', types.role, 'old', { old: role }),
    );
    expect([after.roles, unknownParts]).toEqual([[], []]);
  });

  test('what an earlier deployment left behind goes, and what has its name goes with it', () => {
    const { after } = compose(
      step('same', types.role, 'r', { old: role }),
      step('delete-replaced', types.role, 'r', { old: role }),
    );
    expect(after.roles).toEqual([]);
  });

  test('what is retained stays beside what is made in its stead', () => {
    const wanted = { ...role, roleName: 'new' };
    const { after } = compose(
      step('replace', types.role, 'r', { old: role, wanted, fields: { retainOnDelete: true } }),
    );
    expect(after.roles.map(({ name }) => name)).toEqual(['r', 'new']);
  });
});

describe('a refresh', () => {
  const other = { ...role, tokenPolicies: ['by-hand'] };

  test('that finds a role gone: it is made anew', () => {
    const { before, after } = compose(
      step('refresh', types.role, 'r', { old: role }),
      step('create', types.role, 'r', { wanted: role }),
    );
    expect([before.roles.length, after.roles.length]).toEqual([0, 1]);
  });

  test('alone changes nothing', () => {
    const { before, after } = compose(step('refresh', types.role, 'r', { old: role, wanted: other }));
    expect([before, before.roles.length]).toEqual([after, 1]);
  });
});

describe('where a resource is', () => {
  const policy = (name: string) => ({ name, policy: '' });
  const places = (...steps: object[]) => composed(...steps).map(({ place }) => place);
  const of = (name: string, by: string) =>
    step('create', types.policy, name, { wanted: policy(name), of: by });
  const service = (name: string, inputs: object, old: object = inputs) =>
    step('same', 'pulumi:providers:vault', name, { old, wanted: inputs });

  test('the default providers of two versions of the package are one', () => {
    expect(places(of('a', 'default_7_8_0'), of('b', 'default_7_9_0'))).toEqual([{}]);
  });

  test('providers of one address are one server, with their namespaces', () => {
    const address = 'https://a';
    const two = [service('x', { address }), service('y', { address, namespace: 'team' })];
    expect(places(...two, of('a', 'x'), of('b', 'y'))).toEqual([{}, { namespace: 'team' }]);
  });

  test('a role that is given to another provider is deleted there and made here', () => {
    const found = composed(
      step('update', types.role, 'r', { old: role, wanted: role, of: 'prod', oldOf: 'dev' }),
      step('same', types.policy, 'p', { old: policy('p'), of: 'dev' }),
    );
    expect(found).toMatchObject([
      { place: { server: 'dev' }, change: { before: { roles: [{}] }, after: { roles: [] } } },
      { place: { server: 'prod' }, change: { before: { roles: [] }, after: { roles: [{}] } } },
    ]);
  });

  test('a provider that goes to another address: nobody can say what is there', () => {
    const readdressed = { ...service('x', { address: 'https://b' }, { address: 'https://a' }), op: 'update' };
    expect(readPlan(JSON.stringify({ steps: [readdressed, of('a', 'x')] })).incomplete).toEqual([
      expect.stringContaining('goes to another address'),
    ]);
  });
});

describe('the sides of a resource', () => {
  const read = (...steps: object[]) => readPlan(JSON.stringify({ steps }));
  /** The resources of a preview, with what is on their sides. */
  const sides = (...steps: object[]) =>
    read(...steps).resources.map(({ before, after, replaced, changes, isLeftover }) => ({
      before: before?.fields,
      after: after?.fields,
      isSame: before === after,
      replaced,
      changes,
      isLeftover,
    }));
  const method = { path: 'm', type: 'jwt' };
  const whole = {
    ...method,
    id: 'i',
    name: 'n',
    accessor: 'acc',
    role_type: 'jwt',
    bound_claims_type: 'glob',
    token_ttl: 5,
    description: '',
  };
  const kept = { ...method, name: 'n', role_type: 'jwt', bound_claims_type: 'glob' };
  const camel = { roleType: 'jwt', boundClaimsType: 'glob' };
  const outputs = { ...method, id: 'i', name: 'n', accessor: 'acc', ...camel };
  const of = (op: string, rest: Sides) =>
    step(op, types.method, 'm', {
      old: method,
      wanted: method,
      outputs: { ...outputs, tokenTtl: 5, description: '' },
      ...rest,
    });

  test.each<[string, object, object]>([
    ['an update: all that was never set', of('update', { diff: ['path'] }), whole],
    [
      'an update of what was set: what the service computes',
      of('update', { old: { ...outputs, tokenTtl: 5, description: 'd' }, diff: ['path'] }),
      { ...kept, id: 'i', accessor: 'acc' },
    ],
    ['a replacement: what the service computes, but for what it gives anew', of('replace', {}), kept],
  ])('keep what the program does not set, in %s', (_, given, after) => {
    expect(sides(given)).toMatchObject([{ before: whole, after }]);
    expect(Object.keys(sides(given)[0]?.after ?? {}).toSorted()).toEqual(Object.keys(after).toSorted());
  });

  test.each<[string, string[], string | undefined]>([
    ['is not replaced', ['update'], undefined],
    ['is replaced, and the order is not said', ['replace', 'create-replacement'], 'unordered'],
    ['is replaced by import', ['import-replacement', 'replace', 'delete-replaced'], 'create-first'],
    ['is deleted first', ['delete-replaced', 'replace', 'create-replacement'], 'delete-first'],
    ['is replaced, and only said to be', ['replace', 'delete-replaced'], 'unordered'],
  ])('of what %s', (_, ops, replaced) => {
    const steps = ops.map((op) => of(op, op === 'delete-replaced' ? { wanted: undefined as never } : {}));
    expect(sides(...steps)).toMatchObject([{ replaced, changes: true }]);
  });

  const [old, wanted] = [{ path: 'old' }, { path: 'new' }];
  const one = (op: string, rest: Sides) => step(op, types.method, 'm', rest);
  const cases: Record<string, [object[], ...object[]]> = {
    'deleted and made by two steps': [
      [one('delete', { old }), one('create', { wanted })],
      { before: old, after: wanted },
    ],
    'made and deleted by two steps': [
      [one('create', { wanted }), one('delete', { old })],
      { before: old, after: wanted },
    ],
    'deleted, whatever else the step shows': [
      [one('delete', { old, wanted })],
      { before: old, after: undefined },
    ],
    'left behind alone': [
      [one('delete-replaced', { old })],
      { before: old, after: undefined, isLeftover: undefined },
    ],
    'left behind by one that stays': [
      [one('same', { old: wanted, wanted }), one('delete-replaced', { old })],
      { after: wanted, isSame: true },
      { before: old, isLeftover: true },
    ],
    'left behind, and retained': [
      [
        one('same', { old: wanted, wanted }),
        one('delete-replaced', { old, fields: { retainOnDelete: true } }),
      ],
      { after: wanted },
    ],
    'read in place of another': [
      [one('read-replacement', { wanted }), one('discard-replaced', { old })],
      { before: old, isSame: true },
    ],
    imported: [[one('import', { wanted })], { before: wanted, isSame: true, changes: true }],
    'imported in place of another': [[one('import', { old, wanted })], { before: old, after: wanted }],
    'refreshed, and the same': [
      [one('refresh', { old, wanted: old, outputs: old })],
      { before: old, isSame: true, changes: false },
    ],
    'of a state without anything': [
      [{ op: 'same', urn: 'urn:pulumi:prod::p::vault:jwt/authBackend:AuthBackend::m' }],
    ],
  };
  test.each(Object.entries(cases))('of what is %s', (_, [steps, ...expected]) => {
    expect(sides(...steps)).toMatchObject(expected);
    expect(sides(...steps)).toHaveLength(expected.length);
  });

  test('have the id, where that is known', () => {
    const id = (given: string) =>
      sides(of('same', { fields: { id: given }, outputs: {} })).map(({ before }) => before?.['id']);
    expect([id('x'), id(''), id(unknown)]).toEqual([['x'], [undefined], [undefined]]);
  });

  test('an engine that moves is counted, one that is made anew elsewhere is deleted', () => {
    const mount = (op: string, old: object, wanted: object) =>
      step(op, 'vault:index/mount:Mount', 'm', { old, wanted });
    const passedOver = read(mount('update', { path: 'a' }, { path: 'b' })).passedOver;
    expect(passedOver).toMatchObject([{ type: 'vault:index/mount:Mount', changed: 1, relocated: 1 }]);
    const [created, gone] = [{ path: 'b' }, { path: 'a' }];
    const replaced = read(
      mount('create-replacement', gone, created),
      mount('delete-replaced', gone, created),
    );
    expect(replaced.passedOver).toMatchObject([{ changed: 1, count: 1 }]);
    expect(replaced.passedOver[0]).not.toHaveProperty('relocated');
  });

  test('of what is no resource of a service are none', () => {
    const component = { ...of('create', {}), urn: 'urn:pulumi:prod::p::a:b:C::x' };
    const { resources, passedOver } = read(
      { ...component, newState: { type: 'a:b:C', inputs: {} } },
      { ...component, urn: 'urn:pulumi:prod::p::a:b/c:D::x', newState: { type: 'x', custom: false } },
      { ...component, urn: 'urn:pulumi:prod::p::a:b/c:D::y', newState: { type: 'x' } },
      { ...component, urn: 'urn:pulumi:prod::p::pulumi:pulumi:Stack::y' },
    );
    expect([resources, passedOver]).toEqual([
      [],
      [{ type: 'a:b/c:D', count: 1, changed: 1, ofService: false }],
    ]);
  });
});

const noted: Record<string, [object, object[], ...string[]]> = {
  'all that is unchanged is there': [{ changeSummary: { same: 1 } }, []],
  'nothing is said of what is unchanged': [{}, []],
  'one that is unchanged is missing': [
    { changeSummary: { same: 2 } },
    [],
    'Unchanged resources that are not in this preview, and not looked at: 1.',
  ],
  'two were changed by hand': [
    {},
    ['a', 'b'].map((name) =>
      step('refresh', types.role, name, { old: role, wanted: { ...role, userClaim: 'x' } }),
    ),
    'Resources that were changed outside of Pulumi since it last looked: 2.',
  ],
  'one was deleted by hand': [
    {},
    [step('refresh', types.role, 'a', { old: role })],
    'Resources that were changed outside of Pulumi since it last looked: 1.',
  ],
  'what was refreshed is the same': [{}, [step('refresh', types.role, 'a', { old: {}, wanted: {} })]],
};
test.each(Object.entries(noted))('a preview notes where %s', (_, [fields, steps, ...notes]) => {
  const same = step('same', types.role, 'r', { old: role });
  const plan = readPlan(JSON.stringify({ steps: [same, ...steps], ...fields }));
  expect(plan.notes.map((note) => note.split(' pulumi ')[0]?.split(' The review')[0])).toEqual(notes);
  expect([plan.incomplete, plan.deletesLast]).toEqual([[], true]);
});

test('a preview that may be corrupt is incomplete', () => {
  const incomplete = (fields: object) => readPlan(JSON.stringify({ steps: [], ...fields })).incomplete.length;
  expect([{}, { maybeCorrupt: false }, { maybeCorrupt: true }].map(incomplete)).toEqual([0, 0, 1]);
  expect(incomplete({ diagnostics: [{ severity: 'warning' }] })).toBe(0);
});
