import { GatehouseError } from '@gatehouse/core/values';
import { type AddCommand, print, type ServiceOptions, withProgress } from '../terminal/command.ts';
import { ExitCode, type Terminal } from '../terminal/terminal.ts';
import { logsOf, secondsOf, serviceOf } from './service-options.ts';

interface UsageOptions extends ServiceOptions {
  refine?: string;
  floor?: string[];
  since?: string;
  hashPeople?: boolean;
}

export const addUsage: AddCommand = (program, { terminal }) => {
  program
    .add('usage', 'find out from audit logs what is used, and what is not', [
      'gatehouse usage audit.log -s prod --live',
      'gatehouse usage audit.log audit.log.1.gz -s prod --snapshot prod.snapshot --since 90d',
      'kubectl logs bao-0 | gatehouse usage - -s prod',
      'gatehouse usage audit.log -s prod --live --refine shop',
    ])
    .argument('<logs...>', 'audit logs in JSON, .gz ones too, - for standard input')
    .option('--since <duration>', 'only entries newer than this: 90d, 36h')
    .option('--live', 'compare with what the service has (default: what the stack declares)')
    .withStack()
    .withSnapshot()
    .option('--refine <name>', 'make this policy, or those of this role, smaller by what was used')
    .repeatable(
      '--floor <capabilities>',
      'with --refine: what must stay, as "read secret/data/yearly/*"; repeatable',
    )
    .option('--hash-people', 'replace names of people with hashes that are valid only in this report')
    .note('Exit code 0: the log was read. 1: it cannot be read. Lines are never kept.')
    .action((files: string[], options: UsageOptions) => run(files, options, terminal));
};

async function run(files: string[], options: UsageOptions, terminal: Terminal): Promise<void> {
  const { refine, floor, since, hashPeople = false } = options;
  if (floor !== undefined && refine === undefined) {
    throw new GatehouseError('option_conflict.floor');
  }
  await withProgress(terminal, async (progress) => {
    const service = await serviceOf(options, terminal, progress.onRead);
    const log = {
      ...logsOf(files, terminal),
      ...(since !== undefined && { since: service.now - (await secondsOf('--since', since)) * 1000 }),
    };
    if (refine !== undefined) {
      const [{ refineUsage }, { refineJson, refineText }] = await Promise.all([
        import('./refine.ts'),
        import('./refine-text.ts'),
      ]);
      const refined = await refineUsage({ log, service, name: refine, floor: floor ?? [] });
      progress.clear();
      return print(terminal, options, refineJson(refined), (style) => refineText(refined, style));
    }
    const [{ usage }, { usageJson, usageText }] = await Promise.all([
      import('./usage.ts'),
      import('./usage-text.ts'),
    ]);
    const report = await usage({ log, service, hashPeople });
    progress.clear();
    print(terminal, options, usageJson(report), (style, columns) =>
      usageText(report, style, service.now, columns),
    );
    terminal.exitCode = ExitCode.ok;
  });
}
