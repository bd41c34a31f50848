import { parseUrn, type Step, type StepOperation } from '@gatehouse/engine';
import { stepTitle } from '../terminal/subject-of.ts';
import { type PropertyChange, propertyChanges } from './property-changes.ts';
import { shownChange, shownInputs } from './shown-field.ts';
import { type ShownValue, sameValue, shownProperties } from './shown-value.ts';

/** What happens to one resource. */
export type ChangeKind = 'create' | 'update' | 'replace' | 'delete' | 'read' | 'import' | 'discard' | 'same';

/** A resource of the change tree, under its parent. */
export interface ChangeNode {
  urn: string;
  type: string;
  name: string;
  /** What people call it: `role web`. */
  title: string;
  /** `same` for a resource that is listed only because something below it changes. */
  kind: ChangeKind;
  /** Properties that change, by the names and in the units of the YAML; empty for a new resource, which has `inputs`. */
  changes: PropertyChange[];
  /** Inputs of a resource that is created or imported. */
  inputs?: { [name: string]: ShownValue };
  /** Errors of its last deployment, for which a resource is updated although its properties are the same. */
  initErrors: string[];
  /** Whether the change was tried and failed. */
  failed: boolean;
  children: ChangeNode[];
}

const rootType = 'pulumi:pulumi:Stack';

const kindOf: Record<StepOperation, ChangeKind> = {
  same: 'same',
  create: 'create',
  update: 'update',
  delete: 'delete',
  replace: 'replace',
  'create-replacement': 'replace',
  'delete-replaced': 'delete',
  read: 'read',
  'read-replacement': 'read',
  refresh: 'update',
  discard: 'discard',
  import: 'import',
  'import-replacement': 'import',
};

/**
 * The resources that change, under their parents, sorted by type and name, whatever the order of the steps. The stack
 * itself is not among them.
 */
export function changeTree(steps: Step[]): ChangeNode[] {
  const byUrn = mainSteps(steps);
  const failed = failedUrns(steps);
  const nodes = new Map<string, ChangeNode>();
  const roots: ChangeNode[] = [];
  const place = (urn: string): ChangeNode => {
    const known = nodes.get(urn);
    if (known !== undefined) return known;
    const step = byUrn.get(urn);
    const node = toNode(urn, step, failed.has(urn));
    nodes.set(urn, node);
    const parent = step?.newState?.parent ?? step?.oldState?.parent;
    const isTop = parent === undefined || parseUrn(parent).type === rootType;
    (isTop ? roots : place(parent).children).push(node);
    return node;
  };
  for (const [urn, step] of byUrn) {
    if (changeOf(step) !== 'same' && parseUrn(urn).type !== rootType) place(urn);
  }
  sort(roots);
  return roots;
}

/** A refresh that found no difference is `same`. */
export function changeOf(step: Step): ChangeKind {
  if (step.op !== 'refresh') return kindOf[step.op];
  if (step.newState === undefined) return 'delete';
  return sameValue(step.oldState?.outputs, step.newState.outputs) ? 'same' : 'update';
}

/** How many resources change in which way, and how many could not be changed. */
export type ChangeCounts = Partial<Record<ChangeKind | 'failed', number>>;

/** Counts the resources of a deployment. A replacement counts once. */
export function countChanges(steps: Step[]): ChangeCounts {
  const failed = failedUrns(steps);
  const counts: ChangeCounts = {};
  for (const [urn, step] of mainSteps(steps)) {
    if (parseUrn(urn).type === rootType) continue;
    const kind = failed.has(urn) ? 'failed' : changeOf(step);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** Whether anything changes on the service, or in the stack's outputs. */
export function hasChanges(steps: Step[]): boolean {
  return steps.some((step) => {
    if (parseUrn(step.urn).type === rootType) return changeOf(step) !== 'same' || outputsChanged([step]);
    const kind = changeOf(step);
    return kind !== 'same' && kind !== 'read';
  });
}

export function outputsChanged(steps: Step[]): boolean {
  const stack = steps.find(({ urn }) => parseUrn(urn).type === rootType);
  return stack === undefined || !sameValue(stack.oldState?.outputs, stack.newState?.outputs);
}

/** Whether the whole stack is deleted, with its outputs. */
export function isStackDeleted(steps: Step[]): boolean {
  return steps.some(({ op, urn }) => op === 'delete' && parseUrn(urn).type === rootType);
}

// A replacement is up to three steps on one URN; the first of these describes it best.
const tellingOrder: StepOperation[] = [
  'replace',
  'create-replacement',
  'import-replacement',
  'read-replacement',
];

function mainSteps(steps: Step[]): Map<string, Step> {
  const rank = (step: Step) => {
    const index = tellingOrder.indexOf(step.op);
    if (index >= 0) return index;
    // A step that follows from a refresh describes it better; a deletion describes least.
    if (step.op === 'refresh' || step.op === 'same') return tellingOrder.length + 1;
    return step.op === 'delete-replaced' ? tellingOrder.length + 2 : tellingOrder.length;
  };
  const byUrn = new Map<string, Step>();
  for (const step of steps) {
    const known = byUrn.get(step.urn);
    if (known === undefined || rank(step) < rank(known)) byUrn.set(step.urn, step);
  }
  return byUrn;
}

function failedUrns(steps: Step[]): Set<string> {
  return new Set(steps.filter(({ failed }) => failed).map(({ urn }) => urn));
}

function toNode(urn: string, step: Step | undefined, failed: boolean): ChangeNode {
  const { type, name } = parseUrn(urn);
  const kind = step === undefined ? 'same' : changeOf(step);
  const title = stepTitle(step ?? { urn });
  const node: ChangeNode = {
    urn,
    type,
    name,
    title,
    kind,
    failed,
    changes: [],
    initErrors: [],
    children: [],
  };
  if (kind === 'create' || kind === 'import') {
    node.inputs = shownInputs(type, shownProperties(step?.newState?.inputs ?? {}));
  }
  if (step !== undefined && (kind === 'update' || kind === 'replace')) {
    node.changes = propertyChanges(step).map((change) => shownChange(type, change));
    node.initErrors = step.oldState?.initErrors ?? [];
  }
  return node;
}

function sort(nodes: ChangeNode[]): void {
  nodes.sort(
    (a, b) => compareText(a.type, b.type) || compareText(a.name, b.name) || compareText(a.urn, b.urn),
  );
  for (const node of nodes) sort(node.children);
}

/** By code units, so that every machine sorts in the same way. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
