import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Argument, InvalidArgumentError, Option } from 'commander';
import { capabilities } from '../../core/model/policies/capability.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { AccessMap } from '../../core/review/map/access-map.ts';
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
  svg?: string;
  html?: string;
}

export const addWhoCan: AddCommand = (program, { terminal }) => {
  const command = addCommand(
    program,
    'who-can',
    'list everyone who can do something at a path, and by what grant',
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
    '\nExit code 0: someone can. 2: no one can. 1: it cannot be decided. A pattern asks for at least one of its paths.',
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
    'gatehouse access -s prod --svg map.svg',
    'gatehouse access --plan plan.json --html map.html',
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
    .option('--claims <file>', 'file with claims, as JSON, whose groups count, - for standard input')
    .option('--svg <file>', 'draw the access map into this file: of everything, or of the principal')
    .option('--html <file>', 'the same as a page, with a table beside it');
  withSource(command).addHelpText(
    'after',
    '\nExit code 2: the claims do not sign in, or nothing is reached. 1: it cannot be decided.',
  );
  command.action(async (options: AccessOptions) => {
    const { role, approle, entity, group, accessor, method, svg, html } = options;
    const asked = { role, approle, entity, group, accessor };
    const given = Object.values(asked).filter((one) => one !== undefined).length;
    const isMap = svg !== undefined || html !== undefined;
    if (given > 1 || (given === 0 && !isMap)) {
      throw new GatehouseError({
        code: 'option_missing',
        what: 'access is about one of --role, --approle, --entity, --group and --accessor',
        fix: 'Give one of them, or --svg FILE or --html FILE for a map of everything.',
      });
    }
    const [{ accessOf, mapOf }, { readPresented }, text, { Progress }] = await Promise.all([
      import('../../operations/who-can.ts'),
      import('../../operations/explain-token.ts'),
      import('../rendering/reach-text.ts'),
      import('../rendering/progress.ts'),
    ]);
    const { accessHcl, accessMarkdown, accessText, mapText } = text;
    const presented = options.claims && readPresented({ claims: await readInput(options.claims, terminal) });
    const claims = presented && 'claims' in presented ? presented.claims : undefined;
    const request = { ...asked, method, claims, now: now() };
    const progress = new Progress(terminal);
    const source = await sourceOf(options, terminal, progress);
    const read = async () => {
      if (!isMap) return { map: undefined, report: await accessOf(request, source) };
      return mapOf(source, request.now, given === 0 ? undefined : request);
    };
    const { map, report } = await read().finally(() => progress.clear());
    if (map !== undefined) await writeMap(map, options, terminal);
    if (report === undefined) {
      return map && print(terminal, options, map, (style) => mapText(map, [svg, html], style));
    }
    if (options.format === 'terminal' || options.json) {
      print(terminal, options, report, (style) =>
        accessText(report, style, widthOf(terminal.stdout, terminal.env)),
      );
    } else terminal.stdout.write({ markdown: accessMarkdown, hcl: accessHcl }[options.format](report));
    const isOpen = report.refused === undefined && report.unread.length + report.missing.length > 0;
    terminal.exitCode = report.rows.length > 0 ? ExitCode.ok : isOpen ? ExitCode.error : ExitCode.no;
  });
};

async function writeMap(map: AccessMap, { svg, html }: AccessOptions, { cwd }: Terminal): Promise<void> {
  const [{ mapSvg }, { mapPage }] = await Promise.all([
    import('../../core/review/map/map-svg.ts'),
    import('../../core/review/map/map-page.ts'),
  ]);
  if (svg !== undefined) await writeFile(resolve(cwd, svg), mapSvg(map));
  if (html !== undefined) await writeFile(resolve(cwd, html), mapPage(map));
}

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
  const [{ openStack }, { withServiceToken }] = await Promise.all([
    import('../../operations/open-stack.ts'),
    import('../../operations/service-token.ts'),
  ]);
  const opened = await openStack(cwd, stack, terminal.env);
  return {
    from: live ? 'live' : 'declared',
    stack: opened,
    env: live ? await withServiceToken(opened, terminal.env) : terminal.env,
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
