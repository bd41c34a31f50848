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
  const config = [...stack.config].map(([key, given]) =>
    key === ownKeys || (withholdsSecrets && given.secret)
      ? ([key, { ...given, value: emptied(given.value) }] as const)
      : ([key, given] as const),
  );
  return { ...stack, config: new Map(config) };
}

function emptied(text: string): string {
  const names = objectIn(text);
  if (names === undefined) return placeholder;
  return JSON.stringify(names, (_, value) => (typeof value === 'object' ? value : placeholder));
}

/** Inputs of a resource, where what the program was not given stays as it is: what is unknown is not compared. */
export function mapKept(inputs: PropertyMap, old: PropertyMap): PropertyMap {
  return Object.fromEntries(Object.entries(inputs).map(([key, value]) => [key, kept(value, old[key])]));
}

function kept(value: PropertyValue, old: PropertyValue | undefined): PropertyValue {
  if (value instanceof Secret) {
    const isWithheld = JSON.stringify(value.value)?.includes(placeholder) ?? false;
    return isWithheld && old instanceof Secret ? old : value;
  }
  if (Array.isArray(value)) {
    const before = Array.isArray(old) ? old : [];
    return value.map((item, index) => kept(item, before[index]));
  }
  return isPropertyMap(value) ? mapKept(value, isPropertyMap(old) ? old : {}) : value;
}
