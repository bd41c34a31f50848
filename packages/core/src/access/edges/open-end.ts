import { policyKey } from '../../graph/values/name-key.ts';
import type { EdgeNode, OpenEdge, Reason } from '../reasons/reason.ts';

/** A node that fills in a policy. */
export interface FilledBy {
  /** In lower case. */
  policy: string;
  /** The key of the node. */
  by: string;
}

/** Something outside of a graph that a token has by an edge, or in it and not worked out. */
export interface OpenEnd {
  /** Two with the same key are one. */
  key: string;
  /** An open end that is closed once the lists are complete that its edge hangs on. */
  reason: Reason;
  /** It stays open however much is known. Defaults to false. */
  isUncertain?: true;
  /** A node whose texts are known on both sides fills in a policy: tokens tell what comes of it. Defaults to none. */
  fills?: FilledBy;
}

/** Something elsewhere that hangs on a node by an edge. */
export function endElsewhere(key: string, edge: OpenEdge, { kind, name }: EdgeNode): OpenEnd {
  return { key, reason: { kind: 'open-end', edge, node: { kind, name } } };
}

/** A policy that a node fills in: what it allows is not known by that alone. */
export function filledIn(key: string, policy: string, by: EdgeNode, what?: 'metadata'): OpenEnd {
  const { kind, name } = by;
  const reason: Reason = { kind: 'filled-in', policy, by: { kind, name }, ...(what && { what }) };
  return { key: `${key} fills in ${policy}`, reason, isUncertain: true };
}

/** The same by a group, an entity or a secret id: filled-tokens.ts works out what tokens gain and lose. */
export function filledInBy(node: string, ...[key, policy, by, what]: Parameters<typeof filledIn>): OpenEnd {
  return { ...filledIn(key, policy, by, what), fills: { policy: policyKey(policy), by: node } };
}
