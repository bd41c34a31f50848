import type { MoreRows, PageRow, WorkerAnswer, WorkerRequest } from '../messages.ts';

/** The worker of the page, which reads and judges: the page itself never waits. */
export class WorkerClient {
  readonly #source: string;
  readonly #onRows: (rows: readonly PageRow[]) => void;
  #worker: Worker | undefined;
  #isBusy = false;

  /**
   * @param source the worker's program, which the page carries with it
   * @param onRows takes more rows of the review that was answered last
   */
  constructor(source: string, onRows: (rows: readonly PageRow[]) => void) {
    this.#source = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    this.#onRows = onRows;
    // It is ready before it is asked.
    this.#worker = new Worker(this.#source);
  }

  /**
   * Asks the worker. A review that is asked for while it works ends that work; its answer never comes.
   *
   * @returns the answer
   */
  ask(request: WorkerRequest): Promise<WorkerAnswer> {
    if (request.kind === 'review' && this.#isBusy) this.#end();
    this.#worker ??= new Worker(this.#source);
    const worker = this.#worker;
    this.#isBusy = true;
    return new Promise((resolve) => {
      worker.onmessage = ({ data }: MessageEvent<WorkerAnswer | MoreRows>) => {
        if (data.kind === 'rows') {
          this.#onRows(data.rows);
          return;
        }
        this.#isBusy = false;
        resolve(data);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        this.#end();
        const text = 'This page failed. Nothing was answered.';
        const fix = 'It may need more memory than the browser gives it: use gatehouse review.';
        resolve({ kind: 'problem', to: request.kind, problem: { text, fix } });
      };
      worker.postMessage(request);
    });
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#isBusy = false;
  }
}
