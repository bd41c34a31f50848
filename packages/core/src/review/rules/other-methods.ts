import type { Graph } from '../../graph/graph.ts';
import { keyOfNode, type OtherKind, type OtherNode, ofKind, wordsOf } from '../../graph/nodes/other-node.ts';
import type { ChangeRule } from './rule.ts';

/** Nodes of these kinds that are on a side, and not on the opposite one. */
function missingFrom(side: Graph, opposite: Graph, ...kinds: OtherKind[]): OtherNode[] {
  const there = new Set(ofKind(opposite.others, ...kinds).map(keyOfNode));
  return ofKind(side.others, ...kinds).filter((node) => !there.has(keyOfNode(node)));
}

/** Rules over what other auth methods have. */
export const otherMethodRules: ChangeRule[] = [
  {
    id: 'guard-removed',
    severity: 'error',
    about: 'Multi-factor enforcement, a governing policy or a quota that is removed.',
    check: ({ before, after }) =>
      missingFrom(before, after, 'guard').map((guard) => ({
        subject: { type: 'other' as const, name: wordsOf(guard) },
        message: 'It blocked requests that policies allow, and is removed.',
        fix: 'Keep it until a replacement is in place, or check that this is intended.',
      })),
  },
  {
    id: 'credential-made',
    severity: 'warning',
    about: 'A secret id or token that a plan creates and its state keeps.',
    check: ({ before, after }) =>
      missingFrom(after, before, 'secretId', 'token').map((credential) => ({
        subject: { type: 'other' as const, name: wordsOf(credential) },
        message: 'The plan creates a credential. Everyone who can read the state can sign in with it.',
        fix: 'Let the workload fetch its own wrapped credential, or protect the state as well as what it opens.',
      })),
  },
];
