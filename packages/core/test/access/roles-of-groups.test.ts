import { expect, test } from '@jest/globals';
import type { AccessChange } from '../../src/access/access-change.ts';
import { decideAccess } from '../../src/access/questions/change.ts';
import { now } from '../review/graphs.ts';
import { change } from '../worlds.ts';

const rules = ['a/* read', 'a/x deny', 'a/x read', 'a/* update'];
const policies = rules.map((rule, at) => `policy p${at}: ${rule}`).join('\n');

/** All sets of at most two of these policies. */
const lists = rules
  .flatMap((_, first) => rules.flatMap((__, second) => (first < second ? [`p${first},p${second}`] : [])))
  .concat(
    rules.map((_, at) => `p${at}`),
    '-',
  );

/** What people of the group gain and lose by roles with these policies. */
function groupRows(roles: readonly string[], group: string): AccessChange[] {
  const ofRoles = roles.map((list, at) => `role r${at} ${list} groupsClaim: groups`).join('\n');
  const { changes } = decideAccess(
    change(`method ci\n ${policies}\n ${ofRoles}\n group g ${group}\n + alias g ci g`),
    now,
  );
  return changes.filter(({ principals }) => principals.kind === 'alias');
}

const pathsOf = (rows: readonly AccessChange[]) =>
  rows.flatMap(({ paths }) => paths.map(({ path, gained, lost }) => [path, gained, lost].join(' '))).sort();

test.each(['p0', 'p2,p3', 'p0,p1'])(
  'with policies %s any role gives a group what each gives it alone, and only then',
  (group) => {
    const alone = new Map(lists.map((list) => [list, pathsOf(groupRows([list], group))]));
    const answers = lists.flatMap((first) =>
      lists.map((second) => {
        const rows = groupRows([first, second], group);
        const isSame = `${alone.get(first)}` === `${alone.get(second)}` && alone.get(first)?.length !== 0;
        const isAny = rows.some(({ byRoles }) => byRoles === 'any');
        if (isAny) expect([first, second, pathsOf(rows)]).toEqual([first, second, alone.get(first)]);
        return { first, second, isAny, isSame };
      }),
    );
    expect(answers.filter(({ isAny, isSame }) => isAny && !isSame)).toEqual([]);
    // Roles with other rules that come to the same are named each.
    const named = answers.filter(({ first, second, isAny, isSame }) => isSame && !isAny && first === second);
    expect(named).toEqual([]);
    expect(answers.some(({ first, second, isAny }) => isAny && first !== second)).toBe(true);
  },
);
