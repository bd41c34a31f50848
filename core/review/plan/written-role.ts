import { fieldNamed } from '../../model/resources/field.ts';
import { endpointToken, roleAt, roleFields, roleToken } from '../../model/resources/role.ts';
import { roleBody } from '../../model/resources/role-body.ts';
import { objectIn } from '../../model/values/json.ts';
import { toCamelCase } from '../../model/values/wire.ts';
import type { Fields } from './planned-resource.ts';
import type { PulumiPreview, PulumiState } from './pulumi-preview.ts';

/** What a whole role has. A write of less leaves the rest as it is on the service, where a plan does not look. */
const whole = Object.keys(roleBody({}));

/**
 * The fields of a role that is written whole by a write to any path, as `components/endpoint-role.ts` does; undefined for
 * any other write. Nothing in a role is secret, though the official resource hides what it writes.
 */
export function writtenRole({ path, data_json: json }: Fields): Fields | undefined {
  const at = typeof path === 'string' ? roleAt(path) : undefined;
  if (at === undefined || typeof json !== 'string') return undefined;
  const body = objectIn(json);
  if (body === undefined) return undefined;
  const names = Object.keys(body);
  const isWhole = whole.every((name) => names.includes(name));
  if (!isWhole || names.some((name) => fieldNamed(roleFields, name) === undefined)) return undefined;
  return { backend: at.method, role_name: at.name, ...body, disable_bound_claims_parsing: true };
}

/** A preview in which roles that are written whole are roles, and in which writes that are left there are retained. */
export function withWrittenRoles(preview: PulumiPreview): PulumiPreview {
  const isEndpoint = ({ urn }: { urn: string }) => urn.includes(`${endpointToken}::`);
  if (!preview.steps.some(isEndpoint)) return preview;
  const steps = preview.steps.map((given) => {
    if (!isEndpoint(given)) return given;
    const { oldState } = given;
    const isLeft = { ...oldState?.inputs, ...oldState?.outputs }['disableDelete'] === true;
    const step = oldState && isLeft ? { ...given, oldState: { ...oldState, retainOnDelete: true } } : given;
    const states = [step.oldState, step.newState].filter((state) => state != null);
    if (!states.some((state) => roleIn(state) !== undefined)) return step;
    const urn = step.urn.replace(`${endpointToken}::`, `${roleToken}::`);
    return {
      ...step,
      urn,
      ...(step.oldState && { oldState: roleIn(step.oldState) ?? step.oldState }),
      ...(step.newState && { newState: roleIn(step.newState) ?? step.newState }),
    };
  });
  return { ...preview, steps };
}

function roleIn(state: PulumiState): PulumiState | undefined {
  const { inputs, outputs, propertyDependencies } = state;
  const wanted = fieldsOf(inputs);
  if (wanted === undefined) return undefined;
  // The outputs may be hidden; a refresh brings what it finds into the inputs as well.
  const found = fieldsOf(outputs) ?? (Object.keys(outputs).length === 0 ? {} : wanted);
  const { path = [], ...others } = propertyDependencies ?? {};
  return { ...state, inputs: wanted, outputs: found, propertyDependencies: { ...others, backend: path } };
}

function fieldsOf({ path, dataJson }: Fields): Fields | undefined {
  const fields = writtenRole({ path, data_json: dataJson });
  return (
    fields && Object.fromEntries(Object.entries(fields).map(([name, value]) => [toCamelCase(name), value]))
  );
}
