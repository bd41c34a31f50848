import { isSubjectNamed, type Subject, subjectName } from '@gatehouse/core/graph';
import { GatehouseError, nearest, shortened } from '@gatehouse/core/values';
import { unknownTarget } from '../deployment/selection.ts';

/**
 * Keeps an `up` from overwriting what it did not create, and from being applied only in part.
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
  const { what, given: takenNames, fix } = refusal?.parts ?? {};
  const all = [
    ...failures,
    ...(refusal ? [`${what?.replace(/ Nothing was changed\.$/, '')} ${takenNames}. ${fix}`] : []),
  ];
  const values = { problems: all.join('\n  ') };
  if (all.length === 1) throw new GatehouseError('would_fail', { values });
  throw new GatehouseError('would_fail.several', { values: { ...values, count: all.length } });
}

/** The refusal for what would be taken over without being named. */
function notOwn(taken: readonly Subject[], named: readonly string[]): GatehouseError | undefined {
  const left = taken.filter((subject) => !named.some((text) => isSubjectNamed(subject, text)));
  const [first] = left;
  if (first === undefined) return undefined;
  const names = left.map(subjectName);
  const [name = ''] = names;
  const listed = shortened(names, 8);
  return left.length === 1
    ? new GatehouseError('would_take_over', { given: listed, values: { name } })
    : new GatehouseError('would_take_over.several', { given: listed, values: { count: left.length, name } });
}

/**
 * Keeps a misspelled `--take-over` from being passed over.
 *
 * @param planned all that the stack declares
 * @throws GatehouseError `target_unknown`
 */
export function requireDeclared(named: readonly string[], planned: readonly Subject[]): void {
  const unknown = named.find((text) => !planned.some((subject) => isSubjectNamed(subject, text)));
  if (unknown === undefined) return;
  const names = [...new Set(planned.map(subjectName))].sort();
  throw unknownTarget(unknown, '--take-over', nearest(unknown, names), names);
}
