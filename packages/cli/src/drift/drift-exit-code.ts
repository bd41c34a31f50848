import type { CheckOutcome } from '../open/check.ts';
import { ExitCode } from '../terminal/terminal.ts';
import type { DriftReport } from './drift.ts';
import { isDrift } from './drift-text.ts';

/** Drift is a no, also if something else could not be read. @param checks of `--preflight` */
export function driftExitCode(report: DriftReport, checks: readonly CheckOutcome[] = []): ExitCode {
  const { differences, unmanaged, isUnmanagedDrift, unverifiable, promises, ended, known } = report;
  const undeclared = isUnmanagedDrift ? unmanaged : [];
  const drifted = [differences, undeclared, promises, ended, known.filter(isDrift)].flat();
  if (drifted.length > 0) return ExitCode.no;
  if (unverifiable.length > 0) return ExitCode.error;
  return checks.some(({ outcome }) => outcome === 'failed') ? ExitCode.no : ExitCode.ok;
}
