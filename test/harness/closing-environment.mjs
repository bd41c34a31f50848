import { setTimeout as sleep } from 'node:timers/promises';
import { ModuleMocker } from 'jest-mock';

/** Sockets that are closed take a moment to be gone, and so do processes that were killed. */
const patienceMs = 30_000;

// A worker with nothing left to do ends at once. Node would first take its heap apart, which can take more than the half
// second after which jest kills a worker and warns of a leak.
if (process.send !== undefined) process.once('beforeExit', () => process.exit());

/** Jest asks for one, and resets it after each file. Nothing is mocked by it here. */
const mocker = new ModuleMocker({});

/**
 * An environment for jest in which a file fails that leaves open what would keep its process alive: a server, a
 * connection, a child process, a timer. Jest itself only warns at the end of all files, and does not say which one.
 *
 * Tests run in Node's own context (native-runner.mjs): there is none to make for each file, as jest's environment does.
 */
export default class ClosingEnvironment {
  /** Jest keeps the console of the file here. */
  global = {};
  moduleMocker = mocker;
  #before = [];
  #failed = false;

  getVmContext() {
    return null;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  async setup() {
    this.#before = process.getActiveResourcesInfo();
  }

  /** A test that fails leaves open what it would have closed. Its own failure is the one to report. */
  handleTestEvent(event) {
    if (event.name === 'test_done' && event.test.errors.length > 0) this.#failed = true;
  }

  async teardown() {
    const over = Date.now() + patienceMs;
    let left = leftOpen(this.#before);
    while (left.length > 0 && Date.now() < over) {
      await sleep(20);
      left = leftOpen(this.#before);
    }
    if (left.length === 0 || this.#failed) return;
    const kinds = [...Map.groupBy(left, (kind) => kind)].map(([kind, all]) => `${all.length} ${kind}`);
    throw new Error(`The tests of this file leave open: ${kinds.join(', ')}`);
  }
}

/**
 * The kinds of handle that are open now, without those that were open before. Pipes do not count: standard output is
 * one, made by the first file that prints. Those of a child process end with it, and it counts.
 */
function leftOpen(before) {
  const left = process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap');
  for (const kind of before) {
    const index = left.indexOf(kind);
    if (index >= 0) left.splice(index, 1);
  }
  return left;
}
