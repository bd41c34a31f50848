import { objectIn } from '@gatehouse/core/values';
import { isPropertyMap, type PropertyMap, type PropertyValue, Secret } from '../property-value.ts';
import type { Stack } from '../stack.ts';
import type { Contained } from './containment.ts';

/** What stands for a secret that a program did not get. */
const placeholder = 'withheld while planning';

/** Keys that sign requests are the platform's own: no program needs more than their names. */
const ownKeys = 'gatehouse:runTaskKeys';

/** A stack without the secrets that a program is not given. Names in a map of secrets stay. */
export function withheldFrom<Given extends Pick<Stack, 'config'>>(
  stack: Given,
  { withholdsSecrets }: Pick<Contained, 'withholdsSecrets'>,
): Given {
  const config = [...stack.config].map(([key, setting]) =>
    key === ownKeys || (withholdsSecrets && setting.secret)
      ? ([key, { ...setting, value: emptied(setting.value) }] as const)
      : ([key, setting] as const),
  );
  return { ...stack, config: new Map(config) };
}

function emptied(text: string): string {
  const names = objectIn(text);
  if (names === undefined) return placeholder;
  return JSON.stringify(names, (_, value) => (typeof value === 'object' ? value : placeholder));
}

/** Inputs of a resource, in which secrets that were withheld from the program stay as they are: a placeholder is no change. */
export function mapKept(inputs: PropertyMap, before: PropertyMap): PropertyMap {
  return Object.fromEntries(Object.entries(inputs).map(([key, value]) => [key, kept(value, before[key])]));
}

function kept(value: PropertyValue, before: PropertyValue | undefined): PropertyValue {
  if (value instanceof Secret) {
    const isWithheld = JSON.stringify(value.value)?.includes(placeholder) ?? false;
    return isWithheld && before instanceof Secret ? before : value;
  }
  if (Array.isArray(value)) {
    const itemsBefore = Array.isArray(before) ? before : [];
    return value.map((item, index) => kept(item, itemsBefore[index]));
  }
  return isPropertyMap(value) ? mapKept(value, isPropertyMap(before) ? before : {}) : value;
}
