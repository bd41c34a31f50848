import { isComplete } from '../graph/graph.ts';
import type { FoldedLog } from './folded-log.ts';
import type { LoggedService } from './logged-principals.ts';

/**
 * Why a log is taken for one of another service, in words: they have no entity in common. Undefined where they have one, where
 * the log has none, or where the entities of the service were not read.
 */
export function foreignLog(log: FoldedLog, { graph, ids = {} }: LoggedService): string | undefined {
  const known = ids.entity;
  if (known === undefined || !isComplete(graph, 'identities')) return undefined;
  const entities = new Set<string>();
  for (const { by } of log.requests) entities.add(by.entity);
  for (const { who } of log.signIns) entities.add(who.entity);
  entities.delete('');
  if (entities.size === 0 || [...entities].some((id) => known[id] !== undefined)) return undefined;
  const what = entities.size === 1 ? 'its 1 entity is' : `all of its ${entities.size} entities are`;
  return `the log may be of another service: ${what} unknown here`;
}
