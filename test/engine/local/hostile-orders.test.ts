import { describe, expect, test } from '@jest/globals';
import { PluginError } from '../../../engine/plugins/plugin.ts';
import { Bed, codes, goal, urn, using } from './registrations.ts';

describe('a resource that no longer hangs on one that is replaced, deleted first', () => {
  test('is not deleted with it, though it is renamed and its own step is not done', async () => {
    const bed = new Bed();
    await bed.up([goal('mount', { place: 'x' }), using('role', 'mount', { kind: 'id-1' })]);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun = () => {};
    const updating = new Promise<void>((resolve) => {
      begun = resolve;
    });
    bed.service.intercept = async (operation) => {
      if (operation !== 'update') return;
      begun();
      await held;
    };
    const result = await bed.deploy({}, async (deployment) => {
      const renamed = { aliases: [{ urn: urn('role') }] };
      const role = deployment.register(goal('renamed', { kind: 'id-1', text: 'more' }, renamed));
      await updating;
      const mount = deployment.register(goal('mount', { place: 'y' }));
      // The deletion of the mount waits for what still hangs on it.
      await new Promise((resolve) => setImmediate(resolve));
      release();
      const registered = [await role, await mount];
      await deployment.finish(true);
      return registered;
    });
    expect([result.diagnostics, bed.service.made('delete', 'update', 'create')]).toEqual([
      [],
      ['update renamed', 'delete mount', 'create mount'],
    ]);
    expect(bed.store.names().sort()).toEqual(['mount', 'renamed']);
  });

  test('is not made twice where another dependent is protected', async () => {
    const bed = new Bed();
    await bed.up([
      goal('mount', { place: 'x' }),
      using('role', 'mount', { kind: 'id-1' }),
      using('kept', 'mount', { kind: 'id-1' }, { protect: true }),
    ]);
    const result = await bed.up(
      [
        goal('mount', { place: 'y' }),
        goal('role', { kind: 'id-1' }),
        using('kept', 'mount', { kind: 'id-1' }, { protect: true }),
      ],
      { continueOnError: true },
    );
    expect([codes(result), result.taken, bed.service.calls]).toEqual([
      ['resource_protected'],
      ['same role'],
      [],
    ]);
  });
});

describe('renamed and replaced in one go', () => {
  const renamed = { aliases: [{ urn: urn('old') }] };

  test.each([
    ['created first', {}, ['create-replacement new', 'replace new', 'delete-replaced old']],
    [
      'deleted first',
      { deleteBeforeReplace: true },
      ['delete-replaced old', 'replace new', 'create-replacement new'],
    ],
  ])('%s, it is there once, under its new name', async (_, options, taken) => {
    const bed = new Bed();
    await bed.up([goal('old', { kind: 'x' })]);
    const result = await bed.up([goal('new', { kind: 'y' }, { ...renamed, ...options })]);
    expect(result.taken).toEqual(taken);
    expect([bed.store.names(), bed.service.objects.size]).toEqual([['new'], 1]);
  });

  test('with dependents that are deleted before it, which are renamed, too', async () => {
    const bed = new Bed();
    await bed.up([goal('old', { place: 'x' }), using('role', 'old', { kind: 'id-1' })]);
    const result = await bed.up([
      goal('new', { place: 'y' }, renamed),
      using('other', 'new', { kind: 'id-3' }, { aliases: [{ urn: urn('role') }] }),
    ]);
    expect(bed.service.made('delete', 'create')).toEqual([
      'delete role',
      'delete old',
      'create new',
      'create other',
    ]);
    expect([result.changes, bed.store.names().sort()]).toEqual([{ replace: 2 }, ['new', 'other']]);
    expect(bed.store.row('other').dependencies).toEqual([urn('new')]);
  });

  test('does not bring back what used it and is replaced already', async () => {
    const bed = new Bed();
    await bed.up([goal('old'), using('role', 'old', { kind: 'id-1' })]);
    await bed.up([goal('role', { kind: 'y' }, { deleteBeforeReplace: true }), goal('new', {}, renamed)]);
    expect(bed.store.names().sort()).toEqual(['new', 'role']);
    expect(bed.store.row('role').inputs).toEqual({ kind: 'y' });
  });

  test('interrupted between deletion and creation, it is created by the next run, under its new name', async () => {
    const bed = new Bed();
    await bed.up([goal('old', { place: 'x' })]);
    bed.service.intercept = (operation) => {
      if (operation === 'create') throw new PluginError('no');
    };
    await bed.up([goal('new', { place: 'y' }, renamed)]);
    bed.service.intercept = () => {};
    const result = await bed.up([goal('new', { place: 'y' }, renamed)]);
    expect(result.taken).toEqual(['replace new', 'create-replacement new']);
    expect(bed.store.names()).toEqual(['new']);
  });
});

describe('a target that is deleted before it is replaced', () => {
  test('takes its dependents with it, which come back as they were', async () => {
    const bed = new Bed();
    const program = (place: string, id: string, text: string) => [
      goal('mount', { place }),
      using('role', 'mount', { kind: id }),
      goal('other', { text }),
    ];
    await bed.up(program('x', 'id-1', 'a'));
    const result = await bed.up(program('y', 'id-4', 'b'), { targets: [urn('mount')] });
    expect(result.taken).toEqual([
      'delete-replaced role',
      'delete-replaced mount',
      'replace mount',
      'create-replacement mount',
      'replace role',
      'create-replacement role',
      'same other',
    ]);
    expect(bed.store.row('role').inputs).toEqual({ kind: 'id-1' });
    expect((await bed.up(program('y', 'id-4', 'b'))).taken).toEqual([
      'same mount',
      'create-replacement role',
      'replace role',
      'update other',
      'delete-replaced role',
    ]);
  });
});
