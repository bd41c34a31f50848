import { type MessageState, messageState } from '@gatehouse/core/graph';
import type { ServiceClient } from '@gatehouse/service-client';

/** Titles of a service's custom messages, by their current state. */
export type DevMessages = Record<MessageState, string[]>;

/** Reads the custom messages of a service, which knows itself which of them are active. */
export async function messagesByState(client: ServiceClient): Promise<DevMessages> {
  const path = 'sys/config/ui/custom-messages';
  const [active = [], inactive = []] = await Promise.all(
    ['true', 'false'].map(async (active) => {
      const infoById = (await client.list(path, { active }))?.data['key_info'] ?? {};
      return Object.values(infoById as Record<string, ListedMessage>);
    }),
  );
  const now = BigInt(Date.now()) * 1_000_000n;
  const titlesOf = (state: MessageState) =>
    titles(inactive.filter((message) => listedStateOf(message, now) === state));
  return { active: titles(active), scheduled: titlesOf('scheduled'), ended: titlesOf('ended') };
}

/** A message in a list (docs/inside/specification.md C, "List"). */
interface ListedMessage {
  title: string;
  start_time: string;
  end_time: string | null;
}

function listedStateOf({ start_time, end_time }: ListedMessage, now: bigint): MessageState {
  return messageState({ startTime: start_time, endTime: end_time ?? undefined }, now);
}

function titles(messages: ListedMessage[]): string[] {
  return messages.map(({ title }) => title).sort();
}
