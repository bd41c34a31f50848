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
export type { AccessChange, ChangedPaths } from '../../core/access/access-change.ts';
export { AccessKind, Answer } from '../../core/access/access-change.ts';
export type { Change } from '../../core/model/change.ts';
export type { Graph } from '../../core/model/graph.ts';
export { GatehouseError } from '../../core/model/values/errors.ts';
export type { Place } from '../../core/review/plan/compose-change.ts';
export type {
  PassedOver,
  PlannedResource,
  PlannedSide,
  PlanResources,
} from '../../core/review/plan/planned-resource.ts';
export { planResources, readPlan } from '../../core/review/plan/read-plan.ts';
export { jsonReport, type ReviewReport } from '../../core/review/reports/json.ts';
export { markdownReport } from '../../core/review/reports/markdown.ts';
export { type Position, type SarifOptions, sarifReport } from '../../core/review/reports/sarif.ts';
export {
  type Comparison,
  hasFindingsAt,
  type Review,
  type ReviewFinding,
  type ReviewOptions,
  type ReviewSource,
  review,
} from '../../core/review/review.ts';
export type { ReviewedAccess } from '../../core/review/verdict.ts';
export { type Finding, Severity, type Subject } from '../../core/rules/finding.ts';
export { type ChangeOptions, judgeGraph, type RuleOptions, ruleIds } from '../../core/rules/rules.ts';
