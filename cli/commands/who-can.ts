import { resolve } from 'node:path';
import { Argument, InvalidArgumentError, Option } from 'commander';
import { capabilities } from '../../core/model/policies/capability.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { GraphSource } from '../../operations/open-graph.ts';
import type { Progress } from '../rendering/progress.ts';
import { ExitCode, readInput, type Terminal, widthOf } from '../rendering/terminal.ts';
import {
  type AddCommand,
  addCommand,
  limitsOf,
  print,
  type ReadingOptions,
  type StackOptions,
  withReading,
  withStack,
} from './command.ts';

interface SourceOptions extends StackOptions, ReadingOptions {
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

export const addWhoCan: AddCommand = (program, { terminal }) => {
  const command = addCommand(
    program,
    'who-can',
    'tell everybody who can do something at a path, and by which way',
    [
      "gatehouse who-can update 'secret/data/prod/*' -s prod",
      'gatehouse who-can read secret/data/shop/db -s prod --live',
      'terraform show -json tfplan | gatehouse who-can delete secret/data/prod/db --plan -',
    ],
  )
    .addArgument(new Argument('<capability>', 'what they can do').choices(capabilities))
    .argument('<path>', 'a path, or a pattern: + for a segment, * at the end', parsePath);
  withSource(command).addHelpText(
    'after',
    '\nExit code 0: somebody can. 2: nobody can. 1: this cannot be judged. A pattern asks for at least one of its paths.',
  );
  command.action(async (capability: string, path: string, options: SourceOptions) => {
    const [{ whoCan }, { whoCanText }, { Progress }] = await Promise.all([
      import('../../operations/who-can.ts'),
      import('../rendering/reach-text.ts'),
      import('../rendering/progress.ts'),
    ]);
    const progress = new Progress(terminal);
    const source = await sourceOf(options, terminal, progress);
    const report = await whoCan({ capability, path }, source, now()).finally(() => progress.clear());
    print(terminal, options, report, (style) => whoCanText(report, style));
    terminal.exitCode = { yes: ExitCode.ok, no: ExitCode.no, unknown: ExitCode.error }[report.answer];
  });
};

export const addAccess: AddCommand = (program, { terminal }) => {
  const command = addCommand(program, 'access', 'list everything that principals reach', [
    'gatehouse access -s prod --role web',
    'gatehouse access -s prod --role reader --method staff --claims claims.json',
    'gatehouse access -s prod --approle deploy --live --format hcl',
  ])
    .option('--role <name>', 'a role; of other auth methods a user, group or team as well')
    .option('--approle <name>', 'an AppRole')
    .option('--entity <name>', 'an entity')
    .option('--group <name>', 'a group')
    .option('--accessor <accessor>', 'a token, by its accessor; with --live')
    .addOption(
      new Option('--format <name>', 'format of the answer')
        .choices(['terminal', 'markdown', 'hcl'])
        .default('terminal'),
    )
    .option('--method <path>', 'path of the auth method, if several have a role of this name')
    .option('--claims <file>', 'file with claims, as JSON, whose groups count, - for standard input');
  withSource(command).addHelpText(
    'after',
    '\nExit code 2: the claims do not sign in, or nothing is reached. 1: this cannot be judged.',
  );
  command.action(async (options: AccessOptions) => {
    const { role, approle, entity, group, accessor, method } = options;
    const asked = { role, approle, entity, group, accessor };
    if (Object.values(asked).filter((one) => one !== undefined).length !== 1) {
      throw new GatehouseError({
        code: 'option_missing',
        what: 'access is about one of --role, --approle, --entity, --group and --accessor',
        fix: 'Give one of them.',
      });
    }
    const [{ accessOf }, { readPresented }, { accessHcl, accessMarkdown, accessText }, { Progress }] =
      await Promise.all([
        import('../../operations/who-can.ts'),
        import('../../operations/explain-token.ts'),
        import('../rendering/reach-text.ts'),
        import('../rendering/progress.ts'),
      ]);
    const progress = new Progress(terminal);
    const given = options.claims && readPresented({ claims: await readInput(options.claims, terminal) });
    const claims = given && 'claims' in given ? given.claims : undefined;
    const report = await accessOf(
      { ...asked, method, claims, now: now() },
      await sourceOf(options, terminal, progress),
    ).finally(() => progress.clear());
    if (options.format === 'terminal' || options.json) {
      print(terminal, options, report, (style) =>
        accessText(report, style, widthOf(terminal.stdout, terminal.env)),
      );
    } else terminal.stdout.write({ markdown: accessMarkdown, hcl: accessHcl }[options.format](report));
    const isOpen = report.refused === undefined && report.unread.length + report.missing.length > 0;
    terminal.exitCode = report.rows.length > 0 ? ExitCode.ok : isOpen ? ExitCode.error : ExitCode.no;
  });
};

function withSource(command: ReturnType<typeof addCommand>): typeof command {
  return withReading(withStack(command))
    .addOption(
      new Option(
        '--plan <file>',
        'what a plan as JSON leads to, - for standard input (default: what the stack declares)',
      ).conflicts('live'),
    )
    .option('--live', 'what the service of the stack holds');
}

async function sourceOf(
  options: SourceOptions,
  terminal: Terminal,
  { onRead }: Progress,
): Promise<GraphSource> {
  const { plan, live, cwd, stack } = options;
  if (plan !== undefined) {
    return { from: 'plan', path: plan === '-' ? '-' : resolve(terminal.cwd, plan), stdin: terminal.stdin };
  }
  const { openStack } = await import('../../operations/open-stack.ts');
  const opened = await openStack(cwd, stack, terminal.env);
  return {
    from: live ? 'live' : 'declared',
    stack: opened,
    env: terminal.env,
    limits: { ...limitsOf(options), onRead },
  };
}

function parsePath(text: string): string {
  const path = text.replace(/^\/+/, '');
  if (path === '') throw new InvalidArgumentError('must not be empty');
  if (/\*.|\+\*$|\{\{/.test(path)) {
    throw new InvalidArgumentError('takes a * only at its end, + for a segment, and no templates');
  }
  return path;
}

const now = () => BigInt(Date.now()) * 1_000_000n;
