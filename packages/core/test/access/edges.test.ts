import { describe, expect, test } from '@jest/globals';
import {
  aliasNode,
  type EdgeRow,
  edges,
  groupAliasesNode,
  methodNode,
  type NodeKey,
  roleNode,
} from '../../src/access/edges.ts';
import { GraphIndex } from '../../src/access/graph-index.ts';
import { keyOfNode, type OtherNode } from '../../src/graph/nodes/other-node.ts';
import { graph } from '../worlds.ts';

/** A graph in which tokens have the policy `p` by one row alone. */
interface World {
  text: string;
  /** Where the token begins; defaults to the last node that no stack declares. */
  from?: NodeKey;
}

const reader = 'role r - groupsClaim: groups, tokenNoDefaultPolicy: true';
const from = roleNode('ci', 'r');
const mapped = 'group g p\n alias a ci g';

/** By the kind that a row leads from, and its attribute. */
const worlds: Record<string, World> = {
  'role policies': { text: 'role r p tokenNoDefaultPolicy: true', from },
  'role tokenNoDefaultPolicy': { text: 'role r - tokenNoDefaultPolicy: false', from },
  'role method': { text: `${reader}\n ${mapped}`, from },
  'role boundClaims': {
    text: `role r - groupsClaim: groups, boundClaims: {groups: [a]}\n ${mapped}`,
    from,
  },
  'method groupsClaim': { text: `${reader}\n ${mapped}`, from },
  'method entityAliases': { text: 'role r -\n entity ann p\n entity-alias ann ci ann', from },
  'method otherAliases': { text: 'group g p\n group-alias a ldap ldap g', from: methodNode('ldap') },
  'method otherRoles': { text: 'ldap-group ldap/crew p', from: methodNode('ldap') },
  'method policies': { text: 'mount ldap ldap token_policies: [p]', from: methodNode('ldap') },
  'groupAliases aliases': { text: `${reader}\n ${mapped}`, from: groupAliasesNode('ci') },
  'otherMethod policies': { text: 'mount ldap ldap token_policies: [p]' },
  'otherRole policies': { text: 'approle apps/web p' },
  'otherRole allowedPolicies': { text: 'token t p' },
  'otherRole allowedPoliciesGlob': { text: 'policy p: a read\n token t - allowed_policies_glob: ["p*"]' },
  'otherRole tokenNoDefaultPolicy': { text: 'approle apps/web -' },
  'otherRole method': { text: 'entity ann p\n entity-alias ann apps ann\n approle apps/web -' },
  'otherRole maker': { text: `${reader}\n ${mapped}\n token t -` },
  'alias group': { text: mapped, from: aliasNode({ method: 'ci', name: 'a' }) },
  'otherAlias group': { text: 'group g p\n group-alias a ldap ldap g' },
  'entityAlias entity': { text: 'entity ann p\n entity-alias ann ci ann' },
  'issuedTokens policies': { text: 'issued p' },
  'issuedTokens entity': { text: 'entity ann p\n issued - ann' },
  'issuedTokens method': { text: 'ldap-group ldap/crew p\n issued - ann ldap' },
  'group policies': { text: 'group g p', from: 'group g' },
  'group members': { text: 'group g -\n internal outer p group:g', from: 'group g' },
  'entity policies': { text: 'entity ann p', from: 'entity ann' },
  'entity members': { text: 'entity ann -\n internal outer p entity:ann', from: 'entity ann' },
  'entity aliases': {
    text: `${reader}\n ${mapped}\n entity-alias ann ci ann\n entity-alias ann far ann`,
    from: methodNode('far'),
  },
  'other policies': { text: 'made-token t p' },
};

/** All that tokens may have, and what they must have, from a node on. */
function heldFrom({ text, from: start }: World): { policies: string[]; required: readonly NodeKey[] } {
  const world = graph(text);
  const { walk } = new GraphIndex(world);
  const last: OtherNode | undefined = world.others?.at(-1);
  const key = start ?? (last === undefined ? '' : keyOfNode(last));
  const brought = [...walk.bringing(key).keys()].flatMap((source) => walk.ends(source, 'any of'));
  const policies = [key, ...brought].flatMap((node) => walk.policiesOf(node));
  return { policies: [...new Set(policies)].sort(), required: walk.ends(key, 'only if') };
}

const rows = Object.entries(edges).flatMap(([kind, list]) =>
  list.map((row: EdgeRow<never>) => ({
    name: `${kind} ${row.attribute}`,
    list: list as EdgeRow<never>[],
    row,
  })),
);

describe('the table of edges', () => {
  test('has a world of each row', () => {
    expect(Object.keys(worlds).sort()).toEqual(rows.map(({ name }) => name).sort());
  });

  test.each(rows.map((row) => [row.name, row] as const))(
    '%s: what a token holds is found by it, and by nothing else',
    (name, { list, row }) => {
      const world = worlds[name] as World;
      const held = heldFrom(world);
      const isFound = row.how === 'only if' ? held.required.length > 0 : held.policies.length > 0;
      expect(isFound).toBe(true);
      const at = list.indexOf(row);
      list.splice(at, 1);
      try {
        expect(heldFrom(world)).not.toEqual(held);
      } finally {
        list.splice(at, 0, row);
      }
    },
  );
});
