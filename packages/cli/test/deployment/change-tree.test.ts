import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Step } from '../../../engine/src/engine.ts';
import { Secret } from '../../../engine/src/property-value.ts';
import { type ChangeNode, changeTree, countChanges, hasChanges } from '../../src/deployment/change-tree.ts';
import { policyType, resource, roleType, rootUrn, step, update } from '../fake-engine.ts';

const methodType = 'gatehouse:index:AuthMethod';
const method = resource(methodType, 'staff', { custom: false });
const stack = resource('pulumi:pulumi:Stack', 'gatehouse-dev', {
  urn: rootUrn,
  custom: false,
  parent: undefined,
});
const under = (name: string) => resource(roleType, name, { parent: method.urn });

/** Each node as `kind name`, with what is below it. */
const outline = (nodes: ChangeNode[]): unknown[] =>
  nodes.map(({ kind, name, children }) =>
    children.length === 0 ? `${kind} ${name}` : [`${kind} ${name}`, outline(children)],
  );

const replaced = (name: string) => [
  step('create-replacement', resource(roleType, name)),
  step('replace', resource(roleType, name)),
  step('delete-replaced', resource(roleType, name)),
];

describe('changeTree', () => {
  test('puts resources under their parents, and shows a parent that stays for its children', () => {
    const steps = [
      step('same', stack),
      step('same', method),
      step('create', under('reader')),
      step('delete', under('writer')),
    ];
    expect(outline(changeTree(steps))).toEqual([['same staff', ['create reader', 'delete writer']]]);
  });

  test('marks what was tried and failed', () => {
    const steps = [step('create', under('a'), { failed: true }), step('create', under('b'))];
    const [parent] = changeTree(steps);
    expect(parent?.children.map(({ name, failed }) => [name, failed])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });

  test('shows a parent of which no step tells', () => {
    expect(outline(changeTree([step('create', under('reader'))]))).toEqual([
      ['same staff', ['create reader']],
    ]);
  });

  test('leaves out what stays the same', () => {
    expect(changeTree([step('same', stack), step('same', method), step('same', under('reader'))])).toEqual(
      [],
    );
  });

  test('is the same whatever the order of the steps', () => {
    const steps = [
      step('same', method),
      step('create', under('b')),
      step('create', under('a')),
      update(policyType, 'p', { a: 1 }, { a: 2 }),
      step('delete', resource(roleType, 'z')),
      ...replaced('r'),
    ];
    const expected = JSON.stringify(changeTree(steps));
    fc.assert(
      fc.property(fc.shuffledSubarray(steps, { minLength: steps.length }), (shuffled) => {
        expect(JSON.stringify(changeTree(shuffled))).toBe(expected);
      }),
      { numRuns: 50 },
    );
  });

  // pulumi/pulumi pkg/resource/deploy/step_generator.go: a replacement is up to three steps.
  test.each<[string, Step[]]>([
    ['three steps', replaced('r')],
    ['a creation and a deletion', replaced('r').filter(({ op }) => op !== 'replace')],
  ])('shows a replacement of %s once', (_, steps) => {
    expect(outline(changeTree(steps))).toEqual(['replace r']);
  });

  test('shows the deletion of what an earlier deployment replaced', () => {
    const steps = [step('delete-replaced', resource(roleType, 'r', { delete: true }))];
    expect(outline(changeTree(steps))).toEqual(['delete r']);
  });

  test('shows the inputs of a creation, without secrets and without what plugins keep for themselves', () => {
    const inputs = { name: 'p', key: new Secret('hush'), __defaults: [] };
    const [node] = changeTree([step('create', resource(policyType, 'p', { inputs }))]);
    expect(JSON.parse(JSON.stringify(node?.inputs))).toEqual({ name: 'p', key: '[secret]' });
  });

  test('says why a resource is updated whose last deployment did not end well', () => {
    const failed = resource(methodType, 'staff', { initErrors: ['issuer not reachable'] });
    expect(changeTree([step('update', failed)])[0]?.initErrors).toEqual(['issuer not reachable']);
  });

  const policy = (a: number) => resource(policyType, 'p', { outputs: { a } });
  test.each<[string, Partial<Step>, unknown[]]>([
    ['found nothing new', {}, []],
    ['found a difference', { newState: policy(2) }, ['update p']],
    ['found it gone', { newState: undefined }, ['delete p']],
  ])('of a refresh that %s', (_, found, expected) => {
    expect(outline(changeTree([step('refresh', policy(1), found)]))).toEqual(expected);
  });

  test('shows the step that follows a refresh rather than the refresh', () => {
    const refreshed = step('refresh', resource(policyType, 'p'));
    expect(outline(changeTree([refreshed, update(policyType, 'p', { a: 1 }, { a: 2 })]))).toEqual([
      'update p',
    ]);
  });
});

describe('countChanges', () => {
  test('counts resources, a replacement once, and not the stack itself', () => {
    const steps = [step('same', stack), step('same', method), step('create', under('a')), ...replaced('r')];
    expect(countChanges(steps)).toEqual({ same: 1, create: 1, replace: 1 });
  });

  test('counts what was tried and failed as that, whatever was tried', () => {
    const [created, announced, gone] = replaced('r');
    const steps = [
      step('create', under('a'), { failed: true }),
      step('create', under('b')),
      { ...created!, failed: true },
      announced!,
      gone!,
    ];
    expect(countChanges(steps)).toEqual({ failed: 2, create: 1 });
  });
});

describe('hasChanges', () => {
  const withOutputs = (a: number) => ({ ...stack, outputs: { a } });
  const stackWith = (a: number) => step('same', withOutputs(1), { newState: withOutputs(a) });
  test.each<[string, Step, boolean]>([
    ['all the same', step('same', method), false],
    ['something read only', step('read', resource(policyType, 'p')), false],
    ['something created', step('create', under('a')), true],
    ['only the outputs of the stack', stackWith(2), true],
    ['the outputs of the stack as they were', stackWith(1), false],
  ])('%s', (_, one, expected) => {
    expect(hasChanges([step('same', stack), one])).toBe(expected);
  });
});
