import { toSnakeCase } from '../../model/values/wire.ts';
import {
  type Fields,
  PassedOverCount,
  type PlannedResource,
  type PlannedSide,
  type PlanResources,
} from './planned-resource.ts';
import type { PulumiPreview, PulumiState, PulumiStep } from './pulumi-preview.ts';
import { reviewedPulumiType, secretFields } from './resource-types.ts';

/** What stands for a value that is not known (facts/pulumi.md), or not shown. */
const unknownText = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';
const hiddenText = '[secret]';
/** The key of an object that is a secret, or something else that JSON cannot say. */
const signature = '4dabf18193072939515e22adb298388d';

/** Operations that leave things as they are. */
const unchanged = ['same', 'read', 'refresh'];
/** Steps by which a replacement is told; `delete-replaced` tells of the old one only. */
const replacing = ['replace', 'create-replacement', 'import-replacement', 'delete-replaced'];

/** Computed by the service unless they are given: absent from the inputs, they stay what they were. */
const keptFromOutputs = ['role_type', 'bound_claims_type', 'name', 'accessor', 'path', 'type', 'id'];

/** Reads the resources of a Pulumi preview. */
export function readPulumiPreview(preview: PulumiPreview): PlanResources {
  const passedOver = new PassedOverCount();
  const resources: PlannedResource[] = [];
  let same = 0;
  for (const [urn, steps] of stepsByUrn(preview.steps)) {
    const type = typeOf(urn);
    const main = mainStep(steps);
    const isChanged = !steps.every(({ op }) => unchanged.includes(op));
    if (!isChanged) same += 1;
    const reviewed = reviewedPulumiType(type);
    const states = [main.oldState, main.newState].filter((state) => state != null);
    if (reviewed === undefined) {
      // Components and the plugins' own resources stand for nothing on a service.
      if (isOfPlugin(type)) passedOver.add(type, type.startsWith('vault:'), isChanged);
    } else if (reviewed === 'group' && states.every(({ inputs }) => inputs['type'] !== 'external')) {
      passedOver.add(`${type} (internal)`, true, isChanged);
    } else {
      resources.push(readResource(urn, reviewed, steps, main, isChanged));
    }
  }
  const failed = (preview.diagnostics ?? []).filter(({ severity }) => severity === 'error').length;
  const missing = (preview.changeSummary?.['same'] ?? 0) - same;
  return {
    tool: 'pulumi',
    resources,
    passedOver: passedOver.list(),
    known: { accessors: {}, groups: {} },
    incomplete: [
      ...(failed > 0 ? ['The preview ended with errors: what it shows is not the whole plan.'] : []),
      ...(preview.maybeCorrupt === true ? ['Pulumi says that this preview may be corrupt.'] : []),
    ],
    notes:
      missing > 0
        ? [
            `Unchanged resources that are not in this preview, and not looked at: ${missing}. pulumi preview --json --show-sames has them.`,
          ]
        : [],
  };
}

function stepsByUrn(steps: PulumiStep[]): Map<string, PulumiStep[]> {
  const byUrn = new Map<string, PulumiStep[]>();
  for (const step of steps) {
    const known = byUrn.get(step.urn);
    if (known === undefined) byUrn.set(step.urn, [step]);
    else known.push(step);
  }
  return byUrn;
}

/** The step that tells the most: with both states, where there is one. */
function mainStep(steps: PulumiStep[]): PulumiStep {
  const rank = ({ op, oldState, newState }: PulumiStep) =>
    (op === 'delete-replaced' || op === 'refresh' ? 0 : 4) + (newState ? 2 : 0) + (oldState ? 1 : 0);
  return steps.reduce((best, step) => (rank(step) > rank(best) ? step : best));
}

function typeOf(urn: string): string {
  const types = urn.split('::')[2] ?? '';
  return types.slice(types.lastIndexOf('$') + 1);
}

function isOfPlugin(type: string): boolean {
  return !type.startsWith('pulumi:') && type.includes('/');
}

function readResource(
  urn: string,
  type: PlannedResource['type'],
  steps: PulumiStep[],
  main: PulumiStep,
  isChanged: boolean,
): PlannedResource {
  const isReplaced = steps.some(({ op }) => replacing.includes(op));
  const old = main.oldState ?? steps.find(({ oldState }) => oldState)?.oldState ?? undefined;
  const wanted =
    main.op === 'delete' && old?.retainOnDelete !== true ? undefined : (main.newState ?? undefined);
  const differing = new Set(
    [...(main.diffReasons ?? []), ...Object.keys(main.detailedDiff ?? {})].map((path) =>
      toSnakeCase(path.split(/[.[]/)[0] ?? ''),
    ),
  );
  const before = old && sideOf(Object.keys(old.outputs).length > 0 ? old.outputs : old.inputs, old);
  const after = wanted && sideOf(wanted.inputs, wanted);
  if (before !== undefined && after !== undefined) {
    for (const field of keptFromOutputs) {
      if (isReplaced && (field === 'accessor' || field === 'id')) continue;
      const isKnown = field in after.fields || after.unknown.includes(field);
      if (!isKnown && field in before.fields) after.fields[field] = before.fields[field];
    }
    // What is hidden or unknown on both sides, and does not differ, stays as it is.
    const stays = (field: string) => !isChanged || (before.unknown.includes(field) && !differing.has(field));
    after.unknown = after.unknown.filter((field) => !stays(field));
  }
  const kept = main.op === 'delete' && old?.retainOnDelete === true ? before : after;
  return {
    address: urn,
    type,
    ...(before === undefined ? {} : { before }),
    ...(kept === undefined ? {} : { after: kept }),
    changes: isChanged,
    replaced: isReplaced,
    rotated:
      before !== undefined && [...secretFields].some((field) => differing.has(field))
        ? ['oidc_client_secret']
        : [],
  };
}

function sideOf(values: Fields, { id, propertyDependencies }: PulumiState): PlannedSide {
  const side: PlannedSide = { fields: {}, unknown: [], references: {} };
  for (const [name, value] of Object.entries(values)) {
    const field = toSnakeCase(name);
    if (name.startsWith('__') || secretFields.has(field) || value === null) continue;
    if (isUntold(value)) {
      side.unknown.push(field);
      const targets = propertyDependencies?.[name];
      if (targets?.length) side.references[field] = targets;
    } else {
      side.fields[field] = value;
    }
  }
  if (id !== undefined && id !== '' && id !== unknownText) side.fields['id'] = id;
  return side;
}

/** Whether a value is unknown or hidden, or has such a part. */
function isUntold(value: unknown): boolean {
  if (value === unknownText || value === hiddenText) return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, signature) || Object.values(value).some(isUntold);
}
