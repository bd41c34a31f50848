import { describe, expect, test } from '@jest/globals';
import { type AnalyzedResource, analyzedPlan } from '../../../src/review/plan/analyzed-stack.ts';
import { readStackExport } from '../../../src/review/plan/stack-export.ts';

type Fields = Record<string, unknown>;

const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';
const stack = 'urn:pulumi:dev::login::';
const policyType = 'vault:index/policy:Policy';
const methodType = 'vault:jwt/authBackend:AuthBackend';
const provider = `${stack}pulumi:providers:vault::main`;
const secret = (fields: Fields) => ({
  '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
  ...fields,
});

const urnOf = (type: string, name = 'a') => `${stack}${type}::${name}`;
const shown = (
  type: string,
  inputs: Fields | undefined,
  outputs: Fields = {},
  fields = {},
): AnalyzedResource => ({
  urn: urnOf(type),
  type,
  inputs,
  outputs,
  aliases: [],
  propertyDependencies: {},
  provider: { urn: provider, inputs: { address: 'https://a', namespace: 'team' } },
  ...fields,
});
const kept = (type: string, inputs: Fields, fields: Fields = {}) => ({
  urn: urnOf(type),
  type,
  custom: true,
  id: 'i',
  provider: `${provider}::1`,
  inputs,
  outputs: inputs,
  ...fields,
});
const exported = (resources: object[], fields = {}) =>
  readStackExport(JSON.stringify({ version: 3, deployment: { resources, ...fields } }));

function planned(now: AnalyzedResource[], before: object[], fields = {}) {
  const { plan, uncompared } = analyzedPlan(now, exported(before, fields));
  const resources = plan.resources.map(({ address, before, after, changes, replaced, isLeftover }) => ({
    does:
      before === after ? 'keep' : before === undefined ? 'create' : after === undefined ? 'delete' : 'update',
    address: address.replace(stack, ''),
    before: before?.fields,
    after: after?.fields,
    unknown: after?.unknown,
    changes,
    replaced,
    isLeftover,
  }));
  return {
    resources,
    incomplete: plan.incomplete,
    uncompared,
    sides: plan.resources.map((one) => one.after),
  };
}
const first = (now: AnalyzedResource[], before: object[]) => planned(now, before).resources[0];

const policy = { name: 'p', policy: 'x' };
const other = { name: 'p', policy: 'y' };
const method = { path: 'm', type: 'jwt' };
const mount = (outputs: Fields) => shown(methodType, method, outputs);
const keptMount = kept(methodType, method, { outputs: { ...method, accessor: 'acc' } });

const was = (inputs: Fields, fields = {}) => kept(policyType, inputs, fields);
const now = (inputs: Fields | undefined, outputs = {}, fields = {}) =>
  shown(policyType, inputs, outputs, fields);

describe('what an engine shows of a resource, and the state before', () => {
  test.each<[string, string, AnalyzedResource[], object[]]>([
    ['is not in the state', 'create', [now(policy)], []],
    ['has the same inputs', 'keep', [now(policy)], [was(policy)]],
    ['has another input', 'update', [now(other)], [was(policy)]],
    ['has one input more', 'update', [now({ ...policy, a: 1 })], [was(policy)]],
    ['has one input less', 'update', [now({ name: 'p' })], [was(policy)]],
    ['has an input that is not set', 'keep', [now({ ...policy, a: null })], [was(policy)]],
    ['differs in what Pulumi notes', 'keep', [now({ ...policy, __defaults: ['a'] })], [was(policy)]],
    [
      'differs in a note within',
      'keep',
      [now({ ...policy, a: [{ __defaults: [], b: 1, c: null }] })],
      [was({ ...policy, a: [{ b: 1 }] })],
    ],
    ['differs within', 'update', [now({ ...policy, a: [{ b: 2 }] })], [was({ ...policy, a: [{ b: 1 }] })]],
    [
      'was under an alias',
      'keep',
      [now(policy, {}, { aliases: [urnOf(policyType, 'old')] })],
      [was(policy, { urn: urnOf(policyType, 'old') })],
    ],
    [
      'is a secret that is shown',
      'keep',
      [now(policy)],
      [was({ ...policy, policy: secret({ plaintext: '"x"' }) })],
    ],
    [
      'is another secret that is shown',
      'update',
      [now(policy)],
      [was({ ...policy, policy: secret({ plaintext: '"y"' }) })],
    ],
    ['is read, and new', 'keep', [now(undefined, policy)], []],
    ['is read, as before', 'keep', [now(undefined, policy)], [was(policy, { external: true })]],
    ['is read, and was managed', 'update', [now(undefined, policy)], [was(policy)]],
    ['is managed, and was read', 'update', [now(policy)], [was(policy, { external: true })]],
    ['is gone', 'delete', [shown(methodType, method)], [kept(methodType, method), was(policy)]],
    [
      'is gone, and was only read',
      'keep',
      [shown(methodType, method)],
      [kept(methodType, method), was(policy, { external: true })],
    ],
  ])('that %s: %s', (_, does, shown, before) => {
    expect(planned(shown, before).resources.at(-1)).toMatchObject({ does, changes: does !== 'keep' });
  });

  test('a copy that is still to be deleted is left over', () => {
    const { resources } = planned([shown(policyType, policy)], [kept(policyType, policy, { delete: true })]);
    expect(resources).toMatchObject([
      { does: 'create', address: urnOf(policyType).replace(stack, '') },
      { does: 'delete', isLeftover: true, before: policy },
    ]);
  });

  test.each<[string, AnalyzedResource, string | undefined]>([
    ['it keeps its id and accessor', mount({ id: 'i', accessor: 'acc' }), undefined],
    ['it shows neither', mount({}), undefined],
    ['it loses its id', mount({ id: unknown }), 'unordered'],
    ['it loses its accessor', mount({ id: 'i', accessor: unknown }), 'unordered'],
    ['it has another accessor', mount({ id: 'i', accessor: 'new' }), 'unordered'],
    ['it has another id, and its accessor', mount({ id: 'j', accessor: 'acc' }), undefined],
    ['it has another id', mount({ id: 'j' }), 'unordered'],
    ['it is deleted first', { ...mount({ id: unknown }), deleteBeforeReplace: true }, 'delete-first'],
    ['it is not deleted first', { ...mount({ id: unknown }), deleteBeforeReplace: false }, 'unordered'],
  ])('a mount is replaced where it is not the same: %s', (_, now, replaced) => {
    expect(first([now], [keptMount])?.replaced).toBe(replaced);
  });

  test('what is there after the change has the accessor and the id that it was given', () => {
    const { after } = first([mount({ id: 'i', accessor: 'acc' })], [{ ...keptMount, inputs: {} }]) ?? {};
    expect(after).toEqual({ ...method, id: 'i', accessor: 'acc' });
    expect(first([mount({ id: '', accessor: unknown })], [])?.after).toEqual(method);
  });

  test('it is on the server of its provider; a component is on none', () => {
    const [only] = planned([shown(policyType, policy)], []).sides;
    expect(only).toMatchObject({ server: 'main', namespace: 'team' });
    expect(planned([shown('a:b:C', {}, {}, { provider: undefined })], []).resources).toEqual([]);
  });

  test('a provider that is among the resources is read once', () => {
    const own = {
      ...shown('pulumi:providers:vault', { address: 'https://b' }),
      urn: provider,
      provider: undefined,
    };
    const [only] = planned([own, shown(policyType, policy)], []).sides;
    expect(only).toMatchObject({ server: 'main', namespace: '' });
  });
});

describe('a secret that is encrypted in the state', () => {
  const encrypted = secret({ ciphertext: 'v1:x' });

  test('of a client is not compared, and counted', () => {
    const before = kept(methodType, { ...method, oidcClientSecret: encrypted });
    const { resources, uncompared } = planned(
      [shown(methodType, { ...method, oidcClientSecret: 'x' })],
      [before],
    );
    expect([resources[0]?.does, uncompared]).toEqual(['keep', 1]);
  });

  test('of a client that is no longer given, or of anything else, differs', () => {
    const before = kept(methodType, { ...method, oidcClientSecret: encrypted });
    expect(
      [planned([shown(methodType, method)], [before])].map(({ resources, uncompared }) => [
        resources[0]?.does,
        uncompared,
      ]),
    ).toEqual([['update', 0]]);
    const bound = kept(policyType, { ...policy, policy: encrypted });
    expect(first([shown(policyType, policy)], [bound])?.does).toBe('update');
  });
});

describe('a state that the run did not start from', () => {
  const differing =
    /^This run did not start from the given state, where urn:pulumi:dev::login::vault:index\/policy:Policy::a has other values\.$/;
  const state = (outputs: Fields, type = policyType) => kept(type, policy, { outputs });

  test.each<[string, AnalyzedResource, object, boolean]>([
    [
      'the same outputs',
      shown(policyType, policy, { ...policy, id: 'x' }),
      state({ ...policy, id: 'x' }),
      true,
    ],
    ['none that are shown', shown(policyType, policy, {}), state({ a: 1 }), true],
    ['other outputs', shown(policyType, policy, { a: 2 }), state({ a: 1 }), false],
    ['one that is missing', shown(policyType, policy, { b: 1 }), state({ a: 1, b: 1 }), false],
    ['other notes', shown(policyType, policy, { __a: 2, b: 1 }), state({ __a: 1, b: 1 }), true],
    ['a secret', shown(policyType, policy, { a: 2 }), state({ a: secret({ ciphertext: 'x' }) }), true],
    ['other outputs, and changes', shown(policyType, other, { a: 2 }), state({ a: 1 }), true],
    [
      'other outputs of another package',
      shown('a:b/c:D', policy, { a: 2 }),
      state({ a: 1 }, 'a:b/c:D'),
      true,
    ],
  ])('is noticed by what stays: %s', (_, now, before, isSame) => {
    expect(planned([now], [before]).incomplete).toEqual(isSame ? [] : [expect.stringMatching(differing)]);
  });

  test('was interrupted', () => {
    const incomplete = (pending: object[]) => planned([], [], { pending_operations: pending }).incomplete;
    expect([incomplete([]), incomplete([{}]).length]).toEqual([[], 1]);
  });

  test.each<[string, AnalyzedResource[], string, boolean]>([
    ['it is of another stack', [shown(policyType, policy)], 'urn:pulumi:prod::login::a:b/c:D::x', false],
    ['it is of the same', [shown(policyType, policy)], `${stack}a:b/c:D::x`, true],
    [
      'the stack was called so',
      [shown(policyType, policy, {}, { aliases: ['urn:pulumi:prod::login::x::y'] })],
      'urn:pulumi:prod::login::a:b/c:D::x',
      true,
    ],
    ['the program has nothing', [], 'urn:pulumi:prod::login::a:b/c:D::x', true],
  ])('%s', (_, now, urn, isFine) => {
    const planning = () => planned(now, [{ urn, type: 'a:b/c:D' }]);
    if (isFine) expect(planning).not.toThrow();
    else expect(planning).toThrow(/another stack\n\s+given: prod::login\n\s+allowed: dev::login\n/);
  });
});
