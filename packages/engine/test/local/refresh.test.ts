import { describe, expect, test } from '@jest/globals';
import { Bed, bedWith, codes, goal, using } from './registrations.ts';

describe('refresh (pkg/resource/deploy/deployment_executor.go, step.go RefreshStep)', () => {
  test('takes over what changed on the service, told from its side', async () => {
    const bed = await bedWith([goal('a', { text: 'x' })]);
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
    const bed = await bedWith([goal('a', { text: 'x' })]);
    expect((await bed.refresh()).changes).toEqual({ same: 1 });
    expect(bed.store.changes).toEqual([]);
  });

  test('drops what is gone and what names it (rebuildBaseState)', async () => {
    const bed = await bedWith([goal('a'), using('b', 'a', { text: 'x' })]);
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
    const bed = await bedWith([goal('a', { text: 'x' })]);
    bed.service.unreadable = true;
    const result = await bed.refresh();
    expect(codes(result)).toEqual(['step_failed']);
    expect(bed.store.names()).toEqual(['a']);
  });

  test('a preview of it writes nothing', async () => {
    const bed = await bedWith([goal('a', { text: 'x' })]);
    bed.service.objects.delete('id-1');
    expect((await bed.refresh({ dryRun: true })).changes).toEqual({ delete: 1 });
    expect(bed.store.names()).toEqual(['a']);
  });
});
