import { parentPort } from 'node:worker_threads';

// Says how large each plan is that it is given, and never ends one of more than 1 MiB.
parentPort.on('message', ({ plan }) => {
  while (plan.length > 1024 * 1024);
  parentPort.postMessage({ reviewed: plan.length });
});
