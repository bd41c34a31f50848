export { type AskedGraph, graphsAfter } from './asked-graph.ts';
export { betweenSnapshots } from './between-snapshots.ts';
export { type AnsweredService, type Drift, driftOf } from './drift.ts';
export { type AnalyzedResource, analyzedPlan } from './plan/analyzed-stack.ts';
export { composeChanges, type Place } from './plan/compose-change.ts';
export { changeOnService } from './plan/compose-graphs.ts';
export { type GivenPolicy, givenPolicy, withPolicies } from './plan/given-policies.ts';
export type { LiveService } from './plan/live-service.ts';
export type {
  PassedOver,
  PlannedResource,
  PlannedSide,
  PlanResources,
} from './plan/planned-resource.ts';
export {
  type PulumiPreview,
  type PulumiStep,
  pulumiPreview,
} from './plan/pulumi-preview.ts';
export { largestPlan, parsePlanJson, planResources, planTooLarge, readPlan } from './plan/read-plan.ts';
export { readPulumiPreview } from './plan/read-pulumi-preview.ts';
export { type Fields, terraformName } from './plan/resource-types.ts';
export { readStackExport } from './plan/stack-export.ts';
export { stateOfStack } from './plan/stack-state.ts';
export { previewType, terraformForm } from './plan/terraform-form.ts';
export { unmodeledBetween } from './plan/unmodeled-parts.ts';
export { type ReplaySummary, summaryOf } from './replay-summary.ts';
export { accessLines } from './reports/access-lines.ts';
export { nothing } from './reports/cells.ts';
export { count } from './reports/count.ts';
export { foldFindings, foldPlaces, type ReportFinding, sameWords } from './reports/fold-places.ts';
export { codePart, inertBlock, inertCode, inertProse, inertText } from './reports/inert-text.ts';
export { jsonReport, type ReviewReport } from './reports/json.ts';
export { markdownReport } from './reports/markdown.ts';
export { replayDetails, replayLine } from './reports/replay.ts';
export {
  isShownIn,
  type ReportRow,
  reportRows,
  rowLines,
  whoWords,
} from './reports/rows.ts';
export { type SarifOptions, sarifReport } from './reports/sarif.ts';
export { type WhoCanWords, whoCanWords } from './reports/who-can.ts';
export {
  declaredHeadline,
  findingTitle,
  headline,
  hiddenWords,
  leavesElsewhereOpen,
  remarks,
  tokensLeftOut,
  verdictWords,
} from './reports/words.ts';
export { type FindingGroup, groupedFindings, type WorstFirst, worstFirst } from './reports/worst.ts';
export {
  type Comparison,
  hasFindingsAt,
  type PlannedSource,
  type Review,
  type ReviewFinding,
  type ReviewOptions,
  type ReviewSource,
  review,
} from './review.ts';
export { type Finding, Severity, type Subject } from './rules/finding.ts';
export type { GateOptions } from './rules/gate.ts';
export { type RuleOptions, ruleOptions, ruleOptionsElsewhere } from './rules/rule-options.ts';
export {
  allRules,
  type ChangeOptions,
  judgeGraph,
  readEnvironment,
  ruleIds,
} from './rules/rules.ts';
export { readSnapshot, type Snapshot, type SnapshotKey, snapshotOf } from './snapshot.ts';
export { possibleNames, type SnapshotUse, serviceOf } from './snapshot-service.ts';
export { type ReviewedAccess, verdictOfAll } from './verdict.ts';
export { type WhoCanReport, whoCanIn } from './who-can.ts';
