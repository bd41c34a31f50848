import { parentPort } from 'node:worker_threads';

parentPort.on('message', () => {
  const held = [];
  for (;;) held.push({ at: held.length });
});
