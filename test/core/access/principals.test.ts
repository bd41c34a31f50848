import { expect, test } from '@jest/globals';
import { principalsOf } from '../../../core/access/principals.ts';
import type { Holder } from '../../../core/model/graph.ts';
import { randomFrom } from '../../harness/random-policies.ts';
import { graphOf } from '../review/graphs.ts';

const rounds = Number(process.env['ROUNDS'] ?? 1_000);
const seed = Number(process.env['SEED'] ?? 20_261_122);

test(`groups in groups, in circles too, give what a plain closure says, seed ${seed}`, () => {
  const next = randomFrom(seed);
  for (let round = 0; round < rounds; round++) {
    const size = 2 + next(8);
    const named = () => ({ kind: 'group' as const, name: `${next(2) === 0 ? 'g' : 'G'}${next(size)}` });
    const holders: Holder[] = Array.from({ length: size + next(4) }, (_, at) => ({
      ...named(),
      policies: next(3) === 0 ? [] : [`p${at}`],
      members: Array.from({ length: next(4) }, named),
    }));
    const groups = next(2) === 0 ? [] : [{ name: 'g0', policies: ['external'] }];
    const graph = graphOf({ groups, holders });
    const { identities } = principalsOf({ before: graph, after: graph });
    const policiesOf = (name: string) =>
      identities.find((one) => one.name.toLowerCase() === name)?.after ?? [];
    for (let at = 0; at < size; at++) {
      const reached = new Set([`g${at}`]);
      // As many rounds as there are groups are enough.
      for (let step = 0; step < size; step++) {
        for (const { name, members = [] } of holders) {
          if (members.some((member) => reached.has(member.name.toLowerCase())))
            reached.add(name.toLowerCase());
        }
      }
      const expected = [...holders, ...groups].flatMap(({ name, policies }) =>
        reached.has(name.toLowerCase()) ? policies : [],
      );
      expect({ round, at, policies: policiesOf(`g${at}`) }).toEqual({
        ...{ round, at },
        policies: expected.sort(),
      });
    }
  }
});
