import { describe, expect, test } from '@jest/globals';
import { PluginError } from '../../src/plugins/plugin.ts';
import { Secret, Unknown } from '../../src/property-value.ts';
import { Bed, bedWith, codes, component, goal, urn, using } from './registrations.ts';

describe('what a registration becomes (pkg/resource/deploy/step_generator.go, generateSteps)', () => {
  test('a resource that is not in state is created and recorded with its outputs', async () => {
    const bed = new Bed();
    const result = await bed.up([goal('a', { text: 'hi' })]);
    expect(result.taken).toEqual(['create a']);
    expect(result.registered[0]).toMatchObject({ urn: urn('a'), id: 'id-1', result: 'done' });
    expect(bed.store.row('a')).toMatchObject({ id: 'id-1', outputs: { text: 'hi', computed: 'made id-1' } });
  });

  test('an unchanged resource is the same, and nothing is written', async () => {
    const bed = await bedWith([goal('a', { text: 'hi' })]);
    const result = await bed.up([goal('a', { text: 'hi' })]);
    expect(result.changes).toEqual({ same: 1 });
    expect(bed.store.changes).toEqual([]);
  });

  test('changed inputs update the resource in place, with the properties that differ', async () => {
    const bed = await bedWith([goal('a', { text: 'hi' })]);
    const result = await bed.up([goal('a', { text: 'ho' })]);
    expect(result.taken).toEqual(['update a']);
    expect(result.steps[0]).toMatchObject({
      diffs: ['text'],
      detailedDiff: { text: { kind: 'update', inputDiff: false } },
      oldState: { inputs: { text: 'hi' } },
      newState: { inputs: { text: 'ho' } },
    });
    expect(bed.service.objects.get('id-1')).toMatchObject({ text: 'ho' });
  });

  test('a resource that the program no longer has is deleted', async () => {
    const bed = await bedWith([goal('a'), goal('b')]);
    const result = await bed.up([goal('b')]);
    expect(result.taken).toEqual(['same b', 'delete a']);
    expect(bed.store.names()).toEqual(['b']);
  });

  test('a change of dependencies alone is the same, but is recorded', async () => {
    const bed = await bedWith([goal('a'), goal('b')]);
    const result = await bed.up([goal('a'), goal('b', {}, { dependencies: [urn('a')] })]);
    expect(result.changes).toEqual({ same: 2 });
    expect(bed.store.changes).toHaveLength(1);
    expect(bed.store.row('b').dependencies).toEqual([urn('a')]);
  });

  test('inputs that the plugin refuses fail the resource and name the property', async () => {
    const bed = new Bed();
    const result = await bed.up([goal('a', { invalid: 1 })]);
    expect(result.succeeded).toBe(false);
    expect(result.diagnostics[0]).toMatchObject({ code: 'resource_invalid', urn: urn('a') });
    expect(result.diagnostics[0]?.message).toContain('invalid: not allowed');
  });

  test('an update that fails shows what was asked for, and the state keeps what is there', async () => {
    const bed = await bedWith([goal('a', { text: 'hi' })]);
    bed.service.intercept = () => {
      throw new PluginError('no');
    };
    const [step] = (await bed.up([goal('a', { text: 'ho' })])).steps;
    expect(step).toMatchObject({ failed: true, newState: { inputs: { text: 'ho' } } });
    expect(bed.store.row('a').inputs).toEqual({ text: 'hi' });
  });

  test('two resources of one name are refused', async () => {
    expect(codes(await new Bed().up([goal('a'), goal('a')]))).toEqual(['urn_duplicate']);
  });

  test('a parent that is not registered is refused (checkParent)', async () => {
    const orphan = goal('a', {}, { parent: urn('nobody') });
    expect(codes(await new Bed().up([orphan]))).toEqual(['parent_unknown']);
  });

  test('a resource that is not right yet is updated whatever its inputs say', async () => {
    const bed = new Bed();
    bed.service.intercept = (operation, _, properties) => {
      if (operation !== 'create') return;
      throw new PluginError('half done', {
        id: 'id-1',
        properties,
        inputs: {},
        reasons: ['config is missing'],
      });
    };
    const first = await bed.up([goal('a', { text: 'hi' })]);
    expect(codes(first)).toEqual(['resource_incomplete']);
    expect(bed.store.row('a').initErrors).toEqual(['config is missing']);
    const second = await bed.up([goal('a', { text: 'hi' })]);
    expect(second.taken).toEqual(['update a']);
    expect(bed.store.row('a').initErrors).toEqual([]);
  });
});

describe('protect (step_generator.go and step.go, DeleteStep)', () => {
  test('a protected resource is not deleted, and with continueOnError the others are', async () => {
    const bed = await bedWith([
      goal('a', {}, { protect: true }),
      goal('b'),
      goal('c', {}, { dependencies: [urn('b')] }),
    ]);
    const result = await bed.up([], { continueOnError: true });
    expect(codes(result)).toEqual(['resource_protected']);
    expect(bed.store.names()).toEqual(['a']);
  });

  test('a protected resource is not replaced', async () => {
    const bed = await bedWith([goal('a', { kind: 'x' }, { protect: true })]);
    const result = await bed.up([goal('a', { kind: 'y' }, { protect: true })]);
    expect(codes(result)).toEqual(['resource_protected']);
    expect(bed.service.changes('create', 'delete')).toEqual([]);
  });

  test('protection removed and replacement may come in one go', async () => {
    const bed = await bedWith([goal('a', { kind: 'x' }, { protect: true })]);
    expect((await bed.up([goal('a', { kind: 'y' })])).succeeded).toBe(true);
  });

  test('a protected dependent stops the deletion of what it needs', async () => {
    const bed = await bedWith([
      goal('a', { place: 'x' }),
      using('b', 'a', { kind: 'id-1' }, { protect: true }),
    ]);
    const result = await bed.up([
      goal('a', { place: 'y' }),
      using('b', 'a', { kind: 'id-2' }, { protect: true }),
    ]);
    expect(codes(result)).toEqual(['resource_protected']);
    expect(bed.service.changes('delete')).toEqual([]);
  });

  test('children inherit it (source_eval.go, inheritFromParent)', async () => {
    const bed = new Bed();
    const parent = urn('box', 'test:index:Component');
    await bed.up([component('box', { protect: true }), goal('a', {}, { parent })]);
    expect(bed.store.row('a').protect).toBe(true);
  });
});

describe('secrets and unknown values (provider_plugin.go, step_executor.go)', () => {
  test('a plugin that does not accept secrets gets the plain value, and the output is secret again', async () => {
    const bed = await bedWith([goal('a', { secret: new Secret('hush') })]);
    expect(bed.service.objects.get('id-1')).toMatchObject({ secret: 'hush' });
    const row = bed.store.row('a');
    expect(row.inputs['secret']).toEqual(new Secret('hush'));
    expect(row.outputs['secret']).toEqual(new Secret('hush'));
  });

  test('a list with a secret in it becomes secret as a whole, an object only where it is', async () => {
    const bed = await bedWith([
      goal('a', { list: ['x', new Secret('hush')], map: { a: new Secret('hush'), b: 'clear' } }),
    ]);
    expect(bed.store.row('a').outputs).toMatchObject({
      list: new Secret(['x', 'hush']),
      map: { a: new Secret('hush'), b: 'clear' },
    });
  });

  test('what an import finds in the place of a secret is secret, in the plan and in the state', async () => {
    const bed = new Bed();
    const imported = [
      goal('a', { secret: new Secret('s'), map: { a: new Secret('m') } }, { importId: 'it' }),
    ];
    bed.service.objects.set('it', { secret: 's', map: { a: 'other' } });
    const { steps } = await bed.preview(imported);
    expect(steps[0]?.oldState).toMatchObject({
      inputs: { secret: new Secret('s'), map: { a: new Secret('other') } },
      outputs: { secret: new Secret('s'), map: { a: new Secret('other') } },
    });
    bed.service.objects.set('it', { secret: 's', map: { a: 'm' } });
    await bed.up(imported);
    expect(bed.store.row('a').outputs).toEqual({ secret: new Secret('s'), map: { a: new Secret('m') } });
  });

  test('additionalSecretOutputs are marked, but never the id', async () => {
    const bed = await bedWith([goal('a', {}, { additionalSecretOutputs: ['computed', 'id'] })]);
    expect(bed.store.row('a')).toMatchObject({ id: 'id-1', outputs: { computed: new Secret('made id-1') } });
  });

  test('a preview of a creation gives the outputs that the plugin can foresee and writes nothing', async () => {
    const bed = new Bed();
    const result = await bed.preview([goal('a', { text: 'hi' })]);
    expect(result.registered[0]).toEqual({
      urn: urn('a'),
      outputs: { text: 'hi', computed: Unknown.value },
      result: 'done',
    });
    expect(bed.store.changes).toEqual([]);
    expect(bed.service.calls).toEqual([]);
  });

  test('a plugin whose settings are not known yet is not asked at all', async () => {
    const bed = new Bed();
    const plugin = goal('mine', { address: Unknown.value }, { type: 'pulumi:providers:test' });
    const reference = `${urn('mine', 'pulumi:providers:test')}::04da6b54-80e4-46f7-96ec-b56ff0331ba9`;
    const result = await bed.preview([plugin, goal('a', { text: 'hi' }, { provider: reference })]);
    expect(result.registered[1]).toMatchObject({ outputs: {}, result: 'done' });
    expect(bed.service.configured).toEqual([]);
  });
});
