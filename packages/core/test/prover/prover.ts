import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pythonPackage } from '../../../../test/harness/python-package.ts';
import type { Question } from './questions.ts';

/** Where Z3 is; undefined where it could not be fetched. */
export const solver = await pythonPackage('z3-solver');

const program = fileURLToPath(new URL('./prover.py', import.meta.url));

/** A request that is allowed on one side and refused on the other, and who asks it. */
export interface Witness {
  /** A LIST has its slash. */
  path: string;
  operation: string;
  parameters: Record<string, unknown>;
  /** Nanoseconds; null where no wrapping is asked for. */
  wrap: number | null;
  /** Of these groups, by index. */
  groups: number[];
  /** Policies that the token holds in addition. */
  rest?: string[];
}

/** `some?` is a witness that asking it does not confirm. */
export type Proof = 'none' | 'some' | 'some?' | 'timeout';

export interface Answer {
  id: number;
  gains: Proof;
  losses: Proof;
  witness?: { gains?: Witness; losses?: Witness };
  ms: number;
}

/** The prover's answers, in the order of the questions. */
export async function prove(questions: readonly Question[]): Promise<Answer[]> {
  const python = start([]);
  const ended = once(python, 'close');
  python.stdin.end(questions.map((question) => `${JSON.stringify(question)}\n`).join(''));
  const answers: Answer[] = [];
  for await (const line of createInterface(python.stdout)) {
    const answer = JSON.parse(line) as Answer & { error?: string };
    if (answer.error !== undefined) throw new Error(`Question ${answer.id}: ${answer.error}`);
    answers.push(answer);
  }
  await ended;
  if (answers.length !== questions.length) throw new Error('The prover ended before its last answer.');
  return answers;
}

/** What the prover's test of itself prints: a line of counts, and its failures. */
export async function selfTest(): Promise<{ status: number | null; printed: string }> {
  const python = start(['--self-test']);
  let printed = '';
  python.stdout.on('data', (data: Buffer) => {
    printed += data.toString();
  });
  const [status] = (await once(python, 'close')) as [number | null];
  return { status, printed };
}

function start(args: string[]) {
  return spawn('python3', [program, ...args], {
    env: { PATH: process.env['PATH'], PYTHONPATH: solver, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}
