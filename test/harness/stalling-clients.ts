// Clients that take what they can get of a gate, and give nothing back: `slow` ones send a body byte by byte without a token,
// `streams` watch a run. Prints how many were opened, then goes on until it is ended.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const [kind = '', address = '', run = '', count = ''] = process.argv.slice(2);
const { hostname, port } = new URL(address);

/** Half of the streams are one person's, each other one a person's of its own. */
function headOf(at: number): string {
  if (kind === 'slow') {
    return 'PATCH /api/v2/task-results/x/callback HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{';
  }
  const token = at % 2 === 0 ? 'reader' : `person-${at}`;
  return `GET /runs/${run}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
}

const atOnce = 100;
for (let at = 0; at < Number(count); at += 1) {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {}).resume();
  socket.once('connect', () => socket.write(headOf(at)));
  if (kind === 'slow') {
    const drip = setInterval(() => socket.write(' '), 2000);
    socket.once('close', () => clearInterval(drip));
  }
  if (at % atOnce === atOnce - 1) await sleep(50);
}
console.log(`opened ${count}`);
setInterval(() => {}, 1000);
