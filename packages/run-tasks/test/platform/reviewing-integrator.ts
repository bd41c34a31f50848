import { setTimeout as sleep } from 'node:timers/promises';
import { callBack, startScriptedIntegrator } from './scripted-integrator.ts';

/** An integrator that passes every task, and does not give up while the platform is away. */
export interface ReviewingIntegrator {
  address: string;
  /** What it was answered to its final results, by task result. */
  finals: ReadonlyMap<string, number[]>;
  /** Told of each request. Set by a test. */
  onRequest: () => void;
  close(): Promise<void>;
}

export async function startReviewingIntegrator(): Promise<ReviewingIntegrator> {
  const scripted = await startScriptedIntegrator();
  const finals = new Map<string, number[]>();
  const closing = new AbortController();
  const integrator: ReviewingIntegrator = {
    address: scripted.address,
    finals,
    onRequest: () => {},
    close: () => {
      closing.abort();
      return scripted.close();
    },
  };
  scripted.answer = ({ payload }) => {
    integrator.onRequest();
    void review(payload, finals, closing.signal);
    return 200;
  };
  return integrator;
}

/** A platform that was killed while it made a run never takes a callback for it: nothing is sent once the integrator is closed. */
async function review(payload: any, finals: Map<string, number[]>, closed: AbortSignal): Promise<void> {
  for (const status of ['running', 'passed']) {
    for (let attempt = 0; attempt < 600 && !closed.aborted; attempt += 1) {
      const answer = await callBack(payload, status, { outcomes: [{ id: 'a', description: 'one' }] }).catch(
        () => undefined,
      );
      if (answer !== undefined && status === 'passed') {
        finals.set(payload.task_result_id, [...(finals.get(payload.task_result_id) ?? []), answer.status]);
      }
      if (answer?.status === 200 || answer?.status === 422) break;
      await sleep(100);
    }
  }
}
