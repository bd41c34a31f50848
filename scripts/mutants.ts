// `npm run mutants`: changes the core in one place at a time, and lists the changes that no quick test notices. Sources stay as
// they are: a process of tests gets the changed text of one file.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Node } from 'typescript';

/** One change of one place in a source. */
interface Mutation {
  file: string;
  line: number;
  /** The characters that it replaces. */
  start: number;
  end: number;
  text: string;
  /** It leaves out a row of the table of edges. Defaults to false. */
  isRow?: true;
}

const usage = `npm run mutants -- [PATH…] [--sample NUMBER] [--seed SEED]
  PATH: files or folders. Default: those that a weekly run asks about, and all rows of the table of edges.
  --sample: so many, by chance (20). --seed repeats a sample.
  Exit status 1: more than a quarter of a sample, or a row of the table, is noticed by no test.`;

const weeklyPaths = [
  'packages/core/src/access/sign-in',
  'packages/core/src/login',
  'packages/core/src/graph/policies',
  'packages/core/src/graph/values/address-range.ts',
  'packages/core/src/graph/values/go.ts',
];
const table = 'packages/core/src/access/edges';
/** Part of a sample that may stay unnoticed: some changes change nothing. */
const mostUnnoticed = 0.25;
/** Milliseconds of one process of tests, against loops without an end. */
const patience = 180_000;
/** The environment variable with the mutation, for the process of tests. */
const variable = 'GATEHOUSE_MUTATION';

const mutation: Mutation | undefined = JSON.parse(process.env[variable] ?? 'null') ?? undefined;
if (mutation !== undefined) {
  const url = pathToFileURL(mutation.file).href;
  registerHooks({
    load: (requested, context, next) =>
      requested === url
        ? { format: 'module-typescript', source: mutatedText(mutation), shortCircuit: true }
        : next(requested, context),
  });
} else if (import.meta.main) await run();

function mutatedText({ file, start, end, text }: Mutation): string {
  const source = readFileSync(file, 'utf8');
  return source.slice(0, start) + text + source.slice(end);
}

async function run(): Promise<void> {
  const { values, positionals: paths } = parseArgs({
    allowPositionals: true,
    options: {
      sample: { type: 'string', default: '20' },
      seed: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const { sample, seed = Date.now() % 100_000 } = values;
  if (values.help || !(Number(sample) > 0) || Number.isNaN(Number(seed))) {
    console.error(usage);
    process.exitCode = values.help ? 0 : 1;
    return;
  }
  console.log(`--seed ${seed}`);
  const all = await Promise.all(sourcesOf(paths.length > 0 ? paths : weeklyPaths).map(mutationsOf));
  const chosen = sampleOf(all.flat(), Number(sample), Number(seed));
  const ofTable = paths.length > 0 ? [] : await Promise.all(sourcesOf([table]).map(mutationsOf));
  const rows = ofTable.flat().filter(({ isRow }) => isRow);
  const unnoticed = await unnoticedOf(chosen);
  const unnoticedRows = await unnoticedOf(rows);
  console.log(`${chosen.length - unnoticed.length} of ${chosen.length} changes are noticed.`);
  if (rows.length > 0)
    console.log(`${rows.length - unnoticedRows.length} of ${rows.length} rows are noticed.`);
  const isWrong = unnoticed.length > chosen.length * mostUnnoticed || unnoticedRows.length > 0;
  process.exitCode = isWrong ? 1 : 0;
}

function sourcesOf(paths: readonly string[]): string[] {
  return paths.flatMap((path) => (statSync(path).isFile() ? path : globSync(`${path}/**/*.ts`).toSorted()));
}

/** All changes of a source; each is of its text, with types. */
async function mutationsOf(file: string): Promise<Mutation[]> {
  const { default: ts } = await import('typescript');
  const { SyntaxKind } = ts;
  const opposites = new Map<number, string>([
    [SyntaxKind.EqualsEqualsEqualsToken, '!=='],
    [SyntaxKind.ExclamationEqualsEqualsToken, '==='],
    [SyntaxKind.LessThanToken, '<='],
    [SyntaxKind.LessThanEqualsToken, '<'],
    [SyntaxKind.GreaterThanToken, '>='],
    [SyntaxKind.GreaterThanEqualsToken, '>'],
    // Mixed with `??`, or with each other, they would need parentheses: the operands get some.
    [SyntaxKind.AmpersandAmpersandToken, ') || ('],
    [SyntaxKind.BarBarToken, ') && ('],
  ]);
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const mutations: Mutation[] = [];
  const replace = ({ start, end }: { start: number; end: number }, text: string, isRow = false) => {
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    mutations.push({ file, line, start, end, text, ...(isRow && { isRow }) });
  };
  const rangeOf = (node: Node) => ({ start: node.getStart(), end: node.end });
  const visit = (node: Node): void => {
    // Errors are for people, and types are gone at run time.
    if (ts.isThrowStatement(node) || ts.isTypeNode(node) || ts.isInterfaceDeclaration(node)) return;
    const other = ts.isBinaryExpression(node) ? opposites.get(node.operatorToken.kind) : undefined;
    if (ts.isBinaryExpression(node) && other !== undefined) {
      const left = node.left.getText();
      const right = node.right.getText();
      replace(
        rangeOf(node),
        other.startsWith(')') ? `((${left}${other}${right}))` : `${left} ${other} ${right}`,
      );
    }
    if (node.kind === SyntaxKind.TrueKeyword) replace(rangeOf(node), 'false');
    if (node.kind === SyntaxKind.FalseKeyword) replace(rangeOf(node), 'true');
    if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition;
      for (const forced of ['true', 'false']) replace(rangeOf(condition), forced);
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) {
      replace(rangeOf(node), node.operand.getText());
    }
    if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) replace(rangeOf(node), ';');
    if (ts.isArrayLiteralExpression(node)) {
      const isTable = node.elements.length > 1 && node.elements.every(ts.isObjectLiteralExpression);
      for (const row of node.elements) {
        const isRow = isRowOfEdges(ts, row);
        const comma = source.text[row.end] === ',' ? 1 : 0;
        if (isTable || isRow) replace({ start: row.getStart(), end: row.end + comma }, '', isRow);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutations;
}

/** A row that is written in its list, or one that several lists have. */
function isRowOfEdges(ts: typeof import('typescript'), row: Node): boolean {
  if (ts.isIdentifier(row)) return row.text.endsWith('Row');
  return (
    ts.isObjectLiteralExpression(row) && row.properties.some(({ name }) => name?.getText() === 'attribute')
  );
}

/** A random choice, in the old order. */
function sampleOf(all: Mutation[], size: number, seed: number): Mutation[] {
  const rank = (at: number) => Math.imul((seed + 1) * 2_654_435_761 + at, 2_246_822_519);
  const chosen = new Set([...all.keys()].toSorted((a, b) => rank(a) - rank(b)).slice(0, size));
  return all.filter((_, at) => chosen.has(at));
}

/** The changes after which all tests near the file pass. Each is shown as it comes. */
async function unnoticedOf(mutations: readonly Mutation[]): Promise<Mutation[]> {
  const [{ touchedBy, withinBudget }, { sourcesBelow }, { readTimes }] = await Promise.all([
    import('./changed-tests.ts'),
    import('./import-graph.ts'),
    import('./test-times.ts'),
  ]);
  const quick = /(?<!\.(?:long|weekly|openbao))\.test\.ts$/;
  const tests = sourcesBelow('packages/core/test').filter((file) => quick.test(file));
  const seconds = readTimes(`${process.cwd()}/`);
  return mutations.filter((mutation) => {
    const near = withinBudget(touchedBy([mutation.file], tests), seconds);
    const { status } = spawnSync(
      process.execPath,
      ['node_modules/jest/bin/jest.js', '--runInBand', '--bail', '--runTestsByPath', ...near],
      {
        stdio: 'ignore',
        timeout: patience,
        env: {
          ...process.env,
          NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${pathToFileURL(fileURLToPath(import.meta.url)).href}`,
          [variable]: JSON.stringify(mutation),
        },
      },
    );
    const { file, line, start, end, text } = mutation;
    const before = readFileSync(file, 'utf8').slice(start, end).replace(/\s+/g, ' ');
    if (status === 0) console.log(`${file}:${line}: ${before} → ${text || '(nothing)'}`);
    return status === 0;
  });
}
