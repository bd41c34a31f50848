import { namedKey } from '../../graph/memberships.ts';
import { keyOfNode, type OtherNode, wordsOf } from '../../graph/nodes/other-node.ts';
import {
  type EdgeNodes,
  type EdgeRow,
  entityNode,
  groupAliasesNode,
  groupNode,
  type LeadingRow,
  type Lookup,
  methodNode,
  type NodeKey,
  policyNode,
  policyNodes,
} from './edge.ts';
import { identityMetadataRow } from './metadata-rows.ts';
import { endElsewhere, filledInBy, type OpenEnd } from './open-end.ts';
import { readersOf, readsMoreThanIds } from './template-readers.ts';

/** Groups and entities, and what leads to them. */
type IdentityKind = 'alias' | 'otherAlias' | 'entityAlias' | 'issuedTokens' | 'group' | 'entity';
type Identified = EdgeNodes['group' | 'entity'];

const groupRow: LeadingRow<{ group: string }> = {
  attribute: 'group',
  decides: ['groups'],
  how: 'always',
  to: 'group',
  ends: ({ group }) => [groupNode(group)],
  lists: ['groups', 'identities'],
};

/** People had another entity before an alias led them to this one, and tokens before they were of one. */
const entityRow: LeadingRow<OtherNode & { entity?: string }> = {
  attribute: 'entity',
  decides: ['identity'],
  how: 'always',
  to: 'entity',
  ends: ({ entity }) => (entity === undefined ? [] : [entityNode(entity)]),
  lists: ['identities'],
  former: (node) => endElsewhere(keyOfNode(node), 'former', { kind: 'other', name: wordsOf(node) }),
};

/** Groups and entities have their own policies, and those of the groups around them. */
const ofIdentity: EdgeRow<Identified>[] = [
  { attribute: 'id', decides: ['identity', 'groups'], opens: 'identity' },
  {
    attribute: 'name',
    decides: ['identity', 'templates'],
    how: 'fills in',
    to: 'policy',
    ends: (named, lookup) => namesFilledIn(named, lookup).map(policyNode),
    along: openByName,
    lists: ['policies'],
  },
  {
    attribute: 'policies',
    decides: ['policies'],
    how: 'always',
    to: 'policy',
    ends: policyNodes,
    // Some are attached to it by other resources.
    lists: ['identities'],
  },
  {
    attribute: 'members',
    decides: ['groups', 'templates'],
    how: 'always',
    to: 'group',
    ends: (named, { memberships }) => memberships.around(named).map(({ key }) => key),
    lists: ['groups', 'identities'],
  },
  identityMetadataRow,
];

export const identityRows: { [Kind in IdentityKind]: EdgeRow<EdgeNodes[Kind]>[] } = {
  alias: [groupRow],
  otherAlias: [groupRow],
  entityAlias: [
    entityRow,
    // A graph does not have it.
    {
      attribute: 'customMetadata',
      decides: ['templates'],
      how: 'fills in',
      to: 'policy',
      lists: ['policies'],
      readAs: '.custom_metadata.',
    },
  ],
  issuedTokens: [
    { attribute: 'policies', decides: ['policies'], how: 'always', to: 'policy', ends: policyNodes },
    entityRow,
    {
      attribute: 'method',
      decides: ['groups'],
      how: 'always',
      to: 'method',
      ends: ({ method }) => (method === undefined ? [] : [methodNode(method)]),
    },
  ],
  group: [...ofIdentity],
  entity: [
    ...ofIdentity,
    {
      attribute: 'aliases',
      decides: ['groups'],
      how: 'always',
      to: 'groupAliases',
      // It keeps the groups of one method when it signs in at another.
      ends: ({ name }, lookup) => lookup.methodsOf(name).map(groupAliasesNode),
    },
    { attribute: 'disabled', decides: ['who'] },
  ],
};

/** Policies that a group or an entity fills in. What the change makes has an id that no policy has read before. */
function namesFilledIn(named: Identified, lookup: Lookup): readonly string[] {
  const { graph } = lookup;
  const readers = readersOf(graph, named);
  if (!lookup.isFresh(namedKey(named))) return readers;
  return readers.filter((policy) => readsMoreThanIds(graph, policy));
}

/** By its name, what the change makes or renames may fill in policies elsewhere as well. */
function openByName(named: Identified, lookup: Lookup, key: NodeKey): OpenEnd[] {
  // A template reads a name as it is spelled.
  const spelled = `${key} ${named.name}`;
  const known = namesFilledIn(named, lookup).map((policy) => filledInBy(key, spelled, policy, named));
  if (!lookup.isFresh(key)) return known;
  const metadata = lookup.metadata.get(key);
  const edge = metadata === undefined ? 'name' : 'name-and-metadata';
  return [endElsewhere(`name of ${key} ${JSON.stringify(metadata ?? {})}`, edge, named), ...known];
}
