import { namedKey } from '../../graph/memberships.ts';
import { metadataOfNode, type OtherNode, wordsOf } from '../../graph/nodes/other-node.ts';
import type { EdgeNode } from '../reasons/reason.ts';
import { type EdgeNodes, type LeadingRow, type Lookup, policyNode } from './edge.ts';
import { endElsewhere, filledIn, filledInBy } from './open-end.ts';
import { readersOf, readersOfAlias } from './template-readers.ts';

type Identified = EdgeNodes['group' | 'entity'];

/** Texts by their fields. */
type Texts = Readonly<Record<string, string>>;

/** What is said of a node, and fills templates in. */
interface Said<From> {
  /** Undefined for a node of which nothing is said. */
  textsOf(from: From, lookup: Lookup): Texts | undefined;
  /** Policies that a field fills in. */
  readers(from: From, lookup: Lookup, field: string): readonly string[];
  nodeOf(from: From): EdgeNode;
  what?: 'metadata';
  /** Whether a token has it and nothing else of the kind. */
  isOfToken(from: From): boolean;
}

/** Metadata of groups and entities. */
export const identityMetadataRow: LeadingRow<Identified> = {
  ...metadataRow<Identified>({
    textsOf: (named, { metadata }) => metadata.get(namedKey(named)) ?? {},
    readers: (named, { graph }, field) => readersOf(graph, named, `metadata.${field}`),
    nodeOf: (named) => named,
    isOfToken: () => true,
  }),
  isOfStaying: true,
};

/** What a sign-in says of itself, as the metadata of its alias. */
export const signInMetadataRow: LeadingRow<OtherNode> = metadataRow({
  textsOf: metadataOfNode,
  readers: (_, { graph }, field) => readersOfAlias(graph, field),
  nodeOf: (node) => ({ kind: 'other', name: wordsOf(node) }),
  what: 'metadata',
  // What a method or a role says as well is united with it in a way that is not modeled.
  isOfToken: (node) => node.kind === 'secretId',
});

/** What a policy allows is another thing with each text, so that the text is a part of the key. */
function metadataRow<From>({ textsOf, readers, nodeOf, what, isOfToken }: Said<From>): LeadingRow<From> {
  return {
    attribute: 'metadata',
    decides: ['templates'],
    how: 'fills in',
    to: 'policy',
    lists: ['policies'],
    ends: (from, lookup) =>
      Object.keys(textsOf(from, lookup) ?? {}).flatMap((field) =>
        readers(from, lookup, field).map(policyNode),
      ),
    open: (from, lookup, key) => {
      const texts = textsOf(from, lookup);
      if (texts === undefined) return [];
      const node = nodeOf(from);
      const known = Object.entries(texts).flatMap(([field, text]) =>
        readers(from, lookup, field).map((policy) => {
          const filled = [JSON.stringify([key, field, text]), policy, node, what] as const;
          return isOfToken(from) ? filledInBy(key, ...filled) : filledIn(...filled);
        }),
      );
      return [endElsewhere(`${key} ${JSON.stringify(texts)}`, 'metadata', node), ...known];
    },
  };
}
