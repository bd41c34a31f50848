import type { Ask } from '../ask.ts';
import type { StoredMessage } from './draft.ts';

/** interface.md C: where the messages of a namespace are. */
export const messagesPath = 'sys/config/ui/custom-messages';

export function messagePath(id: string): string {
  return `${messagesPath}/${id}`;
}

/** @throws {Refusal} 403, 404 */
export async function readStored(ask: Ask, id: string): Promise<StoredMessage> {
  const { data } = await ask({ operation: 'read', path: messagePath(id) });
  return data as unknown as StoredMessage;
}
