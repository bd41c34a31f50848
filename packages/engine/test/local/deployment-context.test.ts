import { describe, expect, test } from '@jest/globals';
import { Bed, bedWith, codes, goal, urn, using } from './registrations.ts';

describe('targets (pkg/resource/deploy/step_generator.go, isTargetedForUpdate, validateSteps, GenerateDeletes)', () => {
  test('only the targets are changed', async () => {
    const bed = await bedWith([goal('a', { text: 'x' }), goal('b', { text: 'x' }), goal('c')]);
    const result = await bed.up([goal('a', { text: 'y' }), goal('b', { text: 'y' }), goal('d')], {
      targets: [urn('a')],
    });
    expect(result.taken).toEqual(['update a', 'same b', 'same d']);
    expect(bed.store.names()).toEqual(['a', 'b', 'c']);
    expect(bed.store.row('b').inputs).toEqual({ text: 'x' });
  });

  test('a target to be deleted takes no untargeted dependent with it', async () => {
    const bed = await bedWith([goal('a'), using('b', 'a', { text: 'x' })]);
    const refused = await bed.destroy({ targets: [urn('a')] });
    expect(codes(refused)).toEqual(['target_incomplete']);
    expect(bed.store.names()).toEqual(['a', 'b']);
    const both = await bed.destroy({ targets: [urn('a'), urn('b')] });
    expect(both.taken).toEqual(['delete b', 'delete a']);
  });
});

describe('excludes (pkg/resource/deploy/step_generator.go, GenerateDeletes; deployment_executor.go, refresh)', () => {
  test('everything is changed but what is excluded', async () => {
    const bed = await bedWith([goal('a', { text: 'x' }), goal('b', { text: 'x' })]);
    const result = await bed.up([goal('a', { text: 'y' }), goal('b', { text: 'y' }), goal('c'), goal('d')], {
      excludes: [urn('b'), urn('d')],
    });
    expect(result.taken).toEqual(['update a', 'same b', 'create c', 'same d']);
    expect(bed.store.names()).toEqual(['a', 'b', 'c']);
    expect(bed.store.row('b').inputs).toEqual({ text: 'x' });
  });

  test('what the program no longer has stays where it is excluded', async () => {
    const bed = await bedWith([goal('a'), goal('b')]);
    expect((await bed.up([], { excludes: [urn('a')] })).taken).toEqual(['delete b']);
    expect(bed.store.names()).toEqual(['a']);
  });

  test('what is excluded from a destroy stays, with all that it depends on', async () => {
    const bed = await bedWith([
      goal('a'),
      using('b', 'a', { text: 'x' }),
      using('c', 'b', { text: 'x' }),
      goal('d'),
    ]);
    const result = await bed.destroy({ excludes: [urn('b')] });
    expect(result.taken.toSorted()).toEqual(['delete c', 'delete d']);
    expect(bed.store.names()).toEqual(['a', 'b']);
  });

  test('a refresh does not read what is excluded', async () => {
    const bed = await bedWith([goal('a', { text: 'x' }), goal('b', { text: 'x' })]);
    for (const name of ['a', 'b']) {
      const id = bed.store.row(name).id ?? '';
      bed.service.objects.set(id, { text: 'by hand' });
    }
    await bed.refresh({ excludes: [urn('b')] });
    expect(bed.store.row('a').outputs).toMatchObject({ text: 'by hand' });
    expect(bed.store.row('b').outputs).toMatchObject({ text: 'x' });
  });
});

test.each([
  ['a target', { targets: [urn('b')] }, { targets: [urn('z')] }],
  ['what is not excluded', { excludes: [urn('a')] }, { excludes: [urn('z')] }],
])(
  '%s may not need what is still to be created; one that is nowhere is a mistake',
  async (_, options, nowhere) => {
    const bed = new Bed();
    const incomplete = await bed.up([goal('a'), using('b', 'a', { text: 'x' })], options);
    expect([codes(incomplete), bed.store.names()]).toEqual([['target_incomplete'], []]);
    await bed.up([goal('a')]);
    expect(codes(await bed.destroy(nowhere))).toEqual(['target_unknown']);
    expect(bed.store.names()).toEqual(['a']);
  },
);

describe('a reviewed plan', () => {
  const before = [goal('a', { text: 'x' }), goal('b', { text: 'x' })];

  test('without changes admits none: what has changed since is not made', async () => {
    const bed = await bedWith(before);
    const reviewed = await bed.preview(before);
    expect(reviewed.taken).toEqual(['same a', 'same b']);
    const objects = structuredClone(bed.service.objects);
    for (const after of [
      [goal('a', { text: 'y' }), goal('b', { text: 'x' })],
      [...before, goal('c')],
      [goal('a', { text: 'x' })],
    ]) {
      const refused = await bed.up(after, { reviewed });
      expect(codes(refused)).toEqual(['step_unplanned']);
      expect(bed.service.objects).toEqual(objects);
    }
    expect(await bed.up(before, { reviewed })).toMatchObject({ succeeded: true });
  });

  test('of a destroy admits its deletions, and no others', async () => {
    const bed = await bedWith([goal('a', { text: 'x' })]);
    const reviewed = await bed.destroy({ dryRun: true });
    await bed.up(before);
    const result = await bed.destroy({ reviewed });
    expect(codes(result)).toEqual(['step_unplanned']);
    expect(bed.service.objects.size).toBeGreaterThan(0);
  });
});
