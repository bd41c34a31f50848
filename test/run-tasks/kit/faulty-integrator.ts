import { setTimeout as sleep } from 'node:timers/promises';
import { parsePayload } from '../../../core/run-task/payload.ts';
import { verifyRequest } from '../../../run-tasks/integrator/verify-request.ts';
import { type BareServer, serveRequests } from '../../../run-tasks/kit/serve-requests.ts';

/** What is wrong with an integrator; one without faults does all that the protocol asks for. */
export interface Faults {
  keys?: string[];
  /** Instead of 200. */
  status?: number;
  content?: string;
  worksOnVerification?: boolean;
  takesRepeated?: boolean;
  repeatsCallback?: boolean;
  repeatsAfter422?: boolean;
  sendsOutcomesAlways?: boolean;
  readsPlan?: boolean;
  contentType?: string;
  token?: string;
  callbacks?: number;
  crashesOnNoJson?: boolean;
  isSilent?: boolean;
  /** Tells a verification request from others only once it was read as a payload. */
  readsVerification?: boolean;
  parsesFirst?: boolean;
  worksFirst?: boolean;
  passesAtPreApply?: boolean;
  message?: string;
  /** Attributes of its outcome. */
  outcome?: object;
  outcomes?: number;
}

/** A small integrator with faults of its own, in memory. */
export async function startFaultyIntegrator(faults: Faults): Promise<BareServer> {
  const { keys = ['k'], status = 200, contentType = 'application/vnd.api+json' } = faults;
  const known = new Set<string>();
  return await serveRequests(async (request, body, response) => {
    if (faults.parsesFirst && body.toString() === '{') return void response.writeHead(400).end();
    const verdict = verifyRequest(keys, request.headers, body);
    if ('errors' in verdict) {
      const failing = verdict.status === 400 && faults.crashesOnNoJson ? 500 : verdict.status;
      return void response.writeHead(failing).end();
    }
    const isWhole = 'payload' in parsePayload(JSON.parse(body.toString()));
    if (faults.readsVerification && !isWhole) return void response.writeHead(422).end();
    const answer = () => response.writeHead(status).end(faults.content);
    if (!faults.worksFirst) answer();
    if (faults.isSilent || ('isVerification' in verdict && !faults.worksOnVerification)) {
      if (faults.worksFirst) answer();
      return;
    }
    const payload = 'payload' in verdict ? verdict.payload : JSON.parse(body.toString());
    if (known.has(payload.task_result_id) && !faults.takesRepeated) {
      if (faults.worksFirst) answer();
      return;
    }
    known.add(payload.task_result_id);
    const plan = payload.plan_json_api_url;
    const isGood =
      !plan ||
      faults.readsPlan === false ||
      (faults.passesAtPreApply && payload.stage === 'pre_apply') ||
      (await fetch(plan, { headers: { authorization: `Bearer ${payload.access_token}` } })
        .then((answer) => answer.json())
        .then(() => true)
        .catch(() => false));
    if (faults.worksFirst) answer();
    const takesOutcomes = payload.capabilities?.outcomes || faults.sendsOutcomesAlways;
    const outcome = {
      type: 'task-result-outcomes',
      attributes: { 'outcome-id': 'a', description: 'b', ...faults.outcome },
    };
    const send = () =>
      fetch(payload.task_result_callback_url, {
        method: 'PATCH',
        headers: {
          'content-type': contentType,
          authorization: `Bearer ${faults.token ?? payload.access_token}`,
        },
        body: JSON.stringify({
          data: {
            type: 'task-results',
            attributes: { status: isGood ? 'passed' : 'failed', message: faults.message },
            ...(takesOutcomes
              ? { relationships: { outcomes: { data: Array(faults.outcomes ?? 1).fill(outcome) } } }
              : {}),
          },
        }),
      }).then(
        (answer) => answer.status,
        () => 0,
      );
    // Surplus ones are on their way before the first is answered: no quiet is too short for them.
    let [answered] = await Promise.all(Array.from({ length: faults.callbacks ?? 1 }, send));
    if (faults.repeatsCallback === false) return;
    for (let tries = 0; tries < 5 && (answered === 503 || answered === 0 || answered === 401); tries += 1) {
      await sleep(50);
      answered = await send();
    }
    for (let more = 0; faults.repeatsAfter422 && more < 3; more += 1) await send();
  });
}
