import type { OtherNode } from '../graph/graph.ts';
import { boundsOfNode, effectOf, isOpaque, lifetimeOfNode, wordsOf } from '../graph/nodes/other-node.ts';
import { isSame } from '../graph/resources/field.ts';
import { textsOf } from '../graph/values/loose-values.ts';
import type { AccessChange, Also } from './access-change.ts';
import { orderOf } from './other-bounds.ts';

/** What becomes of access by a node that no stack declares, apart from its policies. */
export function otherEffect(
  old: OtherNode | undefined,
  wanted: OtherNode | undefined,
): Partial<AccessChange> {
  if (old !== undefined && wanted !== undefined) {
    const [was, is] = [old, wanted].map((node) => ({
      ...boundsOfNode(node),
      ...(isOpaque(node) && { isOpaque: true }),
    }));
    const also = (about: Also['about'], answers: ReturnType<typeof orderOf>, words: string) =>
      answers ? [{ about, ...answers, words }] : [];
    return {
      also: [
        ...also('bounds', orderOf(was, is), askedWords(old, wanted) ?? 'its sign-in requirements change'),
        ...lifeOf(orderOf(lifetimeOfNode(old), lifetimeOfNode(wanted))),
      ],
    };
  }
  const isNew = old === undefined;
  const node = wanted ?? old;
  if (node === undefined) return {};
  const effect = effectOf(node);
  const [side, other] = isNew ? (['gains', 'losses'] as const) : (['losses', 'gains'] as const);
  if (effect === 'takes') {
    const words = isNew ? 'it is new and denies access' : 'it denied access and is removed';
    return { also: [{ about: 'bounds', gains: 'none', losses: 'none', [other]: 'some', words }] };
  }
  const uncertainty =
    effect === 'gives' ? {} : { [other]: 'unknown', uncertain: [`what ${wordsOf(node)} does`] };
  return { ...uncertainty, [side]: 'some' };
}

/** What a creator of a token may ask for by the patterns of a token role, where nothing else of its bounds changes. */
function askedWords(old: OtherNode, wanted: OtherNode): string | undefined {
  const field = 'allowed_policies_glob';
  const [before, after] = [old, wanted].map((node) => textsOf(boundsOfNode(node)[field]));
  const rest = (node: OtherNode) => {
    const { [field]: _, ...remaining } = boundsOfNode(node);
    return remaining;
  };
  if (isSame(before, after) || !isSame(rest(old), rest(wanted))) return undefined;
  const words = (patterns: string[] = []) => (patterns.length === 0 ? 'none' : patterns.join(', '));
  return `policies that may be asked for: ${words(before)} → ${words(after)}`;
}

/** Tokens that live longer are what more is gained by. */
function lifeOf(order: ReturnType<typeof orderOf>): Also[] {
  if (order === undefined) return [];
  const life = ({ some: 'longer', unknown: 'unknown', none: 'shorter' } as const)[order.gains];
  return [{ about: 'lifetime', gains: 'none', losses: 'none', life, words: 'its token lifetime changes' }];
}
