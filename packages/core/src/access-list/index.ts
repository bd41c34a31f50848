export { accessCsv } from './access-csv.ts';
export { type AccessReport, accessReport } from './access-report.ts';
export { readReport } from './since-report.ts';
