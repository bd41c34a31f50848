import { isEqualData } from '../../graph/values/equal-data.ts';
import { isUnset } from '../../graph/values/json.ts';
import { addAll } from '../../graph/values/sequences.ts';
import { unknownTexts } from '../../graph/values/unknown-text.ts';
import { toSnakeCase } from '../../graph/values/wire.ts';
import { type DependingResource, flowsOfPreview, isOfSameSignIn } from './credential-flows.ts';
import { HiddenValues, settleHidden, shown } from './hidden-values.ts';
import {
  driftNote,
  type PassedOne,
  type PlannedResource,
  type PlannedSide,
  type PlanResources,
  passedOverTypes,
  type Replacement,
  retained,
} from './planned-resource.ts';
import { withOfficialProperties } from './pulumi-names.ts';
import type { PulumiPreview, PulumiState, PulumiStep } from './pulumi-preview.ts';
import { PulumiServers, typeOfUrn } from './pulumi-servers.ts';
import { readValues } from './pulumi-values.ts';
import {
  type Fields,
  firstSetBy,
  judgedAs,
  type KnownType,
  knownType,
  rotatedBy,
  secretFields,
  terraformName,
} from './resource-types.ts';
import { mayBeOfService } from './service-packages.ts';
import { withWrittenRoles } from './written-role.ts';

/** Operations that leave things as they are. */
const unchanged = [
  'same',
  'read',
  'read-replacement',
  'discard',
  'discard-replaced',
  'remove-pending-replace',
];
const deleting = ['delete', 'delete-replaced'];
const creating = ['create-replacement', 'import-replacement'];

/** Computed by the service unless they are given: absent from the inputs, they stay what they were. */
export const keptFromOutputs = ['role_type', 'bound_claims_type', 'name', 'accessor', 'path', 'type', 'id'];

interface Context {
  servers: PulumiServers;
  hidden: HiddenValues;
}

/** A resource of a preview whose type may be any. */
export interface ResourceOfPreview {
  urn: string;
  type: string;
  resources: PlannedResource[];
  /** Field on the wire of each secret that is never kept, and that this resource has. */
  secrets: string[];
}

/** Every resource of a preview that stands for something on a service, read as the review reads those that it knows. */
export function resourcesOfPreview(preview: PulumiPreview): ResourceOfPreview[] {
  const context: Context = { servers: new PulumiServers(preview.steps), hidden: new HiddenValues() };
  return changesByResource(preview).flatMap((planned) => {
    const { urn, type, steps, state } = planned;
    if (steps.length === 0 || !isOnService(type, state)) return [];
    const known = knownType(terraformName(type)) ?? { type: 'inert', of: type };
    const inputs = steps.flatMap(({ oldState, newState }) => [oldState?.inputs, newState?.inputs]);
    const names = new Set(inputs.flatMap((side) => Object.keys(side ?? {}).map(toSnakeCase)));
    const secrets = [...secretFields].filter((field) => names.has(field));
    return { urn, type, secrets, resources: readResources(planned, known, context) };
  });
}

type ChangesOfResource = ReturnType<typeof changesByResource>[number];

/** What is planned for each resource: no step for what is gone from the service and not made again. */
function changesByResource(preview: PulumiPreview) {
  return [...Map.groupBy(preview.steps, (step) => step.urn)].map(([urn, planned]) => {
    const type = typeOfUrn(urn);
    const all = planned.map((step) => withOfficialProperties(step, type));
    const refreshed = all.filter(({ op }) => op === 'refresh');
    const changing = all.filter(({ op }) => op !== 'refresh');
    // Where a resource is only refreshed, it stays as it was found.
    const last = refreshed.at(-1);
    const same = last?.newState == null ? [] : [{ ...last, op: 'same', oldState: last.newState }];
    const steps: PulumiStep[] = changing.length > 0 ? changing : same;
    return {
      urn,
      type,
      steps,
      isChanged: !steps.every(isUnchanged),
      isDrifted: refreshed.some(isDrift),
      state: steps.map(({ newState, oldState }) => newState ?? oldState).find((known) => known != null),
    };
  });
}

/** The planned resources of Pulumi's preview. */
export function readPulumiPreview(original: PulumiPreview): PlanResources {
  const preview = withWrittenRoles(original);
  const servers = new PulumiServers(preview.steps);
  const context: Context = { servers, hidden: new HiddenValues() };
  const resources: PlannedResource[] = [];
  const passedOver: PassedOne[] = [];
  const all = changesByResource(preview);
  for (const planned of all) {
    const { type, steps, isChanged, state } = planned;
    if (steps.length === 0) continue;
    const sides = steps.flatMap(({ oldState, newState }) =>
      [newState?.inputs ?? [], oldState?.inputs ?? []].flat(),
    );
    const isDeleted = steps.some(({ op }) => deleting.includes(op));
    const { known, isRelocated } = judgedAs(terraformName(type), sides, isDeleted);
    if (known !== undefined) {
      addAll(resources, readResources(planned, known, context));
    } else if (isOnService(type, state)) {
      passedOver.push({
        type,
        ofService: mayBeOfService(type) || servers.isOfService(state?.provider),
        isChanged,
        isRelocated,
      });
    }
  }
  const hasFailed = (preview.diagnostics ?? []).some(({ severity }) => severity === 'error');
  const flows = flowsOfPreview(all.flatMap(dependingResource));
  const same = all.filter(({ isChanged }) => !isChanged).length;
  const missing = (preview.changeSummary?.['same'] ?? 0) - same;
  const hidden = resources.filter(({ isHiddenBefore }) => isHiddenBefore).length;
  const drifted = all.filter(({ isDrifted }) => isDrifted).length;
  return {
    tool: 'pulumi',
    deletesLast: true,
    resources,
    passedOver: passedOverTypes(passedOver),
    outside: [],
    ...(flows.length > 0 && { flows }),
    ...(servers.address !== undefined && { address: servers.address }),
    incomplete: [
      ...(hasFailed ? ['The preview ended with errors: what it shows is not the whole plan.'] : []),
      ...(preview.maybeCorrupt === true ? ['Pulumi says that this preview may be corrupt.'] : []),
      ...servers.incomplete,
    ],
    notes: [
      ...(missing > 0 ? [missingNote(missing)] : []),
      ...(drifted > 0 ? [driftNote('Pulumi', drifted)] : []),
      ...(hidden > 0 ? [hiddenNote(hidden)] : []),
    ],
  };
}

/** What its properties come from. Only an update keeps its place. */
function dependingResource({ urn, type, steps, isChanged }: ChangesOfResource): DependingResource[] {
  const isDeleted = steps.every(({ newState }) => newState == null);
  const state = steps.map(({ newState, oldState }) => newState ?? oldState).find((known) => known != null);
  if (state === undefined) return [];
  const before = steps.find(({ op, oldState }) => op === 'update' && oldState != null)?.oldState;
  const isInPlace = ['path', 'name', 'mount'].every((name) =>
    isEqualData(before?.inputs[name], state.inputs[name]),
  );
  const { path } = state.inputs;
  const old = steps.find(({ oldState }) => oldState != null)?.oldState;
  return [
    {
      urn,
      type: terraformName(type),
      path: typeof path === 'string' ? path : undefined,
      isWritten: isChanged && !isDeleted,
      isOfSameSignIn: isOfSameSignIn({ before: old?.inputs, after: state.inputs }),
      before: isInPlace ? dependenciesOf(before) : {},
      after: dependenciesOf(state),
    },
  ];
}

function dependenciesOf(state: PulumiState | null | undefined): Record<string, readonly string[]> {
  const all = Object.entries(state?.propertyDependencies ?? {});
  return Object.fromEntries(all.map(([name, urns]) => [name, urns ?? []]));
}

function missingNote(count: number): string {
  return `Unchanged resources that are not in this preview, and not looked at: ${count}. pulumi preview --json --show-sames has them.`;
}

function hiddenNote(count: number): string {
  return `Roles whose earlier body the plan encrypts: ${count}. Only a review that reads the service shows what they lose.`;
}

function isUnchanged({ op }: PulumiStep): boolean {
  return unchanged.includes(op);
}

function isDrift({ oldState, newState }: PulumiStep): boolean {
  return newState == null || !isEqualData(oldState?.outputs ?? {}, newState.outputs);
}

/** Components and the plugins' own resources stand for nothing on a service. */
function isOnService(type: string, state: PulumiState | undefined): boolean {
  return !type.startsWith('pulumi:') && (state?.custom ?? type.includes('/'));
}

interface ReadSide {
  side: PlannedSide;
  hidden: string[];
}

/** What the steps of one resource say of it. */
interface ResourceStates {
  urn: string;
  known: KnownType;
  /** The step that tells the most. */
  main: PulumiStep;
  before: PulumiState | null | undefined;
  after: PulumiState | null | undefined;
  /** Fields that differ; empty where an update does not say. */
  differing: ReadonlySet<string>;
  replaced: Replacement | undefined;
}

function readResources(
  { urn, steps: all }: ChangesOfResource,
  known: KnownType,
  context: Context,
): PlannedResource[] {
  const replaced = replacementOf(all);
  const ownSteps = all.filter(({ op }) => op !== 'delete-replaced');
  const steps = ownSteps.length > 0 ? ownSteps : all;
  const main =
    steps.find(({ oldState, newState }) => oldState && newState) ??
    steps.find(({ newState }) => newState) ??
    (steps[0] as PulumiStep);
  const before = main.oldState ?? steps.find(({ oldState }) => oldState)?.oldState;
  const after = deleting.includes(main.op) ? undefined : main.newState;
  const states: ResourceStates = {
    urn,
    known,
    main,
    before,
    after,
    differing: differingFields(main),
    replaced,
  };
  const isSame = steps.every(isUnchanged);
  const base: PlannedResource = { address: urn, ...known, changes: !isSame, rotated: [] };
  // An imported resource is there already, and as it is declared, or Pulumi refuses it.
  const isThere = isSame || (main.op === 'import' && !before);
  const resources = isThere ? keptResources(base, states, context) : changedResources(base, states, context);
  const leftover = replaced === undefined ? all.filter((step) => !steps.includes(step)) : [];
  return [...resources, ...leftoverResources(base, leftover, states, context)];
}

function keptResources(base: PlannedResource, states: ResourceStates, context: Context): PlannedResource[] {
  const state = states.before ?? states.after;
  if (!state) return [];
  const { side } = readState(state, 'before', states, context);
  return [{ ...base, before: side, after: side }];
}

function changedResources(
  base: PlannedResource,
  states: ResourceStates,
  context: Context,
): PlannedResource[] {
  const { main, differing, replaced } = states;
  const before = states.before ? readState(states.before, 'before', states, context) : undefined;
  const after = states.after ? readState(states.after, 'after', states, context) : undefined;
  if (before !== undefined && after !== undefined) {
    const inputNames = new Set(Object.keys(states.before?.inputs ?? {}).map(toSnakeCase));
    keepComputed(before, after, inputNames, differing, replaced);
  }
  const hidden = new Set([before, after].flatMap((side) => side?.hidden ?? []));
  settleHidden(base.type, hidden, before?.side, after?.side);
  const rotated = main.oldState == null ? [] : rotatedBy((field) => differing.has(field));
  const planned: PlannedResource = {
    ...base,
    before: before?.side,
    after: after?.side,
    replaced,
    rotated,
    ...(states.before && states.after ? firstSetIn(states.before.inputs, states.after.inputs) : {}),
    ...(states.before?.isHidden === true && { isHiddenBefore: true }),
  };
  const isEnd = deleting.includes(main.op) || replaced !== undefined;
  return states.before?.retainOnDelete === true && isEnd ? retained(planned) : [planned];
}

/** Objects that an earlier, broken deployment left behind. */
function leftoverResources(
  base: PlannedResource,
  steps: readonly PulumiStep[],
  states: ResourceStates,
  context: Context,
): PlannedResource[] {
  return steps.flatMap(({ oldState }): PlannedResource[] => {
    if (oldState == null || oldState.retainOnDelete === true) return [];
    const before = readState(oldState, 'before', states, context).side;
    const address = `${base.address} (to be deleted)`;
    return [{ ...base, address, before, changes: true, isLeftover: true }];
  });
}

function readState(
  state: PulumiState,
  when: 'before' | 'after',
  { urn, known, main, before, differing }: ResourceStates,
  context: Context,
): ReadSide {
  const isBefore = when === 'before';
  const values = isBefore && Object.keys(state.outputs).length > 0 ? state.outputs : state.inputs;
  // An update that does not say what differs may change any secret.
  const differs = (field: string) =>
    !isBefore && before != null && (differing.size === 0 || differing.has(field));
  const { hidden, ...side } = readValues(known.type, values, state, context.hidden, { urn, differs });
  if (state.id && !unknownTexts.has(state.id)) side.fields['id'] = shown(state.id);
  if (isBefore) side.unknown = [];
  return { side: { ...context.servers.of(state.provider ?? main.provider), ...side }, hidden };
}

function firstSetIn(before: Fields, after: Fields) {
  const onWire = (inputs: Fields): Fields =>
    Object.fromEntries(Object.entries(inputs).map(([name, value]) => [toSnakeCase(name), value]));
  const set = onWire(after);
  return firstSetBy(onWire(before), (name) => !isUnset(set[name]));
}

function replacementOf(steps: PulumiStep[]): Replacement | undefined {
  const created = steps.findIndex(({ op }) => creating.includes(op));
  if (created < 0 && !steps.some(({ op }) => op === 'replace')) return undefined;
  const deleted = steps.findIndex(({ op }) => op === 'delete-replaced');
  if (created < 0 || deleted < 0) return 'unordered';
  return deleted < created ? 'delete-first' : 'create-first';
}

function differingFields({ diffReasons, detailedDiff }: PulumiStep): Set<string> {
  const paths = [...(diffReasons ?? []), ...Object.keys(detailedDiff ?? {})];
  return new Set(paths.map((path) => toSnakeCase(path.split(/[.[]/)[0] ?? '')));
}

/** What the program does not set stays what the service made of it. */
function keepComputed(
  { side: before, hidden: hiddenBefore }: ReadSide,
  { side: after, hidden }: ReadSide,
  inputNames: ReadonlySet<string>,
  differing: ReadonlySet<string>,
  replaced: Replacement | undefined,
): void {
  for (const field of hidden) {
    const stays = differing.size > 0 && !differing.has(field) && hiddenBefore.includes(field);
    if (stays) after.fields[field] = before.fields[field];
  }
  for (const [field, value] of Object.entries(before.fields)) {
    if (field in after.fields || after.unknown.includes(field)) continue;
    if (replaced !== undefined && (field === 'accessor' || field === 'id')) continue;
    const isUnset = !inputNames.has(field) && replaced === undefined && !differing.has(field);
    if (!isUnset && !keptFromOutputs.includes(field)) continue;
    after.fields[field] = value;
    if (hiddenBefore.includes(field)) hidden.push(field);
  }
}
