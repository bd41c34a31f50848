/**
 * What a planned change does, and what is wrong with it. Pure functions: no Pulumi, no file, no network, no clock.
 *
 * ```ts
 * const found = review(readPlan(text), { now: BigInt(Date.now()) * 1_000_000n });
 * if (hasFindingsAt(found, 'error')) console.log(markdownReport(found));
 * ```
 *
 * @module
 */
export type { AccessChange, ChangedPaths, Giver, Reason } from '@gatehouse/core/access';
export { AccessKind, Answer } from '@gatehouse/core/access';
export type { Position } from '@gatehouse/core/environment';
export type { Change, Graph } from '@gatehouse/core/graph';
export type {
  PassedOver,
  Place,
  PlannedResource,
  PlannedSide,
  PlanResources,
  ReviewedAccess,
} from '@gatehouse/core/review';
export {
  type ChangeOptions,
  type Comparison,
  type Finding,
  hasFindingsAt,
  jsonReport,
  judgeGraph,
  markdownReport,
  planResources,
  type Review,
  type ReviewFinding,
  type ReviewOptions,
  type ReviewReport,
  type ReviewSource,
  type RuleOptions,
  readPlan,
  review,
  ruleIds,
  type SarifOptions,
  Severity,
  type Subject,
  sarifReport,
} from '@gatehouse/core/review';
export { GatehouseError } from '@gatehouse/core/values';
export { giverWords, reasonWords } from '@gatehouse/core/words';
