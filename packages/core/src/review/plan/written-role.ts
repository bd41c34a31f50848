import { fieldNamed } from '../../graph/resources/field.ts';
import { endpointToken, role, roleAt, roleFields, roleToken } from '../../graph/resources/role.ts';
import { roleBody } from '../../graph/resources/role-body.ts';
import { isObject, shallowJsonIn } from '../../graph/values/json.ts';
import { toCamelCase } from '../../graph/values/wire.ts';
import type { PulumiPreview, PulumiState, PulumiStep } from './pulumi-preview.ts';
import { type Fields, type PlannedType, terraformName } from './resource-types.ts';
import { officialName } from './service-packages.ts';
import type { TerraformResourceChange } from './terraform-plan.ts';

/** What a whole role has. A write of less leaves the rest as it is on the service, where a plan does not look. */
const whole = Object.keys(roleBody({}));

/** Whether a write of these fields leaves nothing of what a role was before. */
export function isWhollyWritten(type: PlannedType, fields: Fields): boolean {
  return type === role.type && whole.every((name) => name in fields);
}

/**
 * The fields of a role that is written whole by a write to any path, as `components/role.ts` does; undefined for
 * any other write. Nothing in a role is secret, though the official resource hides what it writes.
 */
function writtenRole({ path, data_json: json }: Fields): Fields | undefined {
  const at = typeof path === 'string' ? roleAt(path) : undefined;
  if (at === undefined || typeof json !== 'string') return undefined;
  const body = shallowJsonIn(json);
  if (!isObject(body)) return undefined;
  const isForeign = Object.keys(body).some((name) => fieldNamed(roleFields, name) === undefined);
  if (isForeign || !isWhollyWritten(role.type, body)) return undefined;
  return { backend: at.method, role_name: at.name, ...body, disable_bound_claims_parsing: true };
}

const endpointName = terraformName(endpointToken);

/** What a write to any path comes to: a role that is written whole is a role, and what is left there is forgotten. */
export function withoutWrites(entry: TerraformResourceChange): TerraformResourceChange {
  if (officialName(entry.type) !== endpointName) return entry;
  const { before, after } = entry.change;
  const isLeft = isObject(before) && before['disable_delete'] === true;
  const actions = entry.change.actions.map((action) => (isLeft && action === 'delete' ? 'forget' : action));
  const change = { ...entry.change, actions };
  const roleBefore = isObject(before) ? writtenRole(before) : null;
  const roleAfter = isObject(after) ? writtenRole(after) : null;
  if (roleBefore === undefined || roleAfter === undefined) return { ...entry, change };
  const sides = {
    before: roleBefore,
    after: roleAfter,
    after_unknown: {},
    before_sensitive: {},
    after_sensitive: {},
  };
  return { ...entry, type: terraformName(roleToken), change: { ...change, ...sides } };
}

/**
 * A preview in which roles that are written whole are roles, and in which writes that are left there are retained. Where a write
 * to the path of a role ends, the role ends with it, also where the state hides what was written.
 */
export function withWrittenRoles(preview: PulumiPreview): PulumiPreview {
  const isWrite = ({ urn }: PulumiStep) => urn.includes(`${endpointToken}::`);
  const isInPart = (state: PulumiStep['oldState']) => state != null && roleIn(state) === undefined;
  // A role that is written in part on one side has an effect there that no role would show.
  const inPart = new Set(
    preview.steps
      .filter((step) => isWrite(step) && [step.oldState, step.newState].some(isInPart))
      .map(({ urn }) => urn),
  );
  // They go on as the resource of a role, which has another URN than the deletion.
  const goingOn = new Set(
    preview.steps
      .filter(({ oldState, newState }) => oldState?.type === endpointToken && newState?.type === roleToken)
      .map(({ urn }) => urn),
  );
  const steps = preview.steps.map((step) => {
    const roleUrn = step.urn.replace(`${endpointToken}::`, `${roleToken}::`);
    if (step.oldState?.type !== endpointToken && !isWrite(step)) return step;
    const { urn, newState, op } = step;
    const isLeft = { ...step.oldState?.inputs, ...step.oldState?.outputs }['disableDelete'] === true;
    const oldState = step.oldState && isLeft ? { ...step.oldState, retainOnDelete: true } : step.oldState;
    const isEnd = !isLeft && (op === 'delete' || goingOn.has(roleUrn));
    const ended = isEnd && oldState ? (roleIn(oldState) ?? hiddenRole(oldState)) : undefined;
    if (ended !== undefined) return { ...step, urn: roleUrn, oldState: ended };
    if (!isWrite(step) || inPart.has(urn)) return { ...step, oldState };
    return {
      ...step,
      urn: roleUrn,
      oldState: oldState && roleIn(oldState),
      newState: newState && roleIn(newState),
    };
  });
  return { ...preview, steps };
}

/** The role at whose path a state hides what was written, by its name alone; undefined where it does not hide it. */
function hiddenRole({ inputs, ...state }: PulumiState): PulumiState | undefined {
  const { path, dataJson } = inputs;
  const at = typeof path === 'string' ? roleAt(path) : undefined;
  const isShown = typeof dataJson === 'string' && isObject(shallowJsonIn(dataJson));
  if (at === undefined || isShown) return undefined;
  const fields = { backend: at.method, roleName: at.name };
  return { ...state, type: roleToken, inputs: fields, outputs: fields, isHidden: true };
}

function roleIn(state: PulumiState): PulumiState | undefined {
  // The program wrote it as a role before.
  if (state.type === roleToken) return state;
  const { inputs, outputs, propertyDependencies } = state;
  const given = fieldsOf(inputs);
  if (given === undefined) return undefined;
  // The outputs may be hidden; a refresh brings what it finds into the inputs as well.
  const computed = fieldsOf(outputs) ?? given;
  const { path = [], ...rest } = propertyDependencies ?? {};
  return { ...state, inputs: given, outputs: computed, propertyDependencies: { ...rest, backend: path } };
}

function fieldsOf({ path, dataJson }: Fields): Fields | undefined {
  const fields = writtenRole({ path, data_json: dataJson });
  if (fields === undefined) return undefined;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [toCamelCase(name), value]));
}
