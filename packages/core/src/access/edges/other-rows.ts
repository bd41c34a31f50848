import { policiesOfNode } from '../../graph/nodes/other-node.ts';
import {
  type EdgeNodes,
  type EdgeRow,
  entityNode,
  groupNode,
  methodNode,
  methodTypeNode,
  policyNode,
} from './edge.ts';
import { signInMetadataRow } from './metadata-rows.ts';

/** What no one signs in by. */
type KindApart = 'guard' | 'other' | 'policy';

export const otherRows: { [Kind in KindApart]: EdgeRow<EdgeNodes[Kind]>[] } = {
  guard: [
    {
      attribute: 'groups',
      decides: ['who'],
      how: 'guards',
      to: 'group',
      ends: ({ targets }) => targets?.groups.map(groupNode) ?? [],
      lists: ['guards'],
    },
    {
      attribute: 'entities',
      decides: ['who'],
      how: 'guards',
      to: 'entity',
      ends: ({ targets }) => targets?.entities.map(entityNode) ?? [],
      lists: ['guards'],
    },
    {
      attribute: 'methods',
      decides: ['who'],
      how: 'guards',
      to: 'method',
      ends: ({ targets }) => targets?.methods.map(methodNode) ?? [],
      lists: ['guards'],
    },
    {
      attribute: 'types',
      decides: ['who'],
      how: 'guards',
      to: 'methodType',
      ends: ({ targets }) => targets?.types.map(methodTypeNode) ?? [],
      lists: ['guards'],
    },
  ],
  other: [
    {
      attribute: 'policies',
      decides: ['policies'],
      how: 'always',
      to: 'policy',
      ends: (node) => policiesOfNode(node).map(policyNode),
    },
    signInMetadataRow,
  ],
  policy: [{ attribute: 'text', decides: ['rules'] }],
};
