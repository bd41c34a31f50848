import { messageState } from '@gatehouse/core/graph';
import type { ServiceClient } from '@gatehouse/service-client';

/** Titles of a service's custom messages, by their current state. */
type MessageState = ReturnType<typeof messageState>;

export type DevMessages = Record<MessageState, string[]>;

/** Reads the custom messages of a service, which knows itself which of them are active. */
export async function messagesByState(client: ServiceClient): Promise<DevMessages> {
  const path = 'sys/config/ui/custom-messages';
  const [active = [], inactive = []] = await Promise.all(
    ['true', 'false'].map(async (active) => {
      const found = (await client.list(path, { active }))?.data['key_info'] ?? {};
      return Object.values(found as Record<string, Listed>);
    }),
  );
  const now = BigInt(Date.now()) * 1_000_000n;
  const those = (state: MessageState) =>
    titles(inactive.filter((message) => stateOf(message, now) === state));
  return { active: titles(active), scheduled: those('scheduled'), ended: those('ended') };
}

/** A message in a list (docs/inside/specification.md C, "List"). */
interface Listed {
  title: string;
  start_time: string;
  end_time: string | null;
}

function stateOf({ start_time, end_time }: Listed, now: bigint): MessageState {
  return messageState({ startTime: start_time, endTime: end_time ?? undefined }, now);
}

function titles(messages: Listed[]): string[] {
  return messages.map(({ title }) => title).sort();
}
