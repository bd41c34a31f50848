// Answers with the number of plans that this thread has had.
import { parentPort } from 'node:worker_threads';

let plans = 0;
parentPort.on('message', () => {
  plans += 1;
  parentPort.postMessage({ reviewed: plans });
});
