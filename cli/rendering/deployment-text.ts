import type { Diagnostic, OperationResult } from '../../operations/deployment.ts';
import {
  changeTree,
  countChanges,
  isStackDeleted,
  outputsChanged,
} from '../../operations/description/change-tree.ts';
import { shownProperties } from '../../operations/description/shown-value.ts';
import { changeTreeText } from './change-tree-text.ts';
import { printable, type Style } from './style.ts';
import { countsText, durationText } from './summary-text.ts';
import { valueText } from './value-text.ts';

/**
 * The changes of a deployment, one summary line, and the stack's outputs if they changed.
 *
 * @param options.verbose also show URNs, for `--target`, and all outputs
 */
export function deploymentText(
  result: OperationResult,
  { style, verbose }: { style: Style; verbose: boolean },
): string {
  const { deployment } = result;
  // A plan shows new resources in full; afterwards it is enough that they were created.
  const tree = changeTreeText(changeTree(deployment.steps), {
    style,
    showUrns: verbose,
    showInputs: verbose || !result.applied,
  });
  const keepsOutputs =
    deployment.succeeded &&
    !isStackDeleted(deployment.steps) &&
    (verbose || outputsChanged(deployment.steps));
  const outputs = keepsOutputs ? Object.entries(shownProperties(deployment.outputs)) : [];
  const sections = [
    tree,
    [style.strong(summary(result))],
    outputs.length === 0
      ? []
      : [style.strong('Outputs:'), ...outputs.map(([name, value]) => `  ${name}: ${valueText(value, '  ')}`)],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

function summary({ verb, outcome, applied, deployment }: OperationResult): string {
  const tense = verb === 'refresh' ? 'found' : applied ? 'done' : 'planned';
  const counts = countsText(countChanges(deployment.steps), tense);
  const duration = durationText(deployment.durationMs);
  if (outcome === 'failed')
    return applied ? `Failed after ${duration}: ${counts}` : `No plan after ${duration}.`;
  return applied ? `Done in ${duration}: ${counts}` : `Plan after ${duration}: ${counts}`;
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
