import type { Subject } from '@gatehouse/core/graph';
import { GatehouseError, nameKey, shortened } from '@gatehouse/core/values';

/**
 * Keeps an `up` from writing over what it did not make, and from a half of what it would make.
 *
 * @param taken what it would create and the service has already
 * @param named what may be taken over: `policy deploy`, `role ci/web`
 * @param failures what the service would refuse, as `checkPlan` says it
 * @throws GatehouseError `would_take_over`, or `would_fail` with all of it
 */
export function requireApplicable(
  taken: readonly Subject[],
  named: readonly string[],
  failures: readonly string[],
): void {
  const refusal = notOwn(taken, named);
  if (failures.length === 0) {
    if (refusal !== undefined) throw refusal;
    return;
  }
  const { what, given, fix } = refusal?.parts ?? {};
  const all = [
    ...failures,
    ...(refusal ? [`${what?.replace(/ Nothing was changed\.$/, '')} ${given}. ${fix}`] : []),
  ];
  const values = { problems: all.join('\n  ') };
  if (all.length === 1) throw new GatehouseError('would_fail', { values });
  throw new GatehouseError('would_fail.several', { values: { ...values, count: all.length } });
}

function notOwn(taken: readonly Subject[], named: readonly string[]): GatehouseError | undefined {
  const isNamed = (subject: Subject) =>
    namesOf(subject).some((name) => named.some((one) => isSame(one, name)));
  const left = taken.filter((subject) => !isNamed(subject));
  const [first] = left;
  if (first === undefined) return undefined;
  const names = left.map((subject) => namesOf(subject).at(-1) ?? '');
  const [name = ''] = names;
  const given = shortened(names, 8);
  return left.length === 1
    ? new GatehouseError('would_take_over', { given, values: { name } })
    : new GatehouseError('would_take_over.several', { given, values: { count: left.length, name } });
}

/** As `--target` names it, the longest last. What is in another namespace is named with that. */
function namesOf({ type, name, method, namespace }: Subject): string[] {
  const names = [name, ...(method === undefined ? [] : [`${method}/${name}`])];
  return names.map((one) => `${type} ${namespace === undefined ? '' : `${namespace}/`}${one}`);
}

function isSame(one: string, other: string): boolean {
  return nameKey(one.trim().replace(/\s+/, ' ')) === nameKey(other);
}
