import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FaultyDecision, faults } from './faults.ts';
import { type Answer, prove, solver } from './prover.ts';
import { type Question, question } from './questions.ts';
import { failures, relation } from './relation.ts';

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_126);
/** Within which each fault is found. */
const most = 2_000;
const batch = 50;

const describeWithZ3 = solver === undefined ? describe.skip : describe;

describeWithZ3(`planted faults, seed ${seed}`, () => {
  const proofs: { asked: Question[]; proved: Answer[] }[] = [];
  let correct: FaultyDecision;

  /** Questions and their proofs, which all faults share. */
  const proofsOf = async (at: number) => {
    const asked = Array.from({ length: batch }, (_, index) => question(seed + at * batch + index));
    proofs[at] ??= { asked, proved: await prove(asked) };
    return proofs[at];
  };

  /** Ids of the questions of which the decision and the proof disagree. */
  const disagreements = async (decision: FaultyDecision, at: number): Promise<number[]> => {
    const { asked, proved } = await proofsOf(at);
    const answers = await decision.answer(asked);
    return proved.flatMap(({ id, ...proof }, index) =>
      (['gains', 'losses'] as const).some((which) =>
        failures.has(relation(answers[index]?.[which] ?? 'unknown', proof[which])),
      )
        ? [id]
        : [],
    );
  };

  beforeAll(async () => {
    correct = await FaultyDecision.with(undefined);
  });
  afterAll(() => correct.remove());

  test.each(faults)(
    '$file: $name',
    async (fault) => {
      const faulty = await FaultyDecision.with(fault);
      try {
        let found: number | undefined;
        for (let at = 0; found === undefined && at * batch < most; at++)
          [found] = await disagreements(faulty, at);
        expect(found).toBeDefined();
        console.info(`${fault.name}: found by question ${(found ?? 0) - seed + 1}`);
      } finally {
        await faulty.remove();
      }
    },
    3_600_000,
  );

  test('without a fault, no question is one of disagreement', async () => {
    for (const at of proofs.keys()) expect(await disagreements(correct, at)).toEqual([]);
  }, 3_600_000);
});
