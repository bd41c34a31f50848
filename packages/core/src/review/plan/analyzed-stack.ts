import { isEqualData } from '../../graph/values/equal-data.ts';
import { GatehouseError } from '../../graph/values/errors.ts';
import { isObject } from '../../graph/values/json.ts';
import { requireShallow } from '../../graph/values/nesting.ts';
import { unknownTexts } from '../../graph/values/unknown-text.ts';
import { toSnakeCase } from '../../graph/values/wire.ts';
import { holds } from './json-parts.ts';
import type { PlanResources } from './planned-resource.ts';
import type { PulumiState, PulumiStep } from './pulumi-preview.ts';
import { isSecret, plaintext } from './pulumi-values.ts';
import { readPulumiPreview } from './read-pulumi-preview.ts';
import { type Fields, secretFields } from './resource-types.ts';
import { isServicePackage } from './service-packages.ts';
import type { ExportedResource, StackExport } from './stack-export.ts';

/** A resource as an engine shows it to a policy pack. Secrets and unknown values are marked as in Pulumi's JSON. */
export interface AnalyzedResource {
  urn: string;
  type: string;
  /** What the program asks for; absent for what it only reads. */
  inputs?: Fields | undefined;
  /** What comes of it, as far as that is known. */
  outputs: Fields;
  provider?: { urn: string; inputs: Fields } | undefined;
  /** URNs that it may have had. */
  aliases: string[];
  /** Absent where it is left to the plugin. */
  deleteBeforeReplace?: boolean | undefined;
  propertyDependencies: Record<string, string[]>;
}

/** What an engine shows to a policy pack, as a plan: the resources after the change, and the stack's state before it. */
export interface AnalyzedPlan {
  plan: PlanResources;
  /** Client secrets that are encrypted in the state before, so that a change does not show. */
  uncompared: number;
}

/**
 * Composes a plan as a preview would tell it. What an engine does not tell a policy pack is worked out, or left open: a
 * resource is new, gone or the same by its URN and its inputs; it is replaced where it loses its id, in an order that
 * is not known.
 *
 * @throws GatehouseError `stack_export_other` for a state of another stack, `nested_too_deep`
 */
export function analyzedPlan(resources: AnalyzedResource[], before: StackExport): AnalyzedPlan {
  requireSameStack(resources, before);
  requireShallow(resources, 'what the engine shows of the stack');
  const live = new Map(
    before.resources.filter((state) => state.delete !== true).map((state) => [state.urn, state]),
  );
  const kept = new Set<ExportedResource>();
  const counted = { uncompared: 0 };
  let other: string | undefined;
  const steps = resources.flatMap((resource) => {
    const [state] = [resource.urn, ...resource.aliases].flatMap((urn) => live.get(urn) ?? []);
    const ofResource = stepsOf(resource, state, counted);
    if (state === undefined) return ofResource;
    kept.add(state);
    if (ofResource[0]?.op === 'same' && !isAsBefore(resource, state)) other ??= resource.urn;
    return ofResource;
  });
  const gone = before.resources
    .filter((state) => !kept.has(state))
    .map((state): PulumiStep => {
      const op = state.external === true ? 'discard' : state.delete === true ? 'delete-replaced' : 'delete';
      return { op, urn: state.urn, oldState: state };
    });
  const read = readPulumiPreview({ steps: [...providerSteps(resources), ...steps, ...gone] });
  // A resource that is deleted and made again with the same id does not show.
  const plan = {
    ...read,
    resources: read.resources.map((planned) => ({ ...planned, mayBeReplaced: true as const })),
  };
  if (other !== undefined) {
    plan.incomplete.push(`This run did not start from the given state, where ${other} has other values.`);
  }
  if (before.isInterrupted) {
    plan.incomplete.push('The deployment before was interrupted: the state does not say what it did last.');
  }
  return { plan, ...counted };
}

/** Providers that are not among the resources: those that a newer engine registers by itself. */
function providerSteps(resources: AnalyzedResource[]): PulumiStep[] {
  const inputs = new Map(
    resources.flatMap(({ provider }) => (provider ? [[provider.urn, provider.inputs]] : [])),
  );
  for (const { urn } of resources) inputs.delete(urn);
  return [...inputs].map(([urn, inputs]) => ({
    op: 'same',
    urn,
    newState: { type: '', inputs, outputs: {} },
  }));
}

function stepsOf(
  resource: AnalyzedResource,
  before: ExportedResource | undefined,
  counted: { uncompared: number },
): PulumiStep[] {
  const { urn, inputs } = resource;
  const newState = stateOf(resource);
  const step = (op: string): PulumiStep => ({ op, urn, newState, ...(before && { oldState: before }) });
  if (inputs === undefined)
    return [step(before === undefined || before.external === true ? 'read' : 'replace')];
  if (before === undefined) return [step('create')];
  if (before.external === true) return [step('replace')];
  if (isReplaced(before, resource)) {
    if (resource.deleteBeforeReplace !== true) return [step('replace')];
    return [{ op: 'delete-replaced', urn, oldState: before }, step('replace'), step('create-replacement')];
  }
  const differing = differingInputs(before.inputs, inputs, counted);
  return [differing.length === 0 ? step('same') : { ...step('update'), diffReasons: differing }];
}

function stateOf({ type, inputs, outputs, provider, propertyDependencies }: AnalyzedResource): PulumiState {
  const { id, accessor } = outputs;
  // After the change is applied, references have the accessor that a mount was given.
  const given = isKnownText(accessor) ? { accessor } : {};
  return {
    type,
    inputs: inputs === undefined ? outputs : { ...given, ...inputs },
    outputs: inputs === undefined ? outputs : {},
    propertyDependencies,
    ...(isKnownText(id) && { id }),
    // Components have none; and a plugin's own resource stands for nothing on a service.
    ...(provider !== undefined && { custom: true, provider: `${provider.urn}::` }),
  };
}

/** A replaced resource has no id until it is made again, and another one then; a mount that moves keeps its accessor. */
function isReplaced(before: ExportedResource, { outputs }: AnalyzedResource): boolean {
  const outputsBefore: Fields = { id: before.id, ...before.outputs };
  const isLost = (name: string) => isKnownText(outputsBefore[name]) && unknownTexts.has(outputs[name]);
  const isOther = (name: string) => isKnownText(outputs[name]) && outputs[name] !== outputsBefore[name];
  if (isLost('id') || isLost('accessor') || isOther('accessor')) return true;
  return isOther('id') && outputs['accessor'] === undefined;
}

/** Whether what stays as it is has the outputs that the state says, as far as both are shown. */
function isAsBefore({ type, outputs }: AnalyzedResource, before: ExportedResource): boolean {
  if (!isServicePackage(type.split(':')[0] ?? '') || Object.keys(outputs).length === 0) return true;
  return Object.keys({ ...before.outputs, ...outputs }).every((name) => {
    const valueBefore = comparable(before.outputs[name]);
    const isEqual = isEqualData(valueBefore, comparable(outputs[name]));
    return name.startsWith('__') || holds(valueBefore, isSecret) || isEqual;
  });
}

function isKnownText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !unknownTexts.has(value);
}

/** Names of inputs that differ. A secret that is encrypted on one side differs, except for client secrets. */
function differingInputs(before: Fields, after: Fields, counted: { uncompared: number }): string[] {
  const names = new Set(
    [...Object.keys(before), ...Object.keys(after)].filter((name) => !name.startsWith('__')),
  );
  return [...names].filter((name) => {
    const valueBefore = comparable(before[name]);
    const valueAfter = comparable(after[name]);
    const isHidden =
      holds(valueBefore, isSecret) && valueAfter !== undefined && secretFields.has(toSnakeCase(name));
    if (isHidden) counted.uncompared += 1;
    return !isHidden && !isEqualData(valueBefore, valueAfter);
  });
}

/** A value without marks and without what is not set; a secret that is shown, as what it holds. */
function comparable(value: unknown): unknown {
  if (isSecret(value)) {
    const shown = plaintext(value);
    return shown === undefined ? value : comparable(shown.value);
  }
  if (Array.isArray(value)) return value.map(comparable);
  if (!isObject(value)) return value ?? undefined;
  const entries = Object.entries(value).filter(([name]) => !name.startsWith('__'));
  const inner = entries.map(([name, part]) => [name, comparable(part)] as const);
  return Object.fromEntries(inner.filter(([, part]) => part !== undefined));
}

function requireSameStack(resources: AnalyzedResource[], before: StackExport): void {
  const stackOf = (urn: string) => urn.split('::').slice(0, 2).join('::');
  const own = new Set(resources.flatMap(({ urn, aliases }) => [urn, ...aliases].map(stackOf)));
  const other = before.resources.map(({ urn }) => stackOf(urn)).find((stack) => !own.has(stack));
  if (other === undefined || own.size === 0) return;
  throw new GatehouseError('stack_export_other', {
    given: other.replace(/^urn:pulumi:/, ''),
    allowed: [...own].map((stack) => stack.replace(/^urn:pulumi:/, '')).join(', '),
  });
}
