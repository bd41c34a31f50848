import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readPeople } from '../../../embedded/identity/people.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-people-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(content: string) {
  const file = join(folder, 'people.yaml');
  await writeFile(file, content);
  return readPeople(file);
}

test('people are read from YAML, with no groups and no claims unless they are given', async () => {
  expect(await read('- { username: ada, email: ada@example.com, name: Ada }')).toEqual([
    { username: 'ada', email: 'ada@example.com', name: 'Ada', groups: [], claims: {} },
  ]);
});

test('people are read from JSON', async () => {
  const ada = { username: 'ada', email: 'ada@example.com', name: 'Ada', groups: ['admins'], claims: {} };
  expect(await read(JSON.stringify([ada]))).toEqual([ada]);
});

test.each([
  ['no list', 'username: ada', '(the file): '],
  ['a missing field', '- { username: ada, name: Ada }', '0.email: '],
  ['an unknown field', '- { username: ada, email: ada@example.com, name: Ada, age: 36 }', '0: '],
  [
    'claims at an unknown kind',
    '- { username: ada, email: ada@example.com, name: Ada, claims: { ldap: {} } }',
    '0.claims',
  ],
  [
    'one username twice',
    '[{ username: ada, email: a@example.com, name: A }, { username: ada, email: b@example.com, name: B }]',
    '1.username: ada is declared twice',
  ],
])('%s is refused by its place', async (_, content, place) => {
  await expect(read(content)).rejects.toMatchObject({
    code: 'people_invalid',
    parts: { given: expect.stringContaining(place) },
  });
});

test('text that is no YAML is refused', async () => {
  await expect(read('[')).rejects.toMatchObject({ code: 'people_invalid' });
});

test('a file that is not there is refused', async () => {
  await expect(readPeople(join(folder, 'nowhere.yaml'))).rejects.toMatchObject({ code: 'people_invalid' });
});
