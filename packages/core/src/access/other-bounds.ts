import { isSame } from '../graph/resources/field.ts';
import type { Answer } from './access-change.ts';
import { directions, orderOf } from './sign-in/bound-order.ts';

/** Whether a field's change lets more in, or fewer; undefined where it does neither. */
export function answersOf(
  field: string,
  before: unknown,
  after: unknown,
): Record<'gains' | 'losses', Answer> | undefined {
  if (isSame(before, after)) return undefined;
  const { widens, narrows } = directions(orderOf(field), before, after);
  const answer = (isSo: boolean): Answer => (isSo ? 'some' : 'none');
  return widens || narrows ? { gains: answer(widens), losses: answer(narrows) } : undefined;
}
