import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Verdicts } from './decision.ts';
import type { Question } from './questions.ts';

/** A mistake that the decision could have: a text of a file, and what stands there instead. */
export interface Fault {
  name: string;
  file: string;
  from: string;
  to: string;
}

/**
 * One for each thing that the decision has to get right. Which words of many patterns are looked at, path-classes.test.ts compares with
 * every path: questions have too few patterns for that.
 */
export const faults: Fault[] = [
  {
    name: 'a rule that goes uncovers nothing of the rest',
    file: 'access/any-rest.ts',
    from: 'if (before.rank < after.rank) return gone;',
    to: "if (before.rank < after.rank) return gone === 'denial' ? gone : undefined;",
  },
  {
    name: 'a rule that comes undoes no denial of the rest',
    file: 'access/any-rest.ts',
    from: 'had === undefined ? has.length > 0 :',
    to: 'had === undefined ? false :',
  },
  {
    name: 'two groups are never held together',
    file: 'access/decide.ts',
    from: 'let other = index + 1; other',
    to: 'let other = groups.length; other',
  },
  {
    name: 'limits of a rule do not matter',
    file: 'access/match-change.ts',
    from: 'loosened(from.rule, to.rule, ',
    to: 'loosened(to.rule, to.rule, ',
  },
  {
    name: 'of one pattern, the first policy decides alone',
    file: 'access/first-match.ts',
    from: 'if (part.rank > found.rank) continue;',
    to: 'if (part.rank >= found.rank && found.rule !== undefined) continue;',
  },
  {
    name: 'parameters that were required are not looked at',
    file: 'access/limits.ts',
    from: "if (needsLess(before, after)) return 'required_parameters';",
    to: '',
  },
  {
    name: 'broader patterns are not near a changed one',
    file: 'access/rule-book.ts',
    from: 'one.startsWith(start) || start.startsWith(one)',
    to: 'start.startsWith(one)',
  },
  {
    name: 'no path is only like the beginning of a word',
    file: 'access/path-classes.ts',
    from: "for (const beginning of beginnings.add('')) {",
    to: "for (const beginning of ['']) {",
  },
  {
    name: 'what matches everything below leaves nothing else to look at',
    file: 'access/covered-patterns.ts',
    from: ' || below.first <= prefix',
    to: '',
  },
  {
    name: 'a denial is lost where rules are united',
    file: 'graph/policies/acl.ts',
    from: "return { path: rule.path, capabilities: new Set(['deny']), expires };",
    to: 'return { ...known, expires };',
  },
  {
    name: 'of two patterns, the one with a star at its end may come first',
    file: 'graph/policies/acl.ts',
    from: 'Number(a.isPrefix) - Number(b.isPrefix) ||',
    to: '',
  },
];

/** @throws Error for a fault whose text is not in its file, or more than once */
export async function planted({ file, from, to }: Fault): Promise<string> {
  const [start, end, ...rest] = (await readFile(join(root, 'packages/core/src', file), 'utf8')).split(from);
  if (end === undefined || rest.length > 0)
    throw new Error(`${file} has ${end === undefined ? 'no' : 'more than one'} ${from}`);
  return `${start}${to}${end}`;
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Answers questions as they come, one a line. */
const program = `
import { createInterface } from 'node:readline';
import { decisionOn } from './test/prover/decision.ts';
for await (const line of createInterface(process.stdin)) console.log(JSON.stringify(decisionOn(JSON.parse(line))));
`;

/** A copy of the project's decision, with a fault or none. The tree itself stays as it is. */
export class FaultyDecision {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws Error for a fault whose text is not in its file, or more than once */
  static async with(fault: Fault | undefined): Promise<FaultyDecision> {
    const folder = await mkdtemp(join(tmpdir(), 'fault-'));
    await cp(join(root, 'packages/core/src'), join(folder, 'src'), { recursive: true });
    await mkdir(join(folder, 'test/prover'), { recursive: true });
    await cp(join(import.meta.dirname, 'decision.ts'), join(folder, 'test/prover/decision.ts'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'answer.mjs'), program);
    if (fault !== undefined) await writeFile(join(folder, 'src', fault.file), await planted(fault));
    return new FaultyDecision(folder);
  }

  async answer(questions: readonly Question[]): Promise<Verdicts[]> {
    const node = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'answer.mjs'], {
      cwd: this.#folder,
      env: { PATH: process.env['PATH'] },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = once(node, 'close');
    node.stdin.end(questions.map((question) => `${JSON.stringify(question)}\n`).join(''));
    const answers: Verdicts[] = [];
    for await (const line of createInterface(node.stdout)) answers.push(JSON.parse(line) as Verdicts);
    await ended;
    if (answers.length !== questions.length) throw new Error('The copy ended before its last answer.');
    return answers;
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
