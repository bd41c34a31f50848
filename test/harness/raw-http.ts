import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export async function rawSocket(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

/** Resolves when the connection is closed, also by a server that did not take all. */
export function closedSocket(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  return new Promise((resolve) => void socket.once('close', () => resolve()));
}

/** What a server sends for these bytes until it closes the connection. Pieces arrive one by one. */
export async function rawHttp(address: string, ...pieces: string[]): Promise<string> {
  const socket = await rawSocket(address);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  const closed = closedSocket(socket);
  for (const piece of pieces) {
    socket.write(piece);
    if (pieces.length > 1) await sleep(10);
  }
  socket.end();
  await closed;
  return answer;
}

/** The statuses of the answers, in their order. */
export function statusesOf(answer: string): string[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status ?? '');
}
