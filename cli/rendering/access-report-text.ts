import { accessCsv } from '../../core/usage/access-csv.ts';
import type { AccessReportFile } from '../../operations/usage/access-report.ts';
import { given } from './style.ts';

export function accessReportText(report: AccessReportFile, format: 'csv' | 'json'): string {
  return format === 'json' ? `${JSON.stringify(report, null, 4)}\n` : accessCsv(report.rows, report.stamp);
}

/** How many rows there are, in a sentence each. */
export function accessReportSummary({ rows, counts, stamp }: AccessReportFile): string {
  const { new: added, changed, same, gone, notRead } = counts;
  return given(
    `${rows.length} rows: ${added} new, ${changed} changed, ${same} same, ${gone} gone.`,
    notRead > 0 && `${notRead} of them say what was not read.`,
    stamp.log === '' && 'No logs were given: when a grant was last used is not known.',
    '',
  ).join('\n');
}
