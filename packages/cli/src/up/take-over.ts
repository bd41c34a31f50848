import type { Subject } from '@gatehouse/core/graph';
import { GatehouseError, nameKey, shortened } from '@gatehouse/core/values';

/**
 * Keeps an `up` from writing over what it did not make.
 *
 * @param taken what it would create and the service has already
 * @param named what may be taken over: `policy deploy`, `role ci/web`
 * @throws GatehouseError `would_take_over`
 */
export function requireOwn(taken: readonly Subject[], named: readonly string[]): void {
  const isNamed = (subject: Subject) =>
    namesOf(subject).some((name) => named.some((one) => isSame(one, name)));
  const left = taken.filter((subject) => !isNamed(subject));
  const [first] = left;
  if (first === undefined) return;
  const names = left.map((subject) => namesOf(subject).at(-1) ?? '');
  const [name = ''] = names;
  const given = shortened(names, 8);
  if (left.length === 1) throw new GatehouseError('would_take_over', { given, values: { name } });
  throw new GatehouseError('would_take_over.several', { given, values: { count: left.length, name } });
}

/** As `--target` names it, the longest last. What is in another namespace is named with that. */
function namesOf({ type, name, method, namespace }: Subject): string[] {
  const names = [name, ...(method === undefined ? [] : [`${method}/${name}`])];
  return names.map((one) => `${type} ${namespace === undefined ? '' : `${namespace}/`}${one}`);
}

function isSame(one: string, other: string): boolean {
  return nameKey(one.trim().replace(/\s+/, ' ')) === nameKey(other);
}
