import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MemoryStorage } from '../../../../test/harness/memory-storage.ts';
import { entityPaths } from '../../src/identity/entity-paths.ts';
import { groupPaths } from '../../src/identity/group-paths.ts';
import { signInEntity } from '../../src/identity/sign-in-entity.ts';
import { methods, newMount } from '../../src/mounts/mount.ts';
import { pathCaller } from '../call-path.ts';

const now = 1_800_000_000_000_000_000n;
const name = fc.constantFrom('a', 'A', 'b', 'c/d', '');
/** Replaces an id with that of the n-th record created so far. */
const reference = fc.nat({ max: 5 });
const body = fc.record(
  {
    name: fc.oneof({ weight: 4, arbitrary: name }, fc.jsonValue()),
    type: fc.constantFrom('internal', 'external', 'other'),
    policies: fc.oneof(fc.constantFrom(['a'], 'b,c', [' Root ']), fc.jsonValue()),
    metadata: fc.oneof(fc.constant({ k: 'v' }), fc.jsonValue()),
    members: fc.array(reference, { maxLength: 3 }),
    entities: fc.array(reference, { maxLength: 3 }),
    group: reference,
  },
  { requiredKeys: [] },
);
const request = fc.record({
  operation: fc.constantFrom('update' as const, 'update' as const, 'delete' as const),
  kind: fc.constantFrom('group', 'group-alias', 'entity', 'sign-in'),
  at: fc.option(reference, { nil: undefined }),
  body,
});

test('whatever is asked, in whatever order, members and parents stay in step and nothing is left over', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 25 }), async (requests) => {
      const storage = new MemoryStorage();
      const config = { default_lease_ttl: 0, max_lease_ttl: 0, token_type: 'default-service' };
      const mount = newMount({ path: 'm', type: 'jwt', description: '', local: false, options: {}, config });
      const root = { storage, namespace: '' };
      methods.put(root, 'm', mount);
      const call = pathCaller([...groupPaths, ...entityPaths], { storage, now });
      const ids: Record<string, string[]> = { group: [], 'group-alias': [], entity: [] };
      const id = (kind: string, at: number) => ids[kind]?.[at] ?? 'nobody';

      for (const { operation, kind, at, body } of requests) {
        const { members, entities, group, ...rest } = body;
        if (kind === 'sign-in') {
          const groups = ['a', 'b'].slice(at ?? 0);
          const signedIn = { mountAccessor: mount.accessor, metadata: {}, name: 'a', groups };
          const { entityId } = signInEntity(root, now, signedIn);
          ids['entity']?.push(entityId);
          continue;
        }
        const path = at === undefined ? `identity/${kind}` : `identity/${kind}/id/${id(kind, at)}`;
        if (operation === 'delete' && at === undefined) continue;
        const before = storage.list('');
        const answer = await call(operation, path, {
          ...rest,
          ...(members === undefined ? {} : { member_group_ids: members.map((one) => id('group', one)) }),
          ...(entities === undefined ? {} : { member_entity_ids: entities.map((one) => id('entity', one)) }),
          ...(group === undefined ? {} : { canonical_id: id('group', group) }),
          mount_accessor: mount.accessor,
        });
        if (answer.status !== undefined) expect(storage.list('')).toEqual(before);
        // As real servers answer metadata that they do not keep.
        expect([undefined, 400, 500]).toContain(answer.status);
        if (typeof answer.data?.['id'] === 'string') ids[kind]?.push(answer.data['id']);
        if (typeof answer.data?.['canonical_id'] === 'string')
          ids['group']?.push(answer.data['canonical_id']);
      }

      await expectInStep(call);
      for (const kind of ['group', 'entity']) {
        for (const one of new Set(ids[kind])) await call('delete', `identity/${kind}/id/${one}`);
      }
      expect(storage.list('|identity')).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

/** Every membership reads the same from both ends, and every alias from its own path. */
async function expectInStep(call: ReturnType<typeof pathCaller>): Promise<void> {
  const all = async (kind: string) => {
    const ids = ((await call('list', `identity/${kind}/id`)).data?.['keys'] ?? []) as string[];
    return await Promise.all(
      ids.map(async (id) => (await call('read', `identity/${kind}/id/${id}`)).data as any),
    );
  };
  const groups = await all('group');
  const entities = await all('entity');
  const pairs = (list: any[], field: string) =>
    list.flatMap((one) => (one[field] ?? []).map((other: string) => [one.id, other]));
  const flipped = (list: string[][]) => list.map(([one, other]) => [other, one]);
  expect(pairs(groups, 'member_group_ids').sort()).toEqual(flipped(pairs(groups, 'parent_group_ids')).sort());
  expect(pairs(groups, 'member_entity_ids').sort()).toEqual(
    flipped(pairs(entities, 'direct_group_ids')).sort(),
  );
  const aliases = (await all('group-alias')).map(({ id, canonical_id }) => [id, canonical_id]);
  const ofGroups = groups.filter(({ alias }) => alias.id).map(({ id, alias }) => [alias.id, id]);
  expect(aliases.sort()).toEqual(ofGroups.sort());
}
