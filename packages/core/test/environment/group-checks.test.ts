import { expect, test } from '@jest/globals';
import { givenEnvironment, givenProvider, problemsOf } from './environment-fixture.ts';

const problems = (groups: object[]) =>
  problemsOf(
    givenEnvironment([givenProvider('source_hosting', { groups: [{ name: 'Admins', alias: 'admins' }] })], {
      groups,
    }),
  );

test('groups of groups may hold groups of providers and one another, in any case and order', () => {
  expect(
    problems([
      { name: 'all', members: ['Inner', 'admins'] },
      { name: 'inner', members: ['ADMINS'] },
    ]),
  ).toEqual([]);
});

const refused: Record<string, object[]> = {
  'gatehouse:groups[0].members[0]: no group is named "admin"; did you mean `Admins`?': [
    { name: 'all', members: ['admin'] },
  ],
  'gatehouse:groups[0].members[1]: the group "admins" is named twice': [
    { name: 'all', members: ['Admins', 'admins'] },
  ],
  'gatehouse:groups[0].members[0]: the group "All" holds "all" itself: groups in a circle': [
    { name: 'all', members: ['All'] },
  ],
  [`gatehouse:groups[0].members[0]: the group "two" holds "one" itself: groups in a circle\ngatehouse:groups[1].members[0]: the group "three" holds "two" itself: groups in a circle\ngatehouse:groups[2].members[1]: the group "one" holds "three" itself: groups in a circle`]:
    [
      { name: 'one', members: ['two'] },
      { name: 'two', members: ['three'] },
      { name: 'three', members: ['admins', 'one'] },
    ],
  [`gatehouse:groups[0].name: the group "admins" is declared twice; first at providers[0].groups[0].name\ngatehouse:groups[0].members[0]: the group "Admins" holds "admins" itself: groups in a circle`]:
    [{ name: 'admins', members: ['Admins'] }],
  'gatehouse:groups[0].members: name at least one group: only groups can be in it': [
    { name: 'all', members: [] },
  ],
};
test.each(Object.entries(refused))('refused: %s', (expected, groups) => {
  expect(problems(groups).join('\n')).toBe(expected);
});
