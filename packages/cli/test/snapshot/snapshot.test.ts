import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { emptyGraph } from '../../../core/src/graph/graph.ts';
import { snapshotOf } from '../../../core/src/review/snapshot.ts';
import { snapshotService } from '../../src/snapshot/snapshot.ts';

const at = '2026-11-23T12:00:00Z';
const file = join(temporaryFolder(), 'one.snapshot');
const graph = { ...emptyGraph(), complete: [{ list: 'policies' as const }] };
const live = { graph, ids: { mount: {}, group: {}, entity: {} }, missing: [] };
writeFileSync(file, snapshotOf(live, { at, server: 'https://s.example', namespace: '' }).text);

test.each<[string, number, string | undefined]>([
  ['as it was made', 0, undefined],
  ['just before its end', 3599, undefined],
  ['by a clock a little behind', -300, undefined],
  ['an hour later', 3600, 'the snapshot is older than 1h'],
  ['from ahead, which would never be old', -301, 'the snapshot is dated ahead'],
])('a snapshot that is read %s', async (_, seconds, stale) => {
  const now = Date.parse(at) + seconds * 1000;
  const service = await snapshotService(file, { maxAge: 3600, now });
  expect(service.missing).toEqual(stale === undefined ? [] : [expect.stringContaining(stale)]);
  expect(service.graph.complete).toEqual(stale === undefined ? graph.complete : []);
});
