import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MemoryStorage } from '../../../../test/harness/memory-storage.ts';
import { parseInstant } from '../../../core/src/graph/values/instant.ts';
import { messagePaths } from '../../src/messages/message-paths.ts';
import { pathCaller } from '../call-path.ts';

const path = 'sys/config/ui/custom-messages';
const now = parseInstant('2026-06-01T12:00:00Z')!;

/** A valid value, or any other. */
const mostly = (...right: unknown[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...right) }, fc.jsonValue());
const body = fc.record(
  {
    title: mostly('a'),
    message: mostly('YQ==', ''),
    start_time: mostly('2026-01-01T00:00:00Z', '2027-01-01T00:00:00.000000001+01:00'),
    end_time: mostly(null, '2026-12-31T23:59:59Z'),
    authenticated: mostly(true, false),
    type: mostly('banner', 'modal'),
    link: mostly({ a: 'https://a.example' }, {}, null),
    options: mostly({}, { a: { b: [1] } }, null),
  },
  { requiredKeys: [] },
);

test('whatever is sent is stored whole or refused with 400, and what is stored can be read', async () => {
  await fc.assert(
    fc.asyncProperty(body, body, async (first, second) => {
      const storage = new MemoryStorage();
      const call = pathCaller(messagePaths, { storage, now });
      const created = await call('update', path, first);
      if (created.status !== undefined) {
        expect(created.status).toBe(400);
        expect(storage.list('')).toEqual([]);
        return;
      }
      const id = String(created.data?.['id']);
      const before = (await call('read', `${path}/${id}`)).data;
      const updated = await call('update', `${path}/${id}`, second);
      const after = (await call('read', `${path}/${id}`)).data;
      if (updated.status === undefined) expect(after).toMatchObject(updated.data ?? {});
      else expect([updated.status, after]).toEqual([400, before]);
      expect((await call('list', path)).data?.['keys']).toEqual([id]);
    }),
  );
});
