import { describe, expect, test } from '@jest/globals';
import { Bed, bedWith, codes, goal, thingType, urn, using } from './registrations.ts';

describe('replacements (pkg/resource/deploy/step_generator.go, continueStepsFromDiff)', () => {
  test('by default the new one is created first and the old one deleted at the end', async () => {
    const bed = await bedWith([goal('a', { kind: 'x' }), using('b', 'a', { text: 'id-1' })]);
    const result = await bed.up([goal('a', { kind: 'y' }), using('b', 'a', { text: 'id-3' })]);
    expect(result.taken).toEqual(['create-replacement a', 'replace a', 'update b', 'delete-replaced a']);
    expect(result.changes).toEqual({ replace: 1, update: 1 });
    expect(bed.store.names().sort()).toEqual(['a', 'b']);
    expect(bed.store.row('a').id).toBe('id-3');
  });

  test('with deleteBeforeReplace the old one is deleted first', async () => {
    const bed = await bedWith([goal('a', { kind: 'x' })]);
    const result = await bed.up([goal('a', { kind: 'y' }, { deleteBeforeReplace: true })]);
    expect(result.taken).toEqual(['delete-replaced a', 'replace a', 'create-replacement a']);
    expect(bed.service.changes('create', 'delete')).toEqual(['delete a', 'create a']);
  });

  test('a changed trigger replaces what an alias finds under another type, and no plugin compares the two', async () => {
    const other = 'test:index:Other';
    const options = { deleteBeforeReplace: true, replacementTrigger: 'thing' };
    const bed = await bedWith([goal('a', { kind: 'x' }, options)]);
    expect(bed.store.row('a').replacementTrigger).toBe('thing');
    const changed = { ...options, type: other, replacementTrigger: 'other', aliases: [{ type: thingType }] };
    const result = await bed.up([goal('a', { kind: 'x' }, changed)]);
    expect(result.taken).toEqual(['delete-replaced a', 'replace a', 'create-replacement a']);
    expect(bed.service.changes('create', 'delete')).toEqual(['delete a', 'create a']);
    expect(bed.service.changes('diff')).toEqual([]);
    expect(bed.store.row('a')).toMatchObject({ type: other, replacementTrigger: 'other' });
  });

  test('the plugin may ask for deletion first, and the program may say no', async () => {
    const bed = await bedWith([goal('a', { place: 'x' })]);
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
    expect(bed.service.changes('delete')).toEqual(['delete far', 'delete role', 'delete mount']);
    expect(result.changes).toEqual({ replace: 3, update: 1 });
    expect(bed.store.names().sort()).toEqual(['alias', 'far', 'mount', 'role']);
    expect(bed.store.rows.some((row) => row.pendingReplacement || row.delete)).toBe(false);
  });

  test('a dependent that does not come back is forgotten, having been deleted', async () => {
    const bed = await bedWith([goal('mount', { place: 'x' }), using('role', 'mount', { kind: 'id-1' })]);
    const result = await bed.up([goal('mount', { place: 'y' })]);
    expect(result.taken).toEqual([
      'delete-replaced role',
      'delete-replaced mount',
      'replace mount',
      'create-replacement mount',
    ]);
    expect(bed.store.names()).toEqual(['mount']);
    expect(bed.service.objects.size).toBe(1);
  });

  test('an interrupted deletion first is gone on with: only the creation is left', async () => {
    const bed = await bedWith([goal('a', { place: 'x' })]);
    bed.service.refuse('create');
    await bed.up([goal('a', { place: 'y' })]);
    expect(bed.store.row('a').pendingReplacement).toBe(true);
    bed.service.intercept = () => {};
    const result = await bed.up([goal('a', { place: 'y' })]);
    expect(result.taken).toEqual(['replace a', 'create-replacement a']);
    expect(bed.store.row('a').pendingReplacement).toBe(false);
  });

  test('replaceOnChanges turns an update into a replacement (applyReplaceOnChanges)', async () => {
    const bed = await bedWith([goal('a', { text: 'x' })]);
    const result = await bed.up([goal('a', { text: 'y' }, { replaceOnChanges: ['text'] })]);
    expect(result.steps.find(({ op }) => op === 'replace')).toMatchObject({
      replaceKeys: ['text'],
      detailedDiff: { text: { kind: 'update-replace' } },
    });
  });

  test('replaceOnChanges is kept in the state, and given up again', async () => {
    const bed = await bedWith([goal('a', { text: 'x' }, { replaceOnChanges: ['text'] })]);
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
    const bed = await bedWith([goal('a', { kind: 'x' })]);
    bed.service.refuse('delete');
    expect((await bed.up([goal('a', { kind: 'y' })])).succeeded).toBe(false);
    expect(bed.store.names()).toEqual(['a', 'a']);
    bed.service.intercept = () => {};
    const result = await bed.up([goal('a', { kind: 'y' })]);
    expect(result.taken).toEqual(['same a', 'delete-replaced a']);
    expect(bed.store.names()).toEqual(['a']);
  });
});

describe('a resource that no longer hangs on one that is replaced, deleted first', () => {
  test('is not deleted with it, though it is renamed and its own step is not done', async () => {
    const bed = await bedWith([goal('mount', { place: 'x' }), using('role', 'mount', { kind: 'id-1' })]);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let start = () => {};
    const updating = new Promise<void>((resolve) => {
      start = resolve;
    });
    bed.service.intercept = async (operation) => {
      if (operation !== 'update') return;
      start();
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
    expect([result.diagnostics, bed.service.changes('delete', 'update', 'create')]).toEqual([
      [],
      ['update renamed', 'delete mount', 'create mount'],
    ]);
    expect(bed.store.names().sort()).toEqual(['mount', 'renamed']);
  });

  test('is not made twice where another dependent is protected', async () => {
    const bed = await bedWith([
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
    const bed = await bedWith([goal('old', { kind: 'x' })]);
    const result = await bed.up([goal('new', { kind: 'y' }, { ...renamed, ...options })]);
    expect(result.taken).toEqual(taken);
    expect([bed.store.names(), bed.service.objects.size]).toEqual([['new'], 1]);
  });

  test('with dependents that are deleted before it, which are renamed, too', async () => {
    const bed = await bedWith([goal('old', { place: 'x' }), using('role', 'old', { kind: 'id-1' })]);
    const result = await bed.up([
      goal('new', { place: 'y' }, renamed),
      using('other', 'new', { kind: 'id-3' }, { aliases: [{ urn: urn('role') }] }),
    ]);
    expect(bed.service.changes('delete', 'create')).toEqual([
      'delete role',
      'delete old',
      'create new',
      'create other',
    ]);
    expect([result.changes, bed.store.names().sort()]).toEqual([{ replace: 2 }, ['new', 'other']]);
    expect(bed.store.row('other').dependencies).toEqual([urn('new')]);
  });

  test('does not bring back what used it and is replaced already', async () => {
    const bed = await bedWith([goal('old'), using('role', 'old', { kind: 'id-1' })]);
    await bed.up([goal('role', { kind: 'y' }, { deleteBeforeReplace: true }), goal('new', {}, renamed)]);
    expect(bed.store.names().sort()).toEqual(['new', 'role']);
    expect(bed.store.row('role').inputs).toEqual({ kind: 'y' });
  });

  test('interrupted between deletion and creation, it is created by the next run, under its new name', async () => {
    const bed = await bedWith([goal('old', { place: 'x' })]);
    bed.service.refuse('create');
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
