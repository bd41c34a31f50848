import { isPropertyMap, type PropertyMap, type PropertyValue, Unknown } from '../../property-value.ts';
import { defaultsKey, entries, isEmpty, type Property, type Schema, sameValue } from './schema.ts';

/**
 * The state after a read. Values that the service returns keep the declared spelling if they mean the same (a set in
 * the declared order, `200s` rather than `3m20s`); values that it does not return stay as declared.
 */
export function stateFrom(schema: Schema, declared: PropertyMap, read: PropertyMap): PropertyMap {
  const state: PropertyMap = {};
  for (const [name, property] of Object.entries(schema)) {
    const known = property.unread ? declared[name] : read[name];
    if (known === undefined || known === null) continue;
    const same = declared[name] !== undefined && sameValue(property, declared[name], known, declared);
    state[name] = withoutDefaultsKey(same ? (declared[name] ?? known) : known);
  }
  return state;
}

/** The state after a planned create or update: its inputs, and `Unknown` for what the service will choose. */
export function plannedState(schema: Schema, news: PropertyMap, olds: PropertyMap = {}): PropertyMap {
  return nextState(schema, news, (name) => olds[name] ?? Unknown.value);
}

/** The state after an update: its inputs, and the old state for what the service chooses. */
export function updatedState(schema: Schema, olds: PropertyMap, news: PropertyMap): PropertyMap {
  return nextState(schema, news, (name) => olds[name]);
}

function nextState(
  schema: Schema,
  news: PropertyMap,
  chosen: (name: string) => PropertyValue | undefined,
): PropertyMap {
  const state: PropertyMap = {};
  const id = chosen('id');
  if (id !== undefined) state['id'] = id;
  for (const [name, { outputOnly, computed }] of Object.entries(schema)) {
    const value = news[name] ?? (outputOnly || computed ? chosen(name) : undefined);
    if (value !== undefined) state[name] = withoutDefaultsKey(value);
  }
  return state;
}

/**
 * The inputs after a refresh, with the service's current values. A changed value is no longer a default
 * (pulumi/pulumi-terraform-bridge `pkg/tfbridge/schema.go`, `extractInputs`).
 */
export function refreshedInputs(schema: Schema, inputs: PropertyMap, state: PropertyMap): PropertyMap {
  const refreshed: PropertyMap = {};
  const changed = new Set<string>();
  for (const [name, input] of entries(inputs)) {
    const property = schema[name];
    const now = state[name];
    if (property !== undefined && (property.ignored?.(inputs) || sameValue(property, input, now, inputs))) {
      refreshed[name] = input;
      continue;
    }
    changed.add(name);
    if (now === undefined) continue;
    refreshed[name] =
      property?.fields !== undefined && isPropertyMap(input) ? refreshedFields(property, input, now) : now;
  }
  const defaults = inputs[defaultsKey];
  if (Array.isArray(defaults)) {
    refreshed[defaultsKey] = defaults.filter((name) => typeof name === 'string' && !changed.has(name));
  }
  return refreshed;
}

/** Only the declared fields of an object; the service chooses the others. */
function refreshedFields({ fields = {} }: Property, input: PropertyMap, now: PropertyValue): PropertyValue {
  return isPropertyMap(now) ? refreshedInputs(fields, input, now) : now;
}

/**
 * The inputs of an imported resource: its state without empty values and defaults (`extractSchemaInputs`), and without what
 * the service completes (`tune`), which would else count as given.
 */
export function importedInputs(schema: Schema, state: PropertyMap): PropertyMap {
  const inputs: PropertyMap = {};
  for (const [name, property] of Object.entries(schema)) {
    const value = state[name];
    const isCompleted = property.computed && property.fields !== undefined;
    if (value === undefined || property.outputOnly || isCompleted) continue;
    const needless = property.default === undefined ? isEmpty(value) : value === property.default;
    if (needless && !property.required) continue;
    inputs[name] =
      property.fields !== undefined && isPropertyMap(value) ? importedInputs(property.fields, value) : value;
  }
  return { ...inputs, [defaultsKey]: [] };
}

function withoutDefaultsKey(value: PropertyValue): PropertyValue {
  return isPropertyMap(value) && defaultsKey in value ? Object.fromEntries(entries(value)) : value;
}
