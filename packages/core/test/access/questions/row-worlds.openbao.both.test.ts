import { expect, test } from '@jest/globals';
import { someOf } from '../../../../../test/harness/long-run.ts';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import type { EdgeRow } from '../../../src/access/edges/edge.ts';
import { edges } from '../../../src/access/edges/edges.ts';
import { outcomeOf } from './split-worlds/outcomes.ts';
import { rowWorld, rowWorlds } from './split-worlds/rows.ts';
import { Requests } from './split-worlds/service.ts';

const composed = 'packages/core/test/access/questions/split-worlds.long.test.ts';
const guarded = 'packages/core/test/access/names-and-guards.long.test.ts';
const limited = 'packages/core/test/access/token-limits.long.test.ts';
const issued = 'packages/cli/test/whole-service.openbao.test.ts';
const chained = 'packages/core/test/access/questions/chains.openbao.test.ts';
const documented = 'it is as the API documents of Vault say: OpenBao has no such field, or asks a directory';

/** Rows whose worlds are elsewhere, and where. */
const elsewhere: Record<string, string> = {
  ...rowsOfKind('role', composed, 'tokenNoDefaultPolicy', 'method', 'boundClaims'),
  ...rowsOfKind('method', composed, 'entityAliases'),
  ...rowsOfKind('groupAliases', composed, 'aliases'),
  ...rowsOfKind('group', composed, 'id', 'name', 'policies', 'members'),
  ...rowsOfKind('entity', composed, 'name', 'metadata', 'aliases'),
  ...rowsOfKind('otherRole', composed, 'tokenNoDefaultPolicy', 'method'),
  ...rowsOfKind('role', limited, 'tokenLimits'),
  ...rowsOfKind('otherRole', limited, 'tokenLimits'),
  ...rowsOfKind('guard', guarded, 'groups'),
  ...rowsOfKind('other', guarded, 'metadata'),
  ...rowsOfKind('issuedTokens', issued, 'policies', 'entity', 'method'),
  ...rowsOfKind('other', issued, 'policies'),
  ...rowsOfKind('keptCredential', chained, 'signsInBy'),
  ...rowsOfKind('guard', composed, 'entities', 'methods', 'types'),
  ...rowsOfKind('method', documented, 'type', 'otherAliases'),
  ...rowsOfKind('otherAlias', documented, 'group'),
  ...rowsOfKind('otherRole', documented, 'metadata'),
  ...rowsOfKind('otherMethod', documented, 'metadata'),
};

function rowsOfKind(kind: string, where: string, ...attributes: string[]): Record<string, string> {
  return Object.fromEntries(attributes.map((attribute) => [`${kind} ${attribute}`, where]));
}

test('every row of the table of edges has a world, or says where else, or has a line of a server', () => {
  const rows = Object.entries(edges).flatMap(([kind, list]: [string, EdgeRow<never>[]]) =>
    list.flatMap(({ attribute, source }) => (source === undefined ? `${kind} ${attribute}` : [])),
  );
  const known = [...Object.keys(rowWorlds), ...Object.keys(elsewhere)];
  expect(rows.filter((row) => !known.includes(row))).toEqual([]);
  const all = Object.entries(edges).flatMap(([kind, list]: [string, EdgeRow<never>[]]) =>
    list.map(({ attribute }) => `${kind} ${attribute}`),
  );
  expect(known.filter((row) => !all.includes(row))).toEqual([]);
});

describeWithOpenBao('a world of each row of the table of edges', (openbao) => {
  const numbered = Object.keys(rowWorlds).map((row, number) => [row, number] as const);

  test.each(someOf(4, numbered))(
    '%s: a person gains, and the review says so, by the plan alone and on the whole service',
    async (row, number) => {
      const requests = new Requests(openbao(), 16);
      try {
        const { world, change } = rowWorld(row, number * 8);
        const outcome = await outcomeOf(requests, world, change);
        expect(outcome?.gained).not.toEqual([]);
        expect([outcome?.plan.gains, outcome?.live.gains]).not.toContain('none');
      } finally {
        await requests.close();
      }
    },
    60_000,
  );
});
