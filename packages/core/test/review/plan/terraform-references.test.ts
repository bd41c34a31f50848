import { describe, expect, test } from '@jest/globals';
import { TerraformReferences } from '../../../src/review/plan/terraform-references.ts';

/** A module whose only resource, `x_y.from`, refers to these. */
const module = (references: string[], fields: object = {}) => ({
  resources: [{ address: 'x_y.from', provider_config_key: 'vault', expressions: { to: { references } } }],
  ...fields,
});
const g = ['vault_g.g.id', 'vault_g.g'];
const output = (...references: string[]) => ({ outputs: { id: { expression: { references } } } });
/** Modules within each other; each gives the value of the one within. */
const nested = (depth: number): object =>
  depth === 0
    ? output(...g)
    : { ...output('module.m.id', 'module.m'), module_calls: { m: { module: nested(depth - 1) } } };
const under = (depth: number) => 'module.m.'.repeat(depth);

const calls = (name: string, called: object) => ({ module_calls: { [name]: { module: called } } });
/** A module that is given the value of these, and whose resource refers to it. */
const given = (...references: string[]) => ({
  module_calls: { m: { expressions: { id: { references } }, module: module(['var.id']) } },
});
const keyed = 'vault_g.g["a"] vault_g.g["b"]';
const inInstances = 'module.m["a"].vault_g.g module.m["b"].vault_g.g';

const inM = calls('m', output(...g));
const ofM = calls('m', module(g));

describe('what a value comes from', () => {
  const cases: Record<string, [root: object | null, instances: string, expected: string, from?: string]> = {
    'the only instance': [module(g), 'vault_g.g', 'vault_g.g'],
    'no resource that the plan has': [module(g), '', ''],
    'a data source, a local value': [module(['data.vault_g.g', 'local.x', 'each.key']), 'vault_g.g', ''],
    'two resources': [module([...g, 'vault_g.h']), 'vault_g.g vault_g.h', 'vault_g.g vault_g.h'],
    'the instance with its own key': [module(g), keyed, 'vault_g.g["b"]', 'x_y.from["b"]'],
    'none of two without its key': [module(g), keyed, '', 'x_y.from["c"]'],
    'a key that is written': [
      module(['vault_g.g["a"].id', 'vault_g.g["a"]', 'vault_g.g']),
      keyed,
      'vault_g.g["a"]',
      'x_y.from["b"]',
    ],
    'a key that is written, from within a module': [
      given('vault_g.g["a"]'),
      keyed,
      'vault_g.g["a"]',
      'module.m.x_y.from',
    ],
    'a number that is written': [
      module(['vault_g.g[1].id', 'vault_g.g[1]', 'vault_g.g']),
      'vault_g.g[0] vault_g.g[1] vault_g.g[10]',
      'vault_g.g[1]',
    ],
    'a key with a bracket and a quote': [
      module(['vault_g.g["a\\"].b"].id', 'vault_g.g["a\\"].b"]', 'vault_g.g']),
      'vault_g.g["a\\"].b"] vault_g.g["a"]',
      'vault_g.g["a\\"].b"]',
    ],
    'an output of a module': [
      module(['module.m.id', 'module.m'], inM),
      'module.m.vault_g.g vault_g.g',
      'module.m.vault_g.g',
    ],
    'an output of an instance of a module': [
      module(['module.m["a"].id', 'module.m["a"]', 'module.m'], inM),
      inInstances,
      'module.m["a"].vault_g.g',
    ],
    'an output of the module with its own key': [
      module(['module.m.id'], inM),
      inInstances,
      'module.m["b"].vault_g.g',
      'x_y.from["b"]',
    ],
    'an output of a module of a module': [
      module(['module.o.id'], calls('o', { ...output('module.i.id'), ...calls('i', output(...g)) })),
      'module.o.module.i.vault_g.g module.i.vault_g.g',
      'module.o.module.i.vault_g.g',
    ],
    'an output that is not there': [module(['module.m.other'], inM), 'module.m.vault_g.g', ''],
    'an output by a name that JavaScript has': [
      module(['module.m.constructor'], inM),
      'module.m.vault_g.g',
      '',
    ],
    'a variable of the module that it is in': [
      given(...g),
      'vault_g.g module.m.vault_g.g',
      'vault_g.g',
      'module.m.x_y.from',
    ],
    'a variable of a module in a module': [
      calls('o', given(...g)),
      'vault_g.g module.o.vault_g.g module.o.module.m.vault_g.g',
      'module.o.vault_g.g',
      'module.o.module.m.x_y.from',
    ],
    'a variable of the root': [module(['var.id']), 'vault_g.g', ''],
    'the resource in its own module': [
      ofM,
      'vault_g.g module.m.vault_g.g',
      'module.m.vault_g.g',
      'module.m.x_y.from',
    ],
    'the resource in its own instance of a module': [
      ofM,
      inInstances,
      'module.m["b"].vault_g.g',
      'module.m["b"].x_y.from[0]',
    ],
    'the key that is written, in its own instance of a module': [
      calls('m', module(['vault_g.g["x"]'])),
      'module.m["a"].vault_g.g["x"] module.m["b"].vault_g.g["x"] module.m["b"].vault_g.g["y"]',
      'module.m["b"].vault_g.g["x"]',
      'module.m["b"].x_y.from',
    ],
    'modules 16 deep': [
      module(['module.m.id'], calls('m', nested(15))),
      `${under(16)}vault_g.g`,
      `${under(16)}vault_g.g`,
    ],
    'no modules deeper': [module(['module.m.id'], calls('m', nested(16))), `${under(17)}vault_g.g`, ''],
    'a module that refers to itself': [module(['module.m.id'], calls('m', output('module.m.id'))), '', ''],
    'an expression that is a list': [
      { resources: [{ address: 'x_y.from', expressions: { to: [{}] } }] },
      'vault_g.g',
      '',
    ],
    'no expression': [{ resources: [{ address: 'x_y.from' }] }, 'vault_g.g', ''],
    'no configuration': [[], 'vault_g.g', ''],
    'nothing as the configuration': [null, 'vault_g.g', ''],
  };
  test.each(Object.entries(cases))('%s', (_, [root, instances, expected, from = 'x_y.from']) => {
    const references = new TerraformReferences(root, [...instances.split(' '), from]);
    // What was worked out once is the same at the next time.
    for (const _ of [1, 2]) expect(references.of(from, 'to').join(' ')).toBe(expected);
  });
});

test('what the configuration gives to a resource', () => {
  const references = new TerraformReferences(module(g), ['x_y.from']);
  const given = (address: string, field: string) => references.isGiven(address, field);
  expect([given('x_y.from[0]', 'to'), given('x_y.from', 'toString'), given('x_y.other', 'to')]).toEqual([
    true,
    false,
    undefined,
  ]);
  expect([references.providerKey('x_y.from["a"]'), references.providerKey('x_y.other')]).toEqual([
    'vault',
    undefined,
  ]);
  expect(['module.a["x.y"].module.b[0].x_y.z', 'x_y.z'].map((one) => references.moduleOf(one))).toEqual([
    'a.b',
    '',
  ]);
});

test('the keys of all resources, down to 16 modules', () => {
  const tree = (depth: number): object => (depth === 0 ? module([]) : calls('m', tree(depth - 1)));
  const keys = (root: object) => new TerraformReferences(root, []).providerKeys();
  const named = { ...module([]), module_calls: { a: { module: calls('b', module([])) }, none: {} } };
  expect(keys(named)).toEqual([
    { module: '', key: 'vault' },
    { module: 'a.b', key: 'vault' },
  ]);
  expect([keys(tree(16)).length, keys(tree(17)).length]).toEqual([1, 0]);
});
