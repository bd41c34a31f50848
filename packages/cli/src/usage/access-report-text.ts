import { accessCsv } from '@gatehouse/core/usage';
import { given } from '../terminal/style.ts';
import type { AccessReportFile } from './access-report.ts';

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
