import type { OtherNode } from '../graph/graph.ts';
import { effectOf, wordsOf } from '../graph/nodes/other-node.ts';
import type { AccessChange } from './access-change.ts';
import { settingChanges } from './other-settings.ts';

/** What becomes of access by a node that no stack declares, apart from its policies. */
export function otherEffect(
  old: OtherNode | undefined,
  wanted: OtherNode | undefined,
): Partial<AccessChange> {
  if (old !== undefined && wanted !== undefined) return { also: settingChanges(old, wanted) };
  const isNew = old === undefined;
  const node = wanted ?? old;
  if (node === undefined) return {};
  const effect = effectOf(node);
  const [side, other] = isNew ? (['gains', 'losses'] as const) : (['losses', 'gains'] as const);
  if (effect === 'takes') {
    const what = { kind: 'denial' as const, isNew };
    return { also: [{ about: 'bounds', gains: 'none', losses: 'none', [other]: 'some', what }] };
  }
  if (effect === 'gives') return { [side]: 'some' };
  const opaque = { kind: 'opaque' as const, name: wordsOf(node), asks: 'effect' as const };
  return { [side]: 'some', [other]: 'unknown', uncertain: [opaque] };
}
