import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import packet from 'dns-packet';

/** A name server with text records alone. */
export interface TextRecords {
  /** `127.0.0.1:<port>` */
  address: string;
  /** The text of each name, in lower case. */
  texts: Map<string, string>;
  close(): void;
}

/** Starts one on loopback. */
export async function startTextRecords(): Promise<TextRecords> {
  const texts = new Map<string, string>();
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    const { id, questions = [] } = packet.decode(message);
    const answers = questions.flatMap(({ name, type }) => {
      const data = type === 'TXT' ? texts.get(name.toLowerCase()) : undefined;
      return data === undefined ? [] : [{ type: 'TXT' as const, name, data }];
    });
    const reply = { type: 'response' as const, questions, answers, ...(id !== undefined && { id }) };
    socket.send(packet.encode(reply), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, texts, close: () => socket.close() };
}
