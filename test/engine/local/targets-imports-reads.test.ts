import { describe, expect, test } from '@jest/globals';
import type { Goal } from '../../../engine/local/goal.ts';
import { Bed, codes, component, goal, readGoal, thingType, urn, using } from './registrations.ts';

describe('targets (pkg/resource/deploy/step_generator.go, isTargetedForUpdate, validateSteps, GenerateDeletes)', () => {
  test('only the targets are changed', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { text: 'x' }), goal('b', { text: 'x' }), goal('c')]);
    const result = await bed.up([goal('a', { text: 'y' }), goal('b', { text: 'y' }), goal('d')], {
      targets: [urn('a')],
    });
    expect(result.taken).toEqual(['update a', 'same b', 'same d']);
    expect(bed.store.names()).toEqual(['a', 'b', 'c']);
    expect(bed.store.row('b').inputs).toEqual({ text: 'x' });
  });

  test('a target that needs a resource still to be created is refused', async () => {
    const bed = new Bed();
    const result = await bed.up([goal('a'), using('b', 'a', { text: 'x' })], { targets: [urn('b')] });
    expect(codes(result)).toEqual(['target_incomplete']);
    expect(bed.store.names()).toEqual([]);
  });

  test('a target to be deleted takes no untargeted dependent with it', async () => {
    const bed = new Bed();
    await bed.up([goal('a'), using('b', 'a', { text: 'x' })]);
    const refused = await bed.destroy({ targets: [urn('a')] });
    expect(codes(refused)).toEqual(['target_incomplete']);
    expect(bed.store.names()).toEqual(['a', 'b']);
    const both = await bed.destroy({ targets: [urn('a'), urn('b')] });
    expect(both.taken).toEqual(['delete b', 'delete a']);
  });

  test('a target that is nowhere is a mistake (deployment_executor.go, checkTargets)', async () => {
    const bed = new Bed();
    await bed.up([goal('a')]);
    expect(codes(await bed.destroy({ targets: [urn('z')] }))).toEqual(['target_unknown']);
    expect(bed.store.names()).toEqual(['a']);
  });
});

describe('excludes (pkg/resource/deploy/step_generator.go, GenerateDeletes; deployment_executor.go, refresh)', () => {
  test('everything is changed but what is excluded', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { text: 'x' }), goal('b', { text: 'x' })]);
    const result = await bed.up([goal('a', { text: 'y' }), goal('b', { text: 'y' }), goal('c'), goal('d')], {
      excludes: [urn('b'), urn('d')],
    });
    expect(result.taken).toEqual(['update a', 'same b', 'create c', 'same d']);
    expect(bed.store.names()).toEqual(['a', 'b', 'c']);
    expect(bed.store.row('b').inputs).toEqual({ text: 'x' });
  });

  test('what the program no longer has stays where it is excluded', async () => {
    const bed = new Bed();
    await bed.up([goal('a'), goal('b')]);
    expect((await bed.up([], { excludes: [urn('a')] })).taken).toEqual(['delete b']);
    expect(bed.store.names()).toEqual(['a']);
  });

  test('what is excluded from a destroy stays, with all that it depends on', async () => {
    const bed = new Bed();
    await bed.up([goal('a'), using('b', 'a', { text: 'x' }), using('c', 'b', { text: 'x' }), goal('d')]);
    const result = await bed.destroy({ excludes: [urn('b')] });
    expect(result.taken.toSorted()).toEqual(['delete c', 'delete d']);
    expect(bed.store.names()).toEqual(['a', 'b']);
  });

  test('a refresh does not read what is excluded', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { text: 'x' }), goal('b', { text: 'x' })]);
    for (const name of ['a', 'b']) {
      const id = bed.store.row(name).id ?? '';
      bed.service.objects.set(id, { text: 'by hand' });
    }
    await bed.refresh({ excludes: [urn('b')] });
    expect(bed.store.row('a').outputs).toMatchObject({ text: 'by hand' });
    expect(bed.store.row('b').outputs).toMatchObject({ text: 'x' });
  });

  test('what needs an excluded resource that is still to be created is refused', async () => {
    const bed = new Bed();
    const program = [goal('a'), using('b', 'a', { text: 'x' })];
    expect(codes(await bed.up(program, { excludes: [urn('a')] }))).toEqual(['target_incomplete']);
    expect(bed.store.names()).toEqual([]);
  });

  test('one that is nowhere is a mistake', async () => {
    const bed = new Bed();
    await bed.up([goal('a')]);
    expect(codes(await bed.destroy({ excludes: [urn('z')] }))).toEqual(['target_unknown']);
    expect(bed.store.names()).toEqual(['a']);
  });
});

describe('import (pkg/resource/deploy/step.go, ImportStep)', () => {
  test('takes over what is there when the program describes it', async () => {
    const bed = new Bed();
    bed.service.objects.set('there', { text: 'x', computed: 'made there' });
    const program = [goal('a', { text: 'x' }, { importId: 'there' })];
    const result = await bed.up(program);
    expect(result.taken).toEqual(['import a']);
    expect(bed.service.made('create', 'update')).toEqual([]);
    expect(bed.store.row('a')).toMatchObject({ id: 'there', importId: 'there' });
    expect((await bed.up(program)).changes).toEqual({ same: 1 });
  });

  test('refuses what it would change', async () => {
    const bed = new Bed();
    bed.service.objects.set('there', { text: 'y' });
    const result = await bed.up([goal('a', { text: 'x' }, { importId: 'there' })]);
    expect(codes(result)).toEqual(['import_differs']);
    expect(bed.store.names()).toEqual([]);
  });

  test('a preview only warns of it', async () => {
    const bed = new Bed();
    bed.service.objects.set('there', { text: 'y' });
    const result = await bed.preview([goal('a', { text: 'x' }, { importId: 'there' })]);
    expect(result.succeeded).toBe(true);
    expect(result.diagnostics).toMatchObject([{ severity: 'warning', code: 'import_differs' }]);
  });

  test('by an import file, only the resource of that URN; what is not declared is named', async () => {
    const bed = new Bed();
    bed.service.objects.set('there', { text: 'x' });
    const [one, other] = [component('one'), component('other', { type: 'test:index:Other' })];
    const below = ({ type, name }: Goal) => goal('a', { text: 'x' }, { parent: urn(name, type) });
    const imports = { [urn('a', `${one.type}$${thingType}`)]: 'there', [urn('b')]: 'nowhere' };
    const result = await bed.up([one, other, below(one), below(other)], { imports });
    expect(result.taken).toEqual(['create one', 'create other', 'import a', 'create a']);
    expect(result.diagnostics).toMatchObject([{ severity: 'warning', code: 'import_unused' }]);
    expect(result.diagnostics[0]?.message).toContain(urn('b'));
  });

  test('one that still says import is not replaced; a preview only warns of it', async () => {
    const bed = new Bed();
    bed.service.objects.set('there', { kind: '1' });
    const imported = (kind: string) => goal('a', { kind }, { importId: 'there' });
    await bed.up([imported('1')]);
    const preview = await bed.preview([imported('2')]);
    expect(preview).toMatchObject({
      succeeded: true,
      taken: ['create-replacement a', 'replace a', 'delete-replaced a'],
      diagnostics: [{ severity: 'warning', code: 'import_replaced' }],
    });
    expect(codes(await bed.up([imported('2')]))).toEqual(['import_replaced']);
  });

  test('an id that is not there is refused', async () => {
    const result = await new Bed().up([goal('a', {}, { importId: 'nowhere' })]);
    expect(codes(result)).toEqual(['import_not_found']);
  });
});

describe('read (pkg/resource/deploy/step.go, ReadStep)', () => {
  const read = (bed: Bed, id: string, dryRun = false) =>
    bed.deploy({ dryRun }, async (deployment) => {
      const registered = [await deployment.read(readGoal('a', id))];
      await deployment.finish(true);
      return registered;
    });

  test('gives the outputs, in previews too, and marks the resource as external', async () => {
    const bed = new Bed();
    bed.service.objects.set('there', { text: 'y' });
    expect((await read(bed, 'there', true)).registered[0]).toMatchObject({
      id: 'there',
      outputs: { text: 'y' },
    });
    await read(bed, 'there');
    expect(bed.store.row('a').external).toBe(true);
  });

  test('what was read is forgotten, never deleted', async () => {
    const bed = new Bed();
    bed.service.objects.set('there', {});
    await read(bed, 'there');
    const result = await bed.up([]);
    expect(result.taken).toEqual(['discard a']);
    expect(bed.service.objects.has('there')).toBe(true);
  });

  test('what was read and is now managed is created anew', async () => {
    const bed = new Bed();
    bed.service.objects.set('there', {});
    await read(bed, 'there');
    const result = await bed.up([goal('a')]);
    expect(result.taken).toEqual(['create-replacement a', 'replace a', 'discard a']);
  });

  test('what was managed under another id is deleted', async () => {
    const bed = new Bed();
    await bed.up([goal('a')]);
    bed.service.objects.set('there', {});
    expect((await read(bed, 'there')).taken).toEqual([
      'read-replacement a',
      'replace a',
      'delete-replaced a',
    ]);
    expect(bed.service.objects.has('id-1')).toBe(false);
  });

  test('an id that is not there fails the resource', async () => {
    expect(codes(await read(new Bed(), 'nowhere'))).toEqual(['read_not_found']);
  });
});

describe('refresh (pkg/resource/deploy/deployment_executor.go, step.go RefreshStep)', () => {
  test('takes over what changed on the service, told from its side', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { text: 'x' })]);
    bed.service.objects.set('id-1', { text: 'y', computed: 'made id-1' });
    const result = await bed.refresh();
    expect(result.changes).toEqual({ update: 1 });
    expect(result.steps[0]).toMatchObject({
      op: 'refresh',
      diffs: ['text'],
      oldState: { inputs: { text: 'x' } },
      newState: { inputs: { text: 'y' } },
    });
    expect(bed.store.row('a').inputs).toEqual({ text: 'y' });
    expect((await bed.up([goal('a', { text: 'x' })])).taken).toEqual(['update a']);
  });

  test('without a change writes nothing', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { text: 'x' })]);
    expect((await bed.refresh()).changes).toEqual({ same: 1 });
    expect(bed.store.changes).toEqual([]);
  });

  test('drops what is gone and what names it (rebuildBaseState)', async () => {
    const bed = new Bed();
    await bed.up([goal('a'), using('b', 'a', { text: 'x' })]);
    bed.service.objects.delete('id-1');
    expect((await bed.refresh()).changes).toEqual({ delete: 1, same: 1 });
    expect(bed.store.names()).toEqual(['b']);
    expect(bed.store.row('b')).toMatchObject({ dependencies: [], propertyDependencies: { text: [] } });
  });

  test.each([true, false])(
    'before an up (preview: %s), what changed on the service is fixed',
    async (dryRun) => {
      const bed = new Bed();
      const program = [
        goal('a', { text: 'x' }),
        using('b', 'a', { text: 'x' }),
        using('c', 'a', { text: 'x' }),
      ];
      await bed.up(program);
      bed.service.objects.set('id-1', { text: 'y', computed: 'made id-1' });
      bed.service.objects.delete('id-2');
      const result = await bed.deploy({ dryRun }, async (deployment) => {
        await deployment.refresh();
        const registered = [];
        for (const each of program) registered.push(await deployment.register(each));
        await deployment.finish(true);
        return registered;
      });
      expect(result.taken.slice(3)).toEqual(['update a', 'create b', 'same c']);
      expect(bed.service.objects.get('id-1')).toMatchObject({ text: dryRun ? 'y' : 'x' });
      expect(bed.store.names().sort()).toEqual(['a', 'b', 'c']);
      expect(bed.store.changes).toHaveLength(dryRun ? 0 : 4);
    },
  );

  test('a failed read is told and leaves the resource as it was', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { text: 'x' })]);
    bed.service.unreadable = true;
    const result = await bed.refresh();
    expect(codes(result)).toEqual(['step_failed']);
    expect(bed.store.names()).toEqual(['a']);
  });

  test('a preview of it writes nothing', async () => {
    const bed = new Bed();
    await bed.up([goal('a', { text: 'x' })]);
    bed.service.objects.delete('id-1');
    expect((await bed.refresh({ dryRun: true })).changes).toEqual({ delete: 1 });
    expect(bed.store.names()).toEqual(['a']);
  });
});
