import { credentialRows } from './credential-rows.ts';
import type { EdgeKind, EdgeNodes, EdgeRow } from './edge.ts';
import { identityRows } from './identity-rows.ts';
import { otherRows } from './other-rows.ts';
import { signInRows } from './sign-in-rows.ts';

/**
 * What leads to what, by the kind of what it leads from, and what each attribute decides. Nothing else composes what a token
 * holds, and nothing else says what a change of it may reach outside of a graph. An attribute without a row may reach everything.
 */
export const edges: { readonly [Kind in EdgeKind]: EdgeRow<EdgeNodes[Kind]>[] } = {
  ...signInRows,
  ...identityRows,
  ...otherRows,
  ...credentialRows,
};

/** The rows of a kind of node. */
export function rowsOf<Kind extends EdgeKind>(kind: Kind): readonly EdgeRow<EdgeNodes[Kind]>[] {
  return edges[kind];
}
