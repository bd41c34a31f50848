import { describe, expect, test } from '@jest/globals';
import { type Digest, digest } from '../../cli/src/deployment/digest.ts';
import {
  policyType,
  resource,
  result,
  roleType,
  stackNamed,
  step,
  update,
} from '../../cli/test/fake-engine.ts';
import { isSamePlan, plannedStep } from '../src/planned-steps.ts';
import { Secret, Unknown } from '../src/property-value.ts';

const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';
const create = (name: string, inputs: Record<string, string>) =>
  step('create', resource(policyType, name, { inputs }));
/** As a database has it. */
const plan = (...steps: Parameters<typeof result>[0]): Digest['steps'] =>
  JSON.parse(JSON.stringify(digest(stackNamed('dev'), result(steps), { unchanged: true }))).steps;
const fresh = { isResumed: false };
const resumed = { isResumed: true };
const ttl = (from: string, to: string) => update(roleType, 'reader', { ttl: from }, { ttl: to });

describe('the reviewed plan', () => {
  test('is the same with what stays the same left out', () => {
    const reviewed = plan(ttl('1', '2'), step('same', resource(policyType, 'other')));
    expect(isSamePlan(reviewed, plan(ttl('1', '2')), fresh)).toBe(true);
  });

  test('is the same as it comes from the engine', () => {
    const secret = { key: new Secret('hush'), accessor: Unknown.value, nothing: undefined as never };
    const steps = [ttl('1', '2'), step('create', resource(policyType, 'one', { inputs: secret }))];
    steps.push(step('delete', resource(policyType, 'two', { inputs: {} })));
    expect(isSamePlan(plan(...steps), steps.map(plannedStep), fresh)).toBe(true);
  });

  test.each([
    ['another value', plan(ttl('1', '3'))],
    ['another value before', plan(ttl('0', '2'))],
    ['a further step', plan(ttl('1', '2'), create('more', {}))],
    ['another operation', plan(step('delete', resource(roleType, 'reader', { inputs: { ttl: '1' } })))],
    ['nothing left', plan()],
  ])('is another one with %s', (_, now) => {
    expect(isSamePlan(plan(ttl('1', '2')), now, fresh)).toBe(false);
  });

  test('once begun may lack steps, and may not have others', () => {
    const reviewed = plan(ttl('1', '2'), create('one', { a: 'x' }));
    expect(isSamePlan(reviewed, plan(create('one', { a: 'x' })), resumed)).toBe(true);
    expect(isSamePlan(reviewed, plan(create('two', { a: 'x' })), resumed)).toBe(false);
    expect(isSamePlan(reviewed, plan(create('one', { a: 'y' })), resumed)).toBe(false);
  });

  test('may replace a resource, by the same steps', () => {
    const parts = (ttl: string) =>
      (['create-replacement', 'replace', 'delete-replaced'] as const).map((op) =>
        step(op, resource(roleType, 'reader', { inputs: { ttl } })),
      );
    expect(isSamePlan(plan(...parts('1')), plan(...parts('1')), fresh)).toBe(true);
    expect(isSamePlan(plan(...parts('1')), plan(...parts('2')), fresh)).toBe(false);
    expect(isSamePlan(plan(...parts('1')), plan(...parts('1').slice(2)), resumed)).toBe(true);
    const [create] = parts('1');
    expect(isSamePlan(plan(...parts('1')), plan(...(create ? [create, create] : [])), resumed)).toBe(false);
  });

  test('may have become known where it was not', () => {
    const reviewed = plan(create('alias', { accessor: unknown, name: 'staff' }));
    expect(
      isSamePlan(reviewed, plan(create('alias', { accessor: 'auth_oidc_1', name: 'staff' })), resumed),
    ).toBe(true);
    expect(
      isSamePlan(reviewed, plan(create('alias', { accessor: 'auth_oidc_1', name: 'all' })), resumed),
    ).toBe(false);
    expect(isSamePlan(reviewed, plan(create('alias', { name: 'staff' })), resumed)).toBe(true);
    expect(isSamePlan(reviewed, plan(create('alias', { name: 'staff', more: 'x' })), resumed)).toBe(false);
  });
});
