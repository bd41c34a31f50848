import { Refusal } from '../../protocol/refusal.ts';
import { type Ask, isTokenRefused } from '../ask.ts';

/** Groups whose names are looked up; of the rest the ids are shown. */
const mostNames = 50;

/**
 * The groups of an entity, by name where the caller may read them and by id where not; none where the caller may not
 * read the entity.
 */
export async function groupsOf(ask: Ask, entityId: string): Promise<string[]> {
  if (entityId === '') return [];
  const entity = await read(ask, `identity/entity/id/${entityId}`);
  const ids = (entity?.['group_ids'] as string[] | undefined) ?? [];
  const names = await Promise.all(
    ids.map(async (id, index) => {
      const group = index < mostNames ? await read(ask, `identity/group/id/${id}`) : undefined;
      return String(group?.['name'] ?? id);
    }),
  );
  return names.sort();
}

async function read(ask: Ask, path: string): Promise<Record<string, unknown> | undefined> {
  try {
    return (await ask({ operation: 'read', path })).data;
  } catch (error) {
    if (error instanceof Refusal && !isTokenRefused(error)) return undefined;
    throw error;
  }
}
