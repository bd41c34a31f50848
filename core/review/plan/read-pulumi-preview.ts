import { isDeepStrictEqual } from 'node:util';
import { unknownTexts } from '../../model/values/unknown-text.ts';
import { toSnakeCase } from '../../model/values/wire.ts';
import { HiddenValues, settleHidden, shown } from './hidden-values.ts';
import {
  PassedOverCount,
  type PlannedResource,
  type PlannedSide,
  type PlanResources,
  type Replacement,
} from './planned-resource.ts';
import type { PulumiPreview, PulumiState, PulumiStep } from './pulumi-preview.ts';
import { PulumiServers, typeOfUrn } from './pulumi-servers.ts';
import { readValues } from './pulumi-values.ts';
import { isUnderstood, type KnownType, knownType, secretFields, terraformName } from './resource-types.ts';
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
const creating = ['create-replacement', 'import-replacement'];

/** Computed by the service unless they are given: absent from the inputs, they stay what they were. */
const keptFromOutputs = ['role_type', 'bound_claims_type', 'name', 'accessor', 'path', 'type', 'id'];

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
  return plannedSteps(preview).flatMap(({ urn, type, steps, isChanged, state }) => {
    if (steps.length === 0 || !isOnService(type, state)) return [];
    const known = knownType(terraformName(type)) ?? { type: 'inert', of: type };
    const given = steps.flatMap(({ oldState, newState }) => [oldState?.inputs, newState?.inputs]);
    const names = new Set(given.flatMap((inputs) => Object.keys(inputs ?? {}).map(toSnakeCase)));
    const secrets = [...secretFields].filter((field) => names.has(field));
    return { urn, type, secrets, resources: readResources(urn, known, steps, isChanged, context) };
  });
}

interface PlannedSteps {
  urn: string;
  type: string;
  /** What is planned; empty for what is gone from the service and not made again. */
  steps: PulumiStep[];
  isChanged: boolean;
  isDrifted: boolean;
  state: PulumiState | undefined;
}

function plannedSteps(preview: PulumiPreview): PlannedSteps[] {
  return [...Map.groupBy(preview.steps, (step) => step.urn)].map(([urn, all]) => {
    const refreshed = all.filter(({ op }) => op === 'refresh');
    const steps = stepsOf(all, refreshed);
    return {
      urn,
      type: typeOfUrn(urn),
      steps,
      isChanged: !steps.every(({ op }) => unchanged.includes(op)),
      isDrifted: refreshed.some(isDrift),
      state:
        steps.map(({ newState, oldState }) => newState ?? oldState).find((one) => one != null) ?? undefined,
    };
  });
}

/** Reads the resources of a Pulumi preview. */
export function readPulumiPreview(given: PulumiPreview): PlanResources {
  const preview = withWrittenRoles(given);
  const passedOver = new PassedOverCount();
  const resources: PlannedResource[] = [];
  const servers = new PulumiServers(preview.steps);
  const context: Context = { servers, hidden: new HiddenValues() };
  let same = 0;
  let drifted = 0;
  for (const { urn, type, steps, isChanged, isDrifted, state } of plannedSteps(preview)) {
    if (isDrifted) drifted += 1;
    if (!isChanged) same += 1;
    // Gone from the service, and not made again.
    if (steps.length === 0) continue;
    const known = knownType(terraformName(type));
    const isDeleted = steps.every(({ op }) => op === 'delete' || op === 'delete-replaced');
    if (known !== undefined && isUnderstood(known, state?.inputs ?? {}, isDeleted)) {
      resources.push(...readResources(urn, known, steps, isChanged, context));
    } else if (isOnService(type, state)) passedOver.add(type, type.startsWith('vault:'), isChanged);
  }
  const failed = (preview.diagnostics ?? []).filter(({ severity }) => severity === 'error').length;
  const missing = (preview.changeSummary?.['same'] ?? 0) - same;
  return {
    tool: 'pulumi',
    deletesLast: true,
    resources,
    passedOver: passedOver.list(),
    outside: [],
    incomplete: [
      ...(failed > 0 ? ['The preview ended with errors: what it shows is not the whole plan.'] : []),
      ...(preview.maybeCorrupt === true ? ['Pulumi says that this preview may be corrupt.'] : []),
      ...servers.incomplete,
    ],
    notes: [
      ...(missing > 0
        ? [
            `Unchanged resources that are not in this preview, and not looked at: ${missing}. pulumi preview --json --show-sames has them.`,
          ]
        : []),
      ...(drifted > 0
        ? [
            `Resources that were changed outside of Pulumi since it last looked: ${drifted}. The review starts from what is there now.`,
          ]
        : []),
    ],
  };
}

/** The steps that change something; where a resource is only refreshed, it stays as it was found. */
function stepsOf(all: PulumiStep[], refreshed: PulumiStep[]): PulumiStep[] {
  const steps = all.filter(({ op }) => op !== 'refresh');
  if (steps.length > 0) return steps;
  return refreshed
    .slice(-1)
    .flatMap((step) =>
      step.newState == null
        ? []
        : [{ ...step, op: 'same', oldState: step.newState, newState: step.newState }],
    );
}

function isDrift({ oldState, newState }: PulumiStep): boolean {
  return newState == null || !isDeepStrictEqual(oldState?.outputs ?? {}, newState.outputs);
}

/** Components and the plugins' own resources stand for nothing on a service. */
function isOnService(type: string, state: PulumiState | null | undefined): boolean {
  if (type.startsWith('pulumi:')) return false;
  return state?.custom ?? type.includes('/');
}

function readResources(
  urn: string,
  known: KnownType,
  steps: PulumiStep[],
  isChanged: boolean,
  context: Context,
): PlannedResource[] {
  const replaced = replacementOf(steps);
  const told = steps.filter(({ op }) => op !== 'delete-replaced');
  const main = (told.length > 0 ? told : steps).reduce((best, step) =>
    rank(step) > rank(best) ? step : best,
  );
  const read = sideReader(urn, known, main, context);
  const base = { address: urn, ...known, changes: isChanged, rotated: [] };
  // An object that an earlier, broken deployment left behind.
  const leftovers =
    told.length > 0 && replaced === undefined ? steps.filter((step) => !told.includes(step)) : [];
  return [
    ...readMain(base, told.length > 0 ? told : steps, main, replaced, read),
    ...leftovers.flatMap(({ oldState }) =>
      oldState == null || oldState.retainOnDelete === true
        ? []
        : [
            {
              ...base,
              address: `${urn} (to be deleted)`,
              before: read(oldState, true, false).side,
              isLeftover: true as const,
            },
          ],
    ),
  ];
}

function readMain(
  base: PlannedResource,
  steps: PulumiStep[],
  main: PulumiStep,
  replaced: Replacement | undefined,
  read: ReturnType<typeof sideReader>,
): PlannedResource[] {
  const old = main.oldState ?? steps.find(({ oldState }) => oldState)?.oldState ?? undefined;
  const isDelete = main.op === 'delete' || main.op === 'delete-replaced';
  const wanted = isDelete ? undefined : (main.newState ?? undefined);
  // What is imported is there already, and as it is declared: Pulumi refuses it otherwise.
  if (steps.every(({ op }) => unchanged.includes(op)) || (main.op === 'import' && old === undefined)) {
    const state = old ?? wanted;
    const side = state && read(state, true, false).side;
    return side === undefined ? [] : [{ ...base, before: side, after: side }];
  }
  const before = old && read(old, true, false);
  const after = wanted && read(wanted, false, before !== undefined);
  if (before !== undefined && after !== undefined) keepComputed(before, after, old, main, replaced);
  const hidden = new Set([...(before?.hidden ?? []), ...(after?.hidden ?? [])]);
  settleHidden(base.type, hidden, before?.side, after?.side);
  const isRotated = main.oldState != null && differingFields(main).has('oidc_client_secret');
  const made: PlannedResource = {
    ...base,
    ...(before === undefined ? {} : { before: before.side }),
    ...(after === undefined ? {} : { after: after.side }),
    ...(replaced === undefined ? {} : { replaced }),
    rotated: isRotated ? ['oidc_client_secret'] : [],
  };
  if (old?.retainOnDelete !== true || before === undefined || (!isDelete && replaced === undefined))
    return [made];
  // What is retained stays on the service, beside what is made in its stead.
  const { before: _before, replaced: _replaced, ...fresh } = made;
  return [
    { ...base, before: before.side, after: before.side },
    ...(after === undefined ? [] : [{ ...fresh, rotated: [] }]),
  ];
}

/** The step that tells the most: with both states, where there is one. */
function rank({ oldState, newState }: PulumiStep): number {
  return (newState ? 2 : 0) + (oldState ? 1 : 0);
}

function replacementOf(steps: PulumiStep[]): Replacement | undefined {
  const made = steps.findIndex(({ op }) => creating.includes(op));
  if (made < 0 && !steps.some(({ op }) => op === 'replace')) return undefined;
  const deleted = steps.findIndex(({ op }) => op === 'delete-replaced');
  if (made < 0 || deleted < 0) return 'unordered';
  return deleted < made ? 'delete-first' : 'create-first';
}

function differingFields({ diffReasons, detailedDiff }: PulumiStep): Set<string> {
  const paths = [...(diffReasons ?? []), ...Object.keys(detailedDiff ?? {})];
  return new Set(paths.map((path) => toSnakeCase(path.split(/[.[]/)[0] ?? '')));
}

type ReadSide = { side: PlannedSide; hidden: string[] };

function sideReader(urn: string, { type }: KnownType, main: PulumiStep, { servers, hidden }: Context) {
  const differing = differingFields(main);
  return (state: PulumiState, isOld: boolean, isUpdate: boolean): ReadSide => {
    const values = isOld && Object.keys(state.outputs).length > 0 ? state.outputs : state.inputs;
    // An update that does not say what differs may change any secret.
    const differs = (field: string) => isUpdate && (differing.size === 0 || differing.has(field));
    const read = readValues(type, values, state, hidden, { urn, differs });
    if (state.id !== undefined && state.id !== '' && !unknownTexts.has(state.id))
      read.fields['id'] = shown(state.id);
    const { fields, unknown, references } = read;
    const place = servers.of(state.provider ?? main.provider);
    return { side: { ...place, fields, unknown: isOld ? [] : unknown, references }, hidden: read.hidden };
  };
}

/** What the program does not set stays what the service made of it. */
function keepComputed(
  { side: before, hidden: hiddenBefore }: ReadSide,
  { side: after, hidden }: ReadSide,
  old: PulumiState | undefined,
  main: PulumiStep,
  replaced: Replacement | undefined,
): void {
  const given = new Set(Object.keys(old?.inputs ?? {}).map(toSnakeCase));
  const differing = differingFields(main);
  for (const field of hidden) {
    const stays = differing.size > 0 && !differing.has(field) && hiddenBefore.includes(field);
    if (stays) after.fields[field] = before.fields[field];
  }
  for (const [field, value] of Object.entries(before.fields)) {
    if (field in after.fields || after.unknown.includes(field)) continue;
    if (replaced !== undefined && (field === 'accessor' || field === 'id')) continue;
    const isComputed = keptFromOutputs.includes(field) || (!given.has(field) && replaced === undefined);
    if (!isComputed || (differing.has(field) && !keptFromOutputs.includes(field))) continue;
    after.fields[field] = value;
    if (hiddenBefore.includes(field)) hidden.push(field);
  }
}
