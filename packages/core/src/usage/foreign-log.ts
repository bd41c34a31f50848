import { isComplete } from '../graph/graph.ts';
import type { FoldedLog } from './folded-log.ts';
import type { LoggedService } from './logged-principals.ts';
import type { ForeignLog } from './missing-from-log.ts';

/**
 * Why a log shows no use. Its server leaves out what policies allowed, as older ones and the embedded service do. Or it
 * is taken for one of another service: they have no entity in common. Undefined where they have one, where the log has none, or
 * where the entities of the service were not read.
 */
export function foreignLog(
  { entities, requests, unchecked }: Pick<FoldedLog, 'entities' | 'requests' | 'unchecked'>,
  { graph, ids = {} }: LoggedService,
): ForeignLog | undefined {
  if (unchecked > 0 && !requests.some(({ outcome }) => outcome === 'allowed'))
    return { kind: 'allowed-left-out' };
  const known = ids.entity;
  if (known === undefined || !isComplete(graph, 'identities')) return undefined;
  if (entities.length === 0 || entities.some((id) => Object.hasOwn(known, id))) return undefined;
  return { kind: 'other-service', entities: entities.length };
}
