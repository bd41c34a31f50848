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
  throw new GatehouseError({
    code: 'would_fail',
    what:
      all.length === 1
        ? 'The service would refuse this. Nothing was changed:'
        : `The service would refuse this for ${all.length} reasons. Nothing was changed:`,
    fix: all.join('\n  '),
  });
}

function notOwn(taken: readonly Subject[], named: readonly string[]): GatehouseError | undefined {
  const isNamed = (subject: Subject) =>
    namesOf(subject).some((name) => named.some((one) => isSame(one, name)));
  const left = taken.filter((subject) => !isNamed(subject));
  const [first] = left;
  if (first === undefined) return undefined;
  const names = left.map((subject) => namesOf(subject).at(-1) ?? '');
  return new GatehouseError({
    code: 'would_take_over',
    what:
      left.length === 1
        ? 'The service already has a resource that this would create. Nothing was changed.'
        : `The service already has ${left.length} resources that this would create. Nothing was changed.`,
    given: shortened(names, 8),
    fix: `Use the stack’s own state if this checkout lacks it. Import what belongs to this stack (gatehouse adopt), or name it: --take-over '${names[0]}'.`,
  });
}

/** As `--target` names it, the longest last. What is in another namespace is named with that. */
function namesOf({ type, name, method, namespace }: Subject): string[] {
  const names = [name, ...(method === undefined ? [] : [`${method}/${name}`])];
  return names.map((one) => `${type} ${namespace === undefined ? '' : `${namespace}/`}${one}`);
}

function isSame(one: string, other: string): boolean {
  return nameKey(one.trim().replace(/\s+/, ' ')) === nameKey(other);
}
