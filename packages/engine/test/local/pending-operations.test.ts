import { describe, expect, test } from '@jest/globals';
import { GatehouseError } from '../../../core/src/graph/values/errors.ts';
import { PluginError } from '../../src/plugins/plugin.ts';
import { type PropertyMap, Secret } from '../../src/property-value.ts';
import { Bed, bedWith, goal, using } from './registrations.ts';

/** What is left when the process is killed in the middle of the plugin's call. */
class Killed extends Error {}

/** Runs until the process would be killed: after the call has reached the service, before its answer is recorded. */
async function killDuring(
  bed: Bed,
  operation: string,
  reached: boolean,
  goals: Parameters<Bed['up']>[0],
): Promise<void> {
  const { store, service } = bed;
  const record = store.record.bind(store);
  let dead = false;
  store.record = (change) => {
    if (dead) throw new Killed();
    record(change);
  };
  service.intercept = (called, _, properties) => {
    if (called !== operation) return;
    dead = true;
    if (!reached) throw new Killed();
    if (operation === 'delete') service.objects.clear();
    else if (operation === 'update') service.objects.set('id-1', { ...properties, computed: 'made id-1' });
  };
  await bed.up(goals);
  store.record = record;
  service.intercept = () => {};
}

function find(bed: Bed): (properties: PropertyMap) => string[] {
  return ({ text }) =>
    [...bed.service.objects].filter(([, object]) => object['text'] === text).map(([id]) => id);
}

describe('operations that an earlier run was killed in (facts of pkg/backend/snapshot.go, PendingOperations)', () => {
  test('an operation is recorded before the call and gone after it', async () => {
    const bed = new Bed();
    const seen: string[] = [];
    bed.service.intercept = () => {
      seen.push(bed.store.pending.map(({ type }) => type).join());
    };
    await bed.up([goal('a', { text: 'x' })]);
    await bed.up([goal('a', { text: 'y' })]);
    await bed.up([]);
    expect(seen).toEqual(['creating', 'updating', 'deleting']);
    expect(bed.store.pending).toEqual([]);
  });

  test('a creation that never reached the service is begun again', async () => {
    const bed = new Bed();
    bed.service.findCreated = find(bed);
    await killDuring(bed, 'create', false, [goal('a', { text: 'x' })]);
    expect(bed.store.pending).toHaveLength(1);
    const result = await bed.up([goal('a', { text: 'x' })]);
    expect(result.taken).toEqual(['create a']);
    expect(bed.store.pending).toEqual([]);
  });

  test('a creation that did reach it is taken over and written once more, not made twice', async () => {
    const bed = new Bed();
    bed.service.findCreated = find(bed);
    await killDuring(bed, 'create', true, [goal('a', { text: 'x' })]);
    expect(bed.service.objects.size).toBe(1);
    const result = await bed.up([goal('a', { text: 'x' })]);
    expect(result.taken).toEqual(['update a']);
    expect(bed.service.objects.size).toBe(1);
    expect(bed.store.row('a')).toMatchObject({ id: 'id-1', initErrors: [] });
    expect(bed.store.pending).toEqual([]);
  });

  test('what is found of it is secret where it was written as a secret', async () => {
    const bed = new Bed();
    bed.service.findCreated = () => ['id-1'];
    const program = [goal('a', { map: { a: new Secret('hush') } })];
    await killDuring(bed, 'create', true, program);
    bed.service.objects.set('id-1', { map: { a: 'hush' } });
    await bed.refresh();
    expect(bed.store.row('a').outputs).toEqual({ map: { a: new Secret('hush') } });
  });

  test('a replacement that reached it leaves the old one to be deleted', async () => {
    const bed = new Bed();
    bed.service.findCreated = find(bed);
    await bed.up([goal('a', { text: 'x', kind: '1' })]);
    await killDuring(bed, 'create', true, [goal('a', { text: 'x', kind: '2' })]);
    const result = await bed.up([goal('a', { text: 'x', kind: '2' })]);
    expect(result.taken).toEqual(['update a', 'delete-replaced a']);
    expect(bed.service.objects.size).toBe(1);
  });

  test('a replacement under the same id, deleted first, is taken over', async () => {
    const bed = new Bed();
    bed.service.findCreated = find(bed);
    await bed.up([goal('a', { fixedId: 'same', text: 'x', place: '1' })]);
    await killDuring(bed, 'create', true, [goal('a', { fixedId: 'same', text: 'x', place: '2' })]);
    const result = await bed.up([goal('a', { fixedId: 'same', text: 'x', place: '2' })]);
    expect(result.taken).toEqual(['update a']);
    expect(bed.store.rows.filter(({ id }) => id === 'same')).toHaveLength(1);
  });

  test('a preview looks but records nothing', async () => {
    const bed = new Bed();
    bed.service.findCreated = find(bed);
    await killDuring(bed, 'create', true, [goal('a', { text: 'x' })]);
    expect((await bed.preview([goal('a', { text: 'x' })])).taken).toEqual(['update a']);
    expect(bed.store.changes).toEqual([]);
    expect(bed.store.pending).toHaveLength(1);
  });

  test('several that it could be stop the run', async () => {
    const bed = new Bed();
    bed.service.findCreated = () => ['one', 'two'];
    await killDuring(bed, 'create', true, [goal('a', { text: 'x' })]);
    const error = await bed.up([goal('a', { text: 'x' })]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GatehouseError);
    expect(error).toMatchObject({ code: 'pending_create_ambiguous', parts: { given: 'one, two' } });
  });

  test('a plugin that cannot look stops the run', async () => {
    const bed = new Bed();
    await killDuring(bed, 'create', true, [goal('a', { text: 'x' })]);
    await expect(bed.up([])).rejects.toMatchObject({ code: 'pending_create_unresolved' });
  });

  test.each([true, false])('an update (reached: %s) is read again and written once more', async (reached) => {
    const bed = await bedWith([goal('a', { text: 'x' })]);
    await killDuring(bed, 'update', reached, [goal('a', { text: 'y' })]);
    const result = await bed.up([goal('a', { text: 'y' })]);
    expect(result.taken).toEqual(['update a']);
    expect(bed.service.objects.get('id-1')).toMatchObject({ text: 'y' });
    expect(bed.store.pending).toEqual([]);
  });

  test('a refresh does not settle an interrupted update: what cannot be read back may differ', async () => {
    const bed = await bedWith([goal('a', { text: 'x' })]);
    await killDuring(bed, 'update', true, [goal('a', { text: 'y' })]);
    await bed.refresh();
    await bed.refresh();
    expect((await bed.up([goal('a', { text: 'y' })])).taken).toEqual(['update a']);
    expect((await bed.up([goal('a', { text: 'y' })])).taken).toEqual(['same a']);
  });

  test.each([true, false])('a deletion (reached: %s) is ended by the next run', async (reached) => {
    const bed = await bedWith([goal('a', { text: 'x' })]);
    await killDuring(bed, 'delete', reached, []);
    const result = await bed.up([]);
    expect(result.taken).toEqual(reached ? [] : ['delete a']);
    expect(bed.store.names()).toEqual([]);
    expect(bed.store.pending).toEqual([]);
  });

  test('a deletion ahead of a replacement that reached it is followed by a plain creation', async () => {
    const bed = await bedWith([goal('a', { place: '1' }), using('b', 'a', { text: 'x' })]);
    await killDuring(bed, 'delete', true, [goal('a', { place: '2' })]);
    bed.service.objects.set('id-2', { text: 'x', computed: 'made id-2' });
    const result = await bed.up([goal('a', { place: '2' }), using('b', 'a', { text: 'x' })]);
    expect(result.taken).toEqual(['create a', 'same b']);
  });

  test('a plugin’s refusal leaves nothing pending', async () => {
    const bed = new Bed();
    bed.service.intercept = () => {
      throw new PluginError('no');
    };
    await bed.up([goal('a')]);
    expect(bed.store.pending).toEqual([]);
  });
});
