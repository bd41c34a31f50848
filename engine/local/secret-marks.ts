import {
  isPropertyMap,
  type PropertyMap,
  type PropertyValue,
  ResourceReference,
  Secret,
  Unknown,
} from '../property-value.ts';

/**
 * Secrets around calls of a plugin, as pulumi/pulumi `sdk/go/common/resource/plugin/provider_plugin.go`
 * has them. Every function returns its argument itself when there is nothing to change, so that a stack
 * without secrets costs one walk and no copies.
 */

function some(value: PropertyValue | undefined, test: (leaf: PropertyValue) => boolean): boolean {
  if (value === undefined) return false;
  if (test(value)) return true;
  if (Array.isArray(value)) return value.some((entry) => some(entry, test));
  if (value instanceof Secret) return some(value.value, test);
  if (value instanceof ResourceReference) return some(value.id, test);
  if (isPropertyMap(value)) {
    for (const key in value) if (some(value[key], test)) return true;
  }
  return false;
}

export function containsSecrets(value: PropertyValue): boolean {
  return some(value, (leaf) => leaf instanceof Secret);
}

export function containsUnknowns(value: PropertyValue): boolean {
  return some(value, (leaf) => leaf instanceof Unknown);
}

export interface Accepts {
  secrets: boolean;
  resources: boolean;
}

/** The properties as a plugin accepts them: secrets by their value, resource references by their id. */
export function forPlugin(map: PropertyMap, accepts: Accepts): PropertyMap {
  return accepts.secrets && accepts.resources ? map : (stripped(map, accepts) as PropertyMap);
}

function stripped(value: PropertyValue, accepts: Accepts): PropertyValue {
  if (value instanceof Secret) {
    return accepts.secrets ? value : stripped(value.value, accepts);
  }
  if (value instanceof ResourceReference) {
    return accepts.resources ? value : (value.id ?? value.urn);
  }
  if (Array.isArray(value)) {
    const entries = value.map((entry) => stripped(entry, accepts));
    return entries.some((entry, index) => entry !== value[index]) ? entries : value;
  }
  if (!isPropertyMap(value)) return value;
  let copy: PropertyMap | undefined;
  for (const key in value) {
    const before = value[key];
    if (before === undefined) continue;
    const after = stripped(before, accepts);
    if (after === before) continue;
    copy ??= { ...value };
    copy[key] = after;
  }
  return copy ?? value;
}

/**
 * Marks in `outs` what was secret under the same name in `ins`. Objects are gone into, so that one secret
 * does not hide a whole structure; a list with a secret in it becomes secret as a whole, because plugins may
 * reorder it (`annotateSecrets`).
 */
export function annotateSecrets(outs: PropertyMap, ins: PropertyMap): PropertyMap {
  let copy: PropertyMap | undefined;
  for (const key in ins) {
    const before = outs[key];
    const source = ins[key];
    if (before === undefined || source === undefined || before instanceof Secret) continue;
    let after: PropertyValue = before;
    if (isPropertyMap(before) && isPropertyMap(source)) after = annotateSecrets(before, source);
    else if (containsSecrets(source)) after = new Secret(before);
    if (after === before) continue;
    copy ??= { ...outs };
    copy[key] = after;
  }
  return copy ?? outs;
}

/**
 * Marks the outputs that the program called secret and those whose input of the same name is one
 * (pulumi/pulumi `pkg/resource/deploy/step_executor.go`, `continueExecuteStep`). `id` cannot be secret.
 */
export function markSecretOutputs(
  outputs: PropertyMap,
  inputs: PropertyMap,
  additional: string[],
): PropertyMap {
  let copy: PropertyMap | undefined;
  const mark = (key: string) => {
    const value = (copy ?? outputs)[key];
    if (value === undefined || value instanceof Secret) return;
    copy ??= { ...outputs };
    copy[key] = new Secret(value);
  };
  for (const key of additional) if (key !== 'id') mark(key);
  for (const key in inputs) if (inputs[key] instanceof Secret) mark(key);
  return copy ?? outputs;
}
