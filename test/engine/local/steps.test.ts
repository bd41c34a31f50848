import { describe, expect, test } from '@jest/globals';
import { withReplaceOnChanges } from '../../../engine/local/property-path.ts';
import { PluginError } from '../../../engine/plugins/plugin.ts';
import { Secret, Unknown } from '../../../engine/property-value.ts';
import { Bed, codes, component, goal, urn, using } from './registrations.ts';

describe('what a registration becomes (pkg/resource/deploy/step_generator.go, generateSteps)', () => {
  test('a resource that is not in state is created and recorded with its outputs', async () => {
    const bed = new Bed();
    const result = await bed.up([goal('a', { text: 'hi' })]);
    expect(result.taken).toEqual(['create a']);
    expect(result.registered[0]).toMatchObject({ urn: urn('a'), id: 'id-1', result: 'done' });
    expect(bed.store.row('a')).toMatchObject({ id: 'id-1', outputs: { text: 'hi', computed: 'made id-1' } });
  });

  test('an unchanged resource is the same, and nothing is written', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { text: 'hi' })]);
    const result = await bed.up([goal('a', { text: 'hi' })]);
    expect(result.changes).toEqual({ same: 1 });
    expect(bed.store.changes).toEqual([]);
  });

  test('changed inputs update the resource in place, with the properties that differ', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { text: 'hi' })]);
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
    const bed = new Bed();
    await bed.up([goal('a'), goal('b')]);
    const result = await bed.up([goal('b')]);
    expect(result.taken).toEqual(['same b', 'delete a']);
    expect(bed.store.names()).toEqual(['b']);
  });

  test('a change of dependencies alone is the same, but is recorded', async () => {
    const bed = new Bed();
    await bed.up([goal('a'), goal('b')]);
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
    const bed = new Bed();
    await bed.up([goal('a', { text: 'hi' })]);
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

describe('replacements (pkg/resource/deploy/step_generator.go, continueStepsFromDiff)', () => {
  test('by default the new one is created first and the old one deleted at the end', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { kind: 'x' }), using('b', 'a', { text: 'id-1' })]);
    const result = await bed.up([goal('a', { kind: 'y' }), using('b', 'a', { text: 'id-3' })]);
    expect(result.taken).toEqual(['create-replacement a', 'replace a', 'update b', 'delete-replaced a']);
    expect(result.changes).toEqual({ replace: 1, update: 1 });
    expect(bed.store.names().sort()).toEqual(['a', 'b']);
    expect(bed.store.row('a').id).toBe('id-3');
  });

  test('with deleteBeforeReplace the old one is deleted first', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { kind: 'x' })]);
    const result = await bed.up([goal('a', { kind: 'y' }, { deleteBeforeReplace: true })]);
    expect(result.taken).toEqual(['delete-replaced a', 'replace a', 'create-replacement a']);
    expect(bed.service.made('create', 'delete')).toEqual(['delete a', 'create a']);
  });

  test('the plugin may ask for deletion first, and the program may say no', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { place: 'x' })]);
    const asked = await bed.up([goal('a', { place: 'y' })]);
    expect(asked.taken).toEqual(['delete-replaced a', 'replace a', 'create-replacement a']);
    const refused = await bed.up([goal('a', { place: 'z' }, { deleteBeforeReplace: false })]);
    expect(refused.taken).toEqual(['create-replacement a', 'replace a', 'delete-replaced a']);
  });

  test('dependents that cannot outlive it are deleted before it and come back (calculateDependentReplacements)', async () => {
    const bed = new Bed();
    const program = (place: string, id: string) => [
      goal('mount', { place }),
      using('role', 'mount', { kind: id }),
      using('alias', 'mount', { text: id }),
      using('far', 'role', { kind: 'role' }),
    ];
    await bed.up(program('x', 'id-1'));
    const result = await bed.up(program('y', 'id-5'));
    expect(bed.service.made('delete')).toEqual(['delete far', 'delete role', 'delete mount']);
    expect(result.changes).toEqual({ replace: 3, update: 1 });
    expect(bed.store.names().sort()).toEqual(['alias', 'far', 'mount', 'role']);
    expect(bed.store.rows.some((row) => row.pendingReplacement || row.delete)).toBe(false);
  });

  test('a dependent that does not come back is forgotten, having been deleted', async () => {
    const bed = new Bed();
    await bed.up([goal('mount', { place: 'x' }), using('role', 'mount', { kind: 'id-1' })]);
    const result = await bed.up([goal('mount', { place: 'y' })]);
    expect(result.taken).toEqual([
      'delete-replaced role',
      'delete-replaced mount',
      'replace mount',
      'create-replacement mount',
      'discard role',
    ]);
    expect(bed.store.names()).toEqual(['mount']);
    expect(bed.service.objects.size).toBe(1);
  });

  test('an interrupted deletion first is gone on with: only the creation is left', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { place: 'x' })]);
    bed.service.intercept = (operation) => {
      if (operation === 'create') throw new PluginError('no');
    };
    await bed.up([goal('a', { place: 'y' })]);
    expect(bed.store.row('a').pendingReplacement).toBe(true);
    bed.service.intercept = () => {};
    const result = await bed.up([goal('a', { place: 'y' })]);
    expect(result.taken).toEqual(['replace a', 'create-replacement a']);
    expect(bed.store.row('a').pendingReplacement).toBe(false);
  });

  test('replaceOnChanges turns an update into a replacement (applyReplaceOnChanges)', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { text: 'x' })]);
    const result = await bed.up([goal('a', { text: 'y' }, { replaceOnChanges: ['text'] })]);
    expect(result.steps.find(({ op }) => op === 'replace')).toMatchObject({
      replaceKeys: ['text'],
      detailedDiff: { text: { kind: 'update-replace' } },
    });
  });

  test.each([
    ['labels.team', 'labels.team'],
    ['list[*]', 'list[0]'],
  ])('replaceOnChanges of a part, %s, turns its change into a replacement', (wanted, path) => {
    const top = path.split(/[.[]/)[0] as string;
    const diff = {
      ...{ changes: 'some' as const, replaces: [], diffs: [top], deleteBeforeReplace: false },
      detailedDiff: { [path]: { kind: 'update' as const, inputDiff: false } },
    };
    expect(withReplaceOnChanges(diff, [wanted], false)).toMatchObject({
      replaces: [top],
      detailedDiff: { [path]: { kind: 'update-replace' } },
    });
    expect(withReplaceOnChanges(diff, [`${top}.other`], false).replaces).toEqual([]);
  });

  test('replaceOnChanges is kept in the state, and given up again', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { text: 'x' }, { replaceOnChanges: ['text'] })]);
    expect(bed.store.row('a').replaceOnChanges).toEqual(['text']);
    await bed.refresh();
    expect(bed.store.row('a').replaceOnChanges).toEqual(['text']);
    expect((await bed.up([goal('a', { text: 'x' })])).taken).toEqual(['same a']);
    expect(bed.store.row('a').replaceOnChanges).toEqual([]);
  });

  test('a name is drawn for the plan and its up, and another for a replacement', async () => {
    const bed = new Bed();
    const plan = await bed.preview([goal('a', { autoname: true, kind: 'x' })]);
    const planned = plan.steps[0]?.newState?.inputs['physicalName'];
    await bed.up([goal('a', { autoname: true, kind: 'x' })]);
    expect(bed.store.row('a').inputs['physicalName']).toBe(planned);
    const before = bed.store.row('a').inputs['physicalName'];
    await bed.up([goal('a', { autoname: true, kind: 'x', text: 'more' })]);
    expect(bed.store.row('a').inputs['physicalName']).toBe(before);
    await bed.up([goal('a', { autoname: true, kind: 'y', text: 'more' })]);
    expect(bed.store.row('a').inputs['physicalName']).not.toBe(before);
  });

  test('what was left to delete by an earlier run is deleted by the next', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { kind: 'x' })]);
    bed.service.intercept = (operation) => {
      if (operation === 'delete') throw new PluginError('not now');
    };
    expect((await bed.up([goal('a', { kind: 'y' })])).succeeded).toBe(false);
    expect(bed.store.names()).toEqual(['a', 'a']);
    bed.service.intercept = () => {};
    const result = await bed.up([goal('a', { kind: 'y' })]);
    expect(result.taken).toEqual(['same a', 'delete-replaced a']);
    expect(bed.store.names()).toEqual(['a']);
  });
});

describe('protect (step_generator.go and step.go, DeleteStep)', () => {
  test('a protected resource is not deleted, and with continueOnError the others are', async () => {
    const bed = new Bed();
    await bed.up([goal('a', {}, { protect: true }), goal('b'), goal('c', {}, { dependencies: [urn('b')] })]);
    const result = await bed.up([], { continueOnError: true });
    expect(codes(result)).toEqual(['resource_protected']);
    expect(bed.store.names()).toEqual(['a']);
  });

  test('a protected resource is not replaced', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { kind: 'x' }, { protect: true })]);
    const result = await bed.up([goal('a', { kind: 'y' }, { protect: true })]);
    expect(codes(result)).toEqual(['resource_protected']);
    expect(bed.service.made('create', 'delete')).toEqual([]);
  });

  test('protection removed and replacement may come in one go', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { kind: 'x' }, { protect: true })]);
    expect((await bed.up([goal('a', { kind: 'y' })])).succeeded).toBe(true);
  });

  test('a protected dependent stops the deletion of what it needs', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { place: 'x' }), using('b', 'a', { kind: 'id-1' }, { protect: true })]);
    const result = await bed.up([
      goal('a', { place: 'y' }),
      using('b', 'a', { kind: 'id-2' }, { protect: true }),
    ]);
    expect(codes(result)).toEqual(['resource_protected']);
    expect(bed.service.made('delete')).toEqual([]);
  });

  test('children inherit it (source_eval.go, inheritFromParent)', async () => {
    const bed = new Bed();
    const parent = urn('box', 'test:index:Component');
    await bed.up([component('box', { protect: true }), goal('a', {}, { parent })]);
    expect(bed.store.row('a').protect).toBe(true);
  });
});

describe('ignoreChanges (step_generator.go, processIgnoreChanges)', () => {
  test('an ignored property keeps its old value', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { text: 'x', other: { deep: 1, more: 1 } })]);
    const result = await bed.up([
      goal('a', { text: 'y', other: { deep: 2, more: 1 } }, { ignoreChanges: ['text', 'other.deep'] }),
    ]);
    expect(result.changes).toEqual({ same: 1 });
    expect(bed.store.row('a').inputs).toEqual({ text: 'x', other: { deep: 1, more: 1 } });
  });

  test('a path with a missing element is refused', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { text: 'x' })]);
    const result = await bed.up([
      goal('a', { text: 'x', other: { deep: 1 } }, { ignoreChanges: ['other.deep'] }),
    ]);
    expect(codes(result)).toEqual(['ignore_changes_path_missing']);
  });
});

describe('secrets and unknown values (provider_plugin.go, step_executor.go)', () => {
  test('a plugin that does not accept secrets gets the plain value, and the output is secret again', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { secret: new Secret('hush') })]);
    expect(bed.service.objects.get('id-1')).toMatchObject({ secret: 'hush' });
    const row = bed.store.row('a');
    expect(row.inputs['secret']).toEqual(new Secret('hush'));
    expect(row.outputs['secret']).toEqual(new Secret('hush'));
  });

  test('a list with a secret in it becomes secret as a whole, an object only where it is', async () => {
    const bed = new Bed();
    await bed.up([
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
    const bed = new Bed();
    await bed.up([goal('a', {}, { additionalSecretOutputs: ['computed', 'id'] })]);
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
