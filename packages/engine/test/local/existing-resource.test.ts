import { describe, expect, test } from '@jest/globals';
import type { Goal } from '../../src/local/goal.ts';
import { Bed, codes, component, goal, thingType, urn } from './registrations.ts';

describe('import (pkg/resource/deploy/step.go, ImportStep)', () => {
  test('takes over what is there when the program describes it', async () => {
    const bed = new Bed();
    bed.service.objects.set('there', { text: 'x', computed: 'made there' });
    const program = [goal('a', { text: 'x' }, { importId: 'there' })];
    const result = await bed.up(program);
    expect(result.taken).toEqual(['import a']);
    expect(bed.service.changes('create', 'update')).toEqual([]);
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
