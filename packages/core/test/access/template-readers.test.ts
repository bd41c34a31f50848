import { expect, test } from '@jest/globals';
import { readersOf } from '../../src/access/edges/template-readers.ts';
import { emptyGraph } from '../../src/graph/graph.ts';

const policy = (name: string, read: string) => ({ name, text: `path "s/{{identity.${read}}}/*" {}` });
const graph = {
  ...emptyGraph(),
  policies: [
    policy('own', 'entity.metadata.team'),
    policy('other', 'entity.metadata.dept'),
    policy('alias', 'entity.aliases.auth_jwt_1.metadata.team'),
    policy('group', 'groups.names.g.metadata.team'),
  ],
};

test('an entity fills in what reads the key of its metadata, and not the metadata of an alias', () => {
  expect(readersOf(graph, { kind: 'entity', name: 'e' }, 'metadata.team')).toEqual(['own']);
});

test('a group fills in what reads the key by its name', () => {
  expect(readersOf(graph, { kind: 'group', name: 'g' }, 'metadata.team')).toEqual(['group']);
  expect(readersOf(graph, { kind: 'group', name: 'h' }, 'metadata.team')).toEqual([]);
});
