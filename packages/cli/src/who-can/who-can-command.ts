import { resolve } from 'node:path';
import type { WhoCanReport } from '@gatehouse/core/review';
import { capabilities, GatehouseError, readAskedPath } from '@gatehouse/core/values';
import { Argument, InvalidArgumentError, Option } from 'commander';
import type { GraphSource } from '../open/open-graph.ts';
import { type OpenedStack, resultsOf } from '../open/stack-outcomes.ts';
import {
  type AddCommand,
  type CommandContext,
  type EngineOptions,
  type GatehouseCommand,
  limitsOf,
  type NamespaceOptions,
  print,
  type ReadingOptions,
  type SeveralOptions,
  type StackOptions,
  withProgress,
} from '../terminal/command.ts';
import { areSeveral, ofEachStack, ofStacks, refuseForSeveral } from '../terminal/each-stack.ts';
import type { Progress } from '../terminal/progress.ts';
import { ExitCode, readInput, type Terminal } from '../terminal/terminal.ts';

interface SourceOptions extends StackOptions, EngineOptions, ReadingOptions, NamespaceOptions {
  plan?: string;
  live?: boolean;
}

interface AccessOptions extends SourceOptions {
  role?: string;
  approle?: string;
  entity?: string;
  group?: string;
  accessor?: string;
  format: 'terminal' | 'markdown' | 'hcl';
  method?: string;
  claims?: string;
}

export const addWhoCan: AddCommand = (program, context) => {
  const command = program
    .add('who-can', 'list everyone who can do something at a path, and through which grant', [
      "gatehouse who-can update 'secret/data/prod/*' -s prod",
      'gatehouse who-can read secret/data/shop/db -s prod --live',
      "gatehouse who-can read 'secret/data/prod/*' -s 'prod-*' --live",
      'terraform show -json tfplan | gatehouse who-can delete secret/data/prod/db --plan -',
    ])
    .addArgument(new Argument('<capability>', 'what they can do').choices(capabilities))
    .argument('<path>', 'a path, or a pattern: + for a segment, * at the end', parsePath);
  withSource(command)
    .withSeveral()
    .note(
      'Exit code 0: someone can. 2: no one can. 1: it cannot be decided. A pattern asks for at least one of its paths.',
    )
    .action((capability: string, path: string, options: SourceOptions & SeveralOptions) =>
      askWho({ capability, path }, options, context),
    );
};

async function askWho(
  question: { capability: string; path: string },
  options: SourceOptions & SeveralOptions,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context;
  const { report, json, unread } = await answerOf(question, options, context);
  const { whoCanText } = await import('./reach-text.ts');
  print(terminal, options, json, (style) => whoCanText(report, style));
  terminal.exitCode = unread > 0 ? ExitCode.error : exitCodes[report.answer];
}

/** An answer, as `--json` prints it, and how many stacks it leaves out because they could not be read. */
interface WhoCanAnswer {
  report: WhoCanReport;
  json: object;
  unread: number;
}

/** Asks a plan, or each stack of the command. */
async function answerOf(
  question: { capability: string; path: string },
  options: SourceOptions & SeveralOptions,
  context: CommandContext,
): Promise<WhoCanAnswer> {
  const { terminal } = context;
  const { plan, live = false } = options;
  refuseForSeveral(options, ['--plan']);
  const { whoCan } = await import('./who-can.ts');
  if (plan !== undefined) {
    const report = await whoCan(question, planSource(plan, terminal), now());
    return { report, json: report, unread: 0 };
  }
  const how = { doing: 'Asking', needsToken: live };
  const outcomes = await ofEachStack(options, terminal, how, async (opened, progress) =>
    whoCan(question, await stackSource(opened, options, context, progress), now()),
  );
  const [report] = resultsOf(outcomes);
  if (report !== undefined && !areSeveral(options)) return { report, json: report, unread: 0 };
  const { whoCanInStacks } = await import('./who-can-in-stacks.ts');
  const answer = whoCanInStacks(outcomes, { ...question, source: live ? 'live' : 'declared' });
  return { ...answer, json: ofStacks(outcomes, (stackReport) => stackReport) };
}

const exitCodes = { yes: ExitCode.ok, no: ExitCode.no, unknown: ExitCode.error };

export const addAccess: AddCommand = (program, context) => {
  const command = program
    .add('access', 'list everything that principals reach', [
      'gatehouse access -s prod --role web',
      'gatehouse access -s prod --role reader --method staff --claims claims.json',
      'gatehouse access -s prod --approle deploy --live --format hcl',
    ])
    .option('--role <name>', 'a role; of other auth methods a user, group or team as well')
    .option('--approle <name>', 'an AppRole')
    .option('--entity <name>', 'an entity')
    .option('--group <name>', 'a group')
    .option('--accessor <accessor>', 'a token, by its accessor; with --live')
    .choice('--format <name>', 'format of the answer', ['terminal', 'markdown', 'hcl'], 'terminal')
    .option('--method <path>', 'path of the auth method, if several have a role of this name')
    .option('--claims <file>', 'file with claims, as JSON, whose groups count, - for standard input');
  withSource(command)
    .note('Exit code 2: the claims do not sign in, or nothing is reached. 1: it cannot be decided.')
    .action((options: AccessOptions) => askAccess(options, context));
};

async function askAccess(options: AccessOptions, context: CommandContext): Promise<void> {
  const { terminal } = context;
  const { role, approle, entity, group, accessor, method, format } = options;
  const principal = { role, approle, entity, group, accessor };
  if (Object.values(principal).filter((name) => name !== undefined).length !== 1) {
    throw new GatehouseError('option_missing.who_can');
  }
  const [{ accessOf }, { readPresented }, { accessHcl, accessMarkdown, accessText }] = await Promise.all([
    import('./who-can.ts'),
    import('../explain/explain-token.ts'),
    import('./reach-text.ts'),
  ]);
  const presented = options.claims && readPresented({ claims: await readInput(options.claims, terminal) });
  const claims = presented && 'claims' in presented ? presented.claims : undefined;
  const answer = await withProgress(terminal, async (progress) =>
    accessOf({ ...principal, method, claims, now: now() }, await sourceOf(options, context, progress)),
  );
  if (format === 'terminal' || options.json) {
    print(terminal, options, answer, (...layout) => accessText(answer, ...layout));
  } else terminal.stdout.write({ hcl: accessHcl, markdown: accessMarkdown }[format](answer));
  const isOpen = answer.refused === undefined && answer.unread.length + answer.missing.length > 0;
  terminal.exitCode = answer.rows.length > 0 ? ExitCode.ok : isOpen ? ExitCode.error : ExitCode.no;
}

function withSource(command: GatehouseCommand): GatehouseCommand {
  return command
    .withStack()
    .withEngine()
    .withReading()
    .withNamespace()
    .addOption(
      new Option(
        '--plan <file>',
        'what a plan as JSON leads to, - for standard input (default: what the stack declares)',
      ).conflicts('live'),
    )
    .option('--live', 'what the service of the stack holds');
}

function planSource(plan: string, { cwd, stdin }: Terminal): GraphSource {
  return { from: 'plan', path: plan === '-' ? '-' : resolve(cwd, plan), stdin };
}

async function stackSource(
  { stack, env }: OpenedStack,
  options: SourceOptions,
  { openEngine }: CommandContext,
  { onRead }: Progress,
): Promise<GraphSource> {
  const { openMade } = await import('../open/open-state.ts');
  const fromState = await openMade(stack, env, openEngine, options);
  return {
    from: options.live ? 'live' : fromState === undefined ? 'declared' : 'state',
    stack: { ...stack, namespace: options.namespace },
    env,
    limits: { ...limitsOf(options), onRead },
    fromState,
  };
}

/** What a command for one stack asks. */
async function sourceOf(
  options: SourceOptions,
  context: CommandContext,
  progress: Progress,
): Promise<GraphSource> {
  const { plan, live, cwd, stack: name } = options;
  const { terminal } = context;
  const { env } = terminal;
  if (plan !== undefined) return planSource(plan, terminal);
  const [{ openStack }, { withServiceToken }] = await Promise.all([
    import('../open/open-stack.ts'),
    import('../open/service-token.ts'),
  ]);
  const stack = await openStack(cwd, name, env);
  const opened = { stack, env: live ? await withServiceToken(stack, env) : env };
  return stackSource(opened, options, context, progress);
}

function parsePath(text: string): string {
  const { path, problem } = readAskedPath(text);
  if (problem !== undefined) throw new InvalidArgumentError(problem);
  return path;
}

const now = () => BigInt(Date.now()) * 1_000_000n;
