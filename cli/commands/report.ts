import { resolve } from 'node:path';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { ExitCode } from '../rendering/terminal.ts';
import { writeText } from '../rendering/wrap.ts';
import { type AddCommand, addCommand, withStack } from './command.ts';
import { logsOf, type ServiceOptions, serviceOf, withSnapshot } from './service-options.ts';

interface ReportOptions extends ServiceOptions {
  access?: boolean;
  sinceReport?: string;
}

export const addReport: AddCommand = (program, { terminal }) => {
  const command = addCommand(program, 'report', 'list who has which access, for a certification', [
    'gatehouse report --access -s prod --live audit.log > access.csv',
    'gatehouse report --access -s prod --snapshot prod.snapshot --since-report access-q3.csv > access-q4.csv',
    'gatehouse report --access -s prod --live --json > access.json',
  ])
    .argument(
      '[logs...]',
      'audit logs in JSON, .gz ones too, - for standard input: when access was last used',
    )
    .option('--access', 'the access list, as CSV; with --json as JSON')
    .option('--live', 'what the service has (default: what the stack declares)')
    .option('--since-report <file>', 'an earlier report: decisions stay with rows that did not change');
  withSnapshot(withStack(command)).action(async (logs: string[], options: ReportOptions) => {
    if (!options.access) {
      throw new GatehouseError({
        code: 'option_missing',
        what: 'report needs to know which report',
        fix: 'Give --access.',
      });
    }
    const [{ accessReport }, { accessReportSummary, accessReportText }, { Progress }] = await Promise.all([
      import('../../operations/usage/access-report.ts'),
      import('../rendering/access-report-text.ts'),
      import('../rendering/progress.ts'),
    ]);
    const { sinceReport } = options;
    const progress = new Progress(terminal);
    const service = await serviceOf(options, terminal, progress.onRead);
    const report = await accessReport({
      service,
      ...(logs.length > 0 && { log: logsOf(logs, terminal) }),
      ...(sinceReport !== undefined && { since: resolve(terminal.cwd, sinceReport) }),
    }).finally(() => progress.clear());
    terminal.stdout.write(accessReportText(report, options.json ? 'json' : 'csv'));
    writeText(terminal.stderr, terminal.env, accessReportSummary(report));
    terminal.exitCode = ExitCode.ok;
  });
};
