import { isPropertyMap, type PropertyMap, type PropertyValue, Unknown } from '../../property-value.ts';
import { defaultsKey, entries, isEmpty, type Property, type Schema, sameValue } from './schema.ts';

/**
 * What the state says after a read: what the service told, in the declared spelling where that says the same
 * (a set in the declared order, `200s` rather than `3m20s`), and what a read does not tell as it was declared.
 */
export function stateFrom(schema: Schema, declared: PropertyMap, told: PropertyMap): PropertyMap {
  const state: PropertyMap = {};
  for (const [name, property] of Object.entries(schema)) {
    const known = property.unread ? declared[name] : told[name];
    if (known === undefined || known === null) continue;
    const same = declared[name] !== undefined && sameValue(property, declared[name], known, declared);
    state[name] = withoutDefaultsKey(same ? (declared[name] ?? known) : known);
  }
  return state;
}

/** What a create would give: its inputs, and `Unknown` for what only the service can tell. */
export function plannedState(schema: Schema, news: PropertyMap): PropertyMap {
  const state: PropertyMap = { id: Unknown.value };
  for (const [name, property] of Object.entries(schema)) {
    const value = news[name] ?? (property.outputOnly || property.computed ? Unknown.value : undefined);
    if (value !== undefined) state[name] = withoutDefaultsKey(value);
  }
  return state;
}

/** What an update would give: its inputs, and the state's word for what they leave to the service. */
export function updatedState(schema: Schema, olds: PropertyMap, news: PropertyMap): PropertyMap {
  const state: PropertyMap = olds['id'] === undefined ? {} : { id: olds['id'] };
  for (const [name, property] of Object.entries(schema)) {
    const value = news[name] ?? (property.outputOnly || property.computed ? olds[name] : undefined);
    if (value !== undefined) state[name] = withoutDefaultsKey(value);
  }
  return state;
}

/**
 * The inputs after a refresh: those there were, with what the service says now. A default that no longer holds
 * is a default no more (pulumi/pulumi-terraform-bridge `pkg/tfbridge/schema.go`, `extractInputs`).
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

/** Of an object only the fields that were declared: the rest is the service's own choice. */
function refreshedFields({ fields = {} }: Property, input: PropertyMap, now: PropertyValue): PropertyValue {
  return isPropertyMap(now) ? refreshedInputs(fields, input, now) : now;
}

/**
 * The inputs of a resource that is imported: what the service says, without what is empty or equal to a
 * default (`extractSchemaInputs` of the same file).
 */
export function importedInputs(schema: Schema, state: PropertyMap): PropertyMap {
  const inputs: PropertyMap = {};
  for (const [name, property] of Object.entries(schema)) {
    const value = state[name];
    if (value === undefined || property.outputOnly) continue;
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
