import {
  isPropertyMap,
  type PropertyMap,
  type PropertyValue,
  ResourceReference,
  Secret,
} from '../property-value.ts';

/**
 * Secrets in plugin calls, as in pulumi/pulumi `sdk/go/common/resource/plugin/provider_plugin.go`. Every function
 * returns its argument if there is nothing to change, so a stack without secrets is not copied.
 */

function holdsSecret(value: PropertyValue | undefined): boolean {
  if (value instanceof Secret) return true;
  if (value instanceof ResourceReference) return holdsSecret(value.id);
  if (Array.isArray(value)) return value.some(holdsSecret);
  return isPropertyMap(value) && Object.values(value).some(holdsSecret);
}

/** Replaces secrets by their value and resource references by their id: plugins know neither. */
export function plain(value: PropertyMap): PropertyMap;
export function plain(value: PropertyValue): PropertyValue;
export function plain(value: PropertyValue): PropertyValue {
  if (value instanceof Secret) return plain(value.value);
  if (value instanceof ResourceReference) return value.id ?? value.urn;
  if (Array.isArray(value)) {
    const entries = value.map((entry) => plain(entry));
    return entries.some((entry, index) => entry !== value[index]) ? entries : value;
  }
  if (!isPropertyMap(value)) return value;
  let copy: PropertyMap | undefined;
  for (const key in value) {
    const before = value[key];
    if (before === undefined) continue;
    const after = plain(before);
    if (after === before) continue;
    copy ??= { ...value };
    copy[key] = after;
  }
  return copy ?? value;
}

/**
 * Marks values in `outs` that are secret under the same name in `ins` (`annotateSecrets`). Recurses into objects, so
 * that one secret does not hide them whole; a list with a secret becomes secret, because plugins may reorder it.
 */
export function annotateSecrets(outs: PropertyMap, ins: PropertyMap): PropertyMap {
  let copy: PropertyMap | undefined;
  for (const key in ins) {
    const before = outs[key];
    const source = ins[key];
    if (before === undefined || source === undefined || before instanceof Secret) continue;
    let after: PropertyValue = before;
    if (isPropertyMap(before) && isPropertyMap(source)) after = annotateSecrets(before, source);
    else if (holdsSecret(source)) after = new Secret(before);
    if (after === before) continue;
    copy ??= { ...outs };
    copy[key] = after;
  }
  return copy ?? outs;
}

/**
 * Marks the outputs that the program declares secret, and those whose input of the same name is secret (pulumi/pulumi
 * `pkg/resource/deploy/step_executor.go`, `continueExecuteStep`) or has secrets in it: what an import or the next run
 * after a kill reads was never marked. `id` cannot be declared secret.
 */
export function markSecretOutputs(
  outputs: PropertyMap,
  inputs: PropertyMap,
  additional: string[],
): PropertyMap {
  let copy: PropertyMap | undefined;
  for (const key of additional) {
    const value = outputs[key];
    if (key === 'id' || value === undefined || value instanceof Secret) continue;
    copy ??= { ...outputs };
    copy[key] = new Secret(value);
  }
  return annotateSecrets(copy ?? outputs, inputs);
}
