import type { EdgeNode, OpenEdge, Reason } from '../reasons/reason.ts';

/** Something outside of a graph that a token has by an edge, or in it and not worked out. */
export interface OpenEnd {
  /** Two with the same key are one. */
  key: string;
  /** An open end that is closed once the lists are complete that its edge hangs on. */
  reason: Reason;
  /** It stays open however much is known. Defaults to false. */
  isUncertain?: true;
}

/** Something elsewhere that hangs on a node by an edge. */
export function endElsewhere(key: string, edge: OpenEdge, { kind, name }: EdgeNode): OpenEnd {
  return { key, reason: { kind: 'open-end', edge, node: { kind, name } } };
}

/** A policy that a node fills in: what it allows is not worked out. */
export function filledIn(key: string, policy: string, by: EdgeNode, what?: 'metadata'): OpenEnd {
  const { kind, name } = by;
  const reason: Reason = { kind: 'filled-in', policy, by: { kind, name }, ...(what && { what }) };
  return { key: `${key} fills in ${policy}`, reason, isUncertain: true };
}
