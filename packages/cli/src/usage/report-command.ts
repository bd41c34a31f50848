import { resolve } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';
import { type AddCommand, jsonText, type ServiceOptions, withProgress } from '../terminal/command.ts';
import { given } from '../terminal/style.ts';
import { ExitCode, type Terminal } from '../terminal/terminal.ts';
import { writeText } from '../terminal/wrap.ts';
import type { AccessReportFile } from './access-report.ts';
import { logsOf, serviceOf } from './service-options.ts';

interface ReportOptions extends ServiceOptions {
  access?: boolean;
  sinceReport?: string;
}

export const addReport: AddCommand = (program, { terminal }) => {
  program
    .add('report', 'list who has which access, for a certification', [
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
    .option('--since-report <file>', 'an earlier report: decisions stay with rows that did not change')
    .withStack()
    .withSnapshot()
    .action((logs: string[], options: ReportOptions) => run(logs, options, terminal));
};

async function run(logs: string[], options: ReportOptions, terminal: Terminal): Promise<void> {
  if (!options.access) throw new GatehouseError('option_missing.report');
  const [{ reportAccess }, { accessCsv }] = await Promise.all([
    import('./access-report.ts'),
    import('@gatehouse/core/access-list'),
  ]);
  const { sinceReport, json } = options;
  const report = await withProgress(terminal, async ({ onRead }) =>
    reportAccess({
      service: await serviceOf(options, terminal, onRead),
      ...(logs.length > 0 && { log: logsOf(logs, terminal) }),
      ...(sinceReport !== undefined && { since: resolve(terminal.cwd, sinceReport) }),
    }),
  );
  terminal.stdout.write(json ? jsonText(report) : accessCsv(report.rows, report.stamp));
  writeText(terminal.stderr, terminal.env, accessReportSummary(report));
  terminal.exitCode = ExitCode.ok;
}

/** How many rows there are, in a sentence each. */
function accessReportSummary({ rows, counts, stamp }: AccessReportFile): string {
  const { new: added, changed, same, gone, notRead } = counts;
  return given(
    `${rows.length} rows: ${added} new, ${changed} changed, ${same} same, ${gone} gone.`,
    notRead > 0 && `${notRead} of them say what was not read.`,
    stamp.log === '' && 'No logs were given: when a grant was last used is not known.',
    '',
  ).join('\n');
}
