import { resolve } from 'node:path';
import { Option } from 'commander';
import { ExitCode, type Terminal } from '../rendering/terminal.ts';
import {
  type AddCommand,
  addCommand,
  type EngineOptions,
  type StackOptions,
  withEngine,
  withStack,
} from './command.ts';

const formats = ['terminal', 'markdown', 'json', 'sarif', 'junit'] as const;

interface ReviewCommandOptions extends StackOptions, EngineOptions {
  format: (typeof formats)[number];
  failOn: 'info' | 'warning' | 'error';
}

export const addReview: AddCommand = (program, { terminal, openEngine }) => {
  const command = addCommand(
    program,
    'review',
    'tell who gains and who loses access by a plan, and what is wrong with it',
    [
      'gatehouse review -s dev',
      'terraform show -json tfplan | gatehouse review - --format markdown',
      'gatehouse review preview.json -s prod --format sarif --fail-on warning',
    ],
  )
    .argument('[plan]', 'file with a plan as JSON, - for standard input (default: plans the stack)')
    .addOption(new Option('--format <name>', 'format of the report').choices(formats).default('terminal'))
    .addOption(
      new Option('--fail-on <severity>', 'exit with 2 for findings at least this severe')
        .choices(['info', 'warning', 'error'])
        .default('error'),
    )
    .addHelpText(
      'after',
      '\nPlans: pulumi preview --json --show-sames, gatehouse preview --json, terraform show -json PLAN (tofu the same).\n' +
        'With -s, the rules that the stack turns off are off, and findings name lines of its file.',
    );
  withEngine(withStack(command)).action(async (plan: string | undefined, options: ReviewCommandOptions) => {
    const [{ openStack }, { reviewSettings }, { hasFindingsAt, reviewPlan }] = await Promise.all([
      import('../../operations/open-stack.ts'),
      import('../../operations/review/review-stack.ts'),
      import('../../core/review/review.ts'),
    ]);
    const directory = resolve(terminal.cwd, options.cwd);
    const isPlanned = plan === undefined;
    const stack =
      isPlanned || options.stack !== undefined
        ? await openStack(directory, options.stack, terminal.env)
        : undefined;
    const settings = await reviewSettings(stack, terminal.env);
    const review = await (async () => {
      if (isPlanned && stack !== undefined) {
        const { reviewStack } = await import('../../operations/review/review-stack.ts');
        const { engine } = await openEngine(options, stack, terminal.env);
        return reviewStack(stack, engine, settings.options, terminal.env);
      }
      const { readPlanFile } = await import('../../operations/read-plan-file.ts');
      const path = plan === '-' ? '-' : resolve(terminal.cwd, plan ?? '');
      return reviewPlan(await readPlanFile(path, terminal.stdin), settings.options);
    })();
    const planFile = isPlanned || plan === '-' ? undefined : plan;
    await print(review, options, terminal, settings.positionOf, planFile);
    terminal.exitCode = hasFindingsAt(review, options.failOn) ? ExitCode.no : ExitCode.ok;
  });
};

type Review = import('../../core/review/review.ts').Review;
type PositionOf = import('../../operations/review/review-stack.ts').ReviewSettings['positionOf'];

async function print(
  review: Review,
  { json, format, failOn }: ReviewCommandOptions,
  terminal: Terminal,
  positionOf: PositionOf,
  planFile: string | undefined,
): Promise<void> {
  const write = (text: string) => terminal.stdout.write(text);
  const writeJson = (value: object) => write(`${JSON.stringify(value, null, 4)}\n`);
  switch (json === true ? 'json' : format) {
    case 'terminal': {
      const { reviewText } = await import('../rendering/review-text.ts');
      const { styleFor } = await import('../rendering/style.ts');
      write(reviewText(review, styleFor(terminal.stdout, terminal.env)));
      break;
    }
    case 'markdown':
      write((await import('../../core/review/reports/markdown.ts')).markdownReport(review));
      break;
    case 'json':
      writeJson((await import('../../core/review/reports/json.ts')).jsonReport(review, failOn));
      break;
    case 'sarif': {
      const [{ sarifReport }, { version }] = await Promise.all([
        import('../../core/review/reports/sarif.ts'),
        import('./command.ts'),
      ]);
      writeJson(sarifReport(review, { version: version(), positionOf, ...(planFile && { planFile }) }));
      break;
    }
    case 'junit':
      write((await import('../../core/review/reports/junit.ts')).junitReport(review, failOn));
      break;
  }
}
