import { describe, expect, test } from '@jest/globals';
import { decidesRest, decisionOn } from './decision.ts';
import { type Answer, prove, selfTest, solver } from './prover.ts';
import { type Question, question } from './questions.ts';
import { failures, relation } from './relation.ts';

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_123);
const count = Number(process.env['GATEHOUSE_QUESTIONS'] ?? 500);
/** Asked at once: answers are kept, so few of many questions stay in memory. */
const batch = 500;

const describeWithZ3 = solver === undefined ? describe.skip : describe;

describeWithZ3(`${count} random questions, seed ${seed}`, () => {
  test('get the answers that Z3 proves', async () => {
    const wrong: unknown[] = [];
    const counts = new Map<string, number>();
    const add = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
    let milliseconds = 0;
    for (let from = 0; from < count; from += batch) {
      const questions = Array.from({ length: Math.min(batch, count - from) }, (_, at) =>
        question(seed + from + at),
      );
      for (const [at, answer] of (await prove(questions)).entries()) {
        milliseconds += answer.ms;
        const asked = questions[at] as Question;
        for (const which of ['gains', 'losses'] as const) {
          const compared =
            asked.rest && !decidesRest
              ? 'no decision with a rest'
              : relation(decisionOn(asked)[which], answer[which]);
          add(compared);
          add(`proved ${answer[which]}`);
          if (failures.has(compared)) wrong.push(disagreement(asked, which, answer, compared));
        }
      }
    }
    console.info(
      `${count} questions, seed ${seed}: ${Math.round(milliseconds / count)} ms each`,
      Object.fromEntries(counts),
    );
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(counts.get('proved timeout') ?? 0).toBeLessThanOrEqual(count / 50);
  }, 86_400_000);

  test('are answered by a prover that agrees with requests asked one by one', async () => {
    const { status, printed } = await selfTest();
    expect({ status, printed }).toMatchObject({
      status: 0,
      printed: expect.stringContaining('"failures": 0'),
    });
  }, 600_000);
});

function disagreement(asked: Question, which: 'gains' | 'losses', answer: Answer, what: string) {
  const { id, before, after, rest } = asked;
  return { id, what, which, before, after, rest, witness: answer.witness?.[which] };
}
