import { isJsonObject, type ServiceClient } from '../../client/service-client.ts';
import type { State } from '../../core/model/state.ts';

/** Ids by which resources of a login set-up are imported: type and a name that is unique among them → id. */
export interface ServiceIds {
  groups: Map<string, string>;
  /** By the name of the group: it has one alias. */
  aliases: Map<string, string>;
  messages: Map<string, string>;
}

/** Reads the ids that a service has made up itself; everything else is imported by its own name. */
export async function readIds(client: ServiceClient, state: State): Promise<ServiceIds> {
  const [groups, messages] = await Promise.all([
    client.list('identity/group/id'),
    state.messages.length === 0 ? undefined : client.list('sys/config/ui/custom-messages'),
  ]);
  const ids: ServiceIds = { groups: new Map(), aliases: new Map(), messages: new Map() };
  for (const [id, info] of infos(groups?.data)) {
    const name = String(info['name']);
    ids.groups.set(name, id);
    const alias = info['alias'];
    if (isJsonObject(alias) && typeof alias['id'] === 'string') ids.aliases.set(name, alias['id']);
  }
  for (const [id, info] of infos(messages?.data)) ids.messages.set(String(info['title']), id);
  return ids;
}

function infos(data: Record<string, unknown> | undefined): [id: string, info: Record<string, unknown>][] {
  const all = data?.['key_info'];
  if (!isJsonObject(all)) return [];
  return Object.entries(all).flatMap(([id, info]) => (isJsonObject(info) ? [[id, info]] : []));
}
