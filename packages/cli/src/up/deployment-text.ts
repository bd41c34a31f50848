import type { DeploymentResult, Step } from '@gatehouse/engine';
import {
  type ChangeCounts,
  type ChangeKind,
  changeOf,
  changeTree,
  countChanges,
  isStackDeleted,
  outputsChanged,
} from '../deployment/change-tree.ts';
import type { Diagnostic, OperationResult } from '../deployment/deployment.ts';
import { shownProperties } from '../deployment/shown-value.ts';
import { inSections, printable, type Style } from '../terminal/style.ts';
import { stepTitle } from '../terminal/subject-of.ts';
import { changeTreeText } from './change-tree-text.ts';
import { valueText } from './value-text.ts';

/**
 * The changes of a deployment, one summary line, and the stack's outputs if they changed.
 *
 * @param options.verbose also show URNs, for `--target`, and all outputs
 * @param options.isTimed whether to say how long it took. Defaults to true.
 * @param options.isNamed whether its changes were shown before: they are shown again only if it failed. Defaults to false.
 */
export function deploymentText(
  result: OperationResult,
  {
    style,
    verbose,
    isTimed = true,
    isNamed = false,
  }: { style: Style; verbose: boolean; isTimed?: boolean; isNamed?: boolean },
): string {
  const { deployment } = result;
  // A plan shows new resources in full; afterwards it is enough that they were created.
  const how = { style, showUrns: verbose, showInputs: verbose || !result.applied };
  const tree = isNamed && deployment.succeeded ? [] : changeTreeText(changeTree(deployment.steps), how);
  const keepsOutputs =
    deployment.succeeded &&
    !isStackDeleted(deployment.steps) &&
    (verbose || outputsChanged(deployment.steps));
  const outputs = keepsOutputs ? Object.entries(shownProperties(deployment.outputs)) : [];
  const sections = [
    tree,
    [style.strong(summaryText(result, isTimed))],
    outputs.length === 0
      ? []
      : [style.strong('Outputs:'), ...outputs.map(([name, value]) => `  ${name}: ${valueText(value, '  ')}`)],
  ];
  return inSections(sections);
}

/**
 * How a deployment ended, in one line: `Done in 2.3 s: 1 created; 37 unchanged`.
 *
 * @param isTimed whether to say how long it took. Defaults to true.
 */
export function summaryText({ verb, outcome, applied, deployment }: OperationResult, isTimed = true): string {
  const tense = verb === 'refresh' ? 'found' : applied ? 'done' : 'planned';
  const counts = countsText(countChanges(deployment.steps), tense);
  const after = (word: string) => (isTimed ? ` ${word} ${durationText(deployment.durationMs)}` : '');
  if (outcome === 'failed')
    return applied ? `Failed${after('after')}: ${counts}` : `No plan${after('after')}.`;
  return applied ? `Done${after('in')}: ${counts}` : `Plan${after('after')}: ${counts}`;
}

/** One step that is done, or failed: `role web: updated`. Undefined for one that changes nothing by itself. */
export function stepText(step: Step): string | undefined {
  // A replacement is reported by its creation.
  if (step.op === 'replace' || step.op === 'delete-replaced') return undefined;
  const [, , done] = words.find(([kind]) => kind === changeOf(step)) ?? [];
  return done && printable(`${stepTitle(step)}: ${step.failed ? 'failed' : done}`);
}

/** What a deployment says that the plan before it did not. */
export function newDiagnostics({ deployment }: OperationResult, plan?: DeploymentResult): Diagnostic[] {
  const keys = new Set(plan?.diagnostics.map((diagnostic) => JSON.stringify(diagnostic)));
  return deployment.diagnostics.filter((diagnostic) => !keys.has(JSON.stringify(diagnostic)));
}

/** Messages of the program, the plugins and the engine, most important last. */
export function diagnosticsText(diagnostics: Diagnostic[], style: Style, verbose: boolean): string {
  const order = { debug: 0, info: 1, warning: 2, error: 3 };
  return diagnostics
    .filter(({ severity }) => verbose || severity !== 'debug')
    .sort((a, b) => order[a.severity] - order[b.severity])
    .map(({ severity, message, urn, code }) => {
      const text = printable(message).trimEnd().replaceAll('\n', '\n  ');
      const where = urn === undefined ? '' : `\n  ${style.faint(urn)}`;
      const known = code === undefined ? '' : `\n  ${style.faint(`(${code})`)}`;
      if (severity === 'error') return `${style.removed('error:')} ${text}${where}${known}\n`;
      if (severity === 'warning') return `${style.changed('warning:')} ${text}${where}\n`;
      return `${text}\n`;
    })
    .join('');
}

const words: [ChangeKind, planned: string, done: string, found: string][] = [
  ['create', 'to create', 'created', 'found new'],
  ['import', 'to import', 'imported', 'found new'],
  ['update', 'to update', 'updated', 'found changed'],
  ['replace', 'to replace', 'replaced', 'found changed'],
  ['delete', 'to delete', 'deleted', 'found gone'],
  ['discard', 'to discard', 'discarded', 'found gone'],
];

/**
 * `1 to create, 2 to update; 37 unchanged`, or `1 created, 1 failed; 37 unchanged`.
 *
 * @param tense for a plan, an applied plan, or a refresh
 */
function countsText(counts: ChangeCounts, tense: 'planned' | 'done' | 'found'): string {
  const changed = words
    .filter(([kind]) => (counts[kind] ?? 0) > 0)
    .map(([kind, planned, done, found]) => `${counts[kind]} ${{ planned, done, found }[tense]}`);
  if (counts.failed !== undefined) changed.push(`${counts.failed} failed`);
  const unchanged = (counts.same ?? 0) + (counts.read ?? 0);
  return `${changed.join(', ') || 'no changes'}; ${unchanged} unchanged`;
}

/** `2.3 s`, `4 min 5 s`. */
function durationText(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}
