// The second thread of a `StackReading`: its messages are stacks.
import { parentPort, workerData } from 'node:worker_threads';
import { readTurns } from './stack-reading.ts';

await readTurns(workerData, (stacks) => parentPort?.postMessage(stacks));
