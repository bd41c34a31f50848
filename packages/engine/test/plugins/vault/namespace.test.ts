import { expect, test } from '@jest/globals';
import { describeResource, testLifecycle, types } from './resource-session.ts';

describeResource(
  'Namespace (terraform-provider-vault vault/resource_namespace.go)',
  types.namespace,
  (bed) => {
    const namespace = bed.session;
    let count = 0;
    testLifecycle(bed, () => ({ path: `made${++count}`, customMetadata: { team: 'x' } }));

    test('its id is its whole path, and a namespace in it has it before its own name', async () => {
      const outer = await namespace().create({ path: 'outer' });
      const inner = await namespace().create({ path: 'inner', namespace: 'outer' });
      expect([outer.id, inner.id]).toEqual(['outer/', 'outer/inner/']);
      expect(inner.state).toMatchObject({ path: 'inner', pathFq: 'outer/inner' });
      await inner.delete();
      await outer.delete();
    });

    test('one that is there is not taken over', async () => {
      await bed.service.put('sys/namespaces/theirs', {});
      await expect(namespace().create({ path: 'theirs' })).rejects.toThrow(/already has this namespace/);
    });

    test('another name is another namespace', async () => {
      const created = await namespace().create({ path: 'renamed' });
      expect(await created.differences({ path: 'new' })).toMatchObject({
        path: expect.stringMatching(/replace/),
      });
    });

    test.each(['a/b', 'sys', 'a b'])('%j is no name', async (path) => {
      const { failures } = await namespace().check({ path });
      expect(failures).toHaveLength(1);
    });
  },
);
