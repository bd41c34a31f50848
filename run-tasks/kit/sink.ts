import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../../core/run-task/outcome.ts';
import { acceptsOutcomes, type ReceivedPayload } from '../../core/run-task/payload.ts';
import { type ResultStatus, resultContentType, resultToWire } from '../../core/run-task/result.ts';
import { verifyRequest } from '../integrator/verify-request.ts';
import { type BareServer, serveRequests } from './serve-requests.ts';

/** What a sink does after its 200. */
export const sinkAnswers = ['pass', 'fail', 'silence', 'late', 'garbage'] as const;
export type SinkAnswer = (typeof sinkAnswers)[number];

interface SinkArgs {
  /** Defaults to a free port that the system chooses. */
  port?: number;
  /** Defaults to 127.0.0.1. */
  host?: string;
  answer: SinkAnswer;
  /** Requests must be signed with it. Without a key every request is accepted. */
  key?: string;
  /** Milliseconds before the result, for `late`. */
  lateMs: number;
  onEvent: (event: SinkEvent) => void;
}

/** What was received or sent, never with a token. */
export interface SinkEvent {
  taskResultId?: string;
  stage?: string;
  /** `request`, or what the callback reported. */
  what: string;
  status?: number;
}

/** An integrator that answers as told, to test a platform. It calls any address that it is given. */
export async function startSink({ answer, key, lateMs, onEvent, ...at }: SinkArgs): Promise<BareServer> {
  const stopping = new AbortController();
  const server = await serveRequests(async ({ headers }, body, response) => {
    const verdict = verifyRequest(key === undefined ? [] : [key], headers, body);
    const status = 'errors' in verdict ? verdict.status : 200;
    response.writeHead(status).end();
    if ('errors' in verdict) return onEvent({ what: 'request', status });
    if ('isVerification' in verdict) return onEvent({ what: 'verification request', status });
    const { payload } = verdict;
    const subject = { taskResultId: payload.task_result_id, stage: payload.stage };
    onEvent({ ...subject, what: 'request', status });
    try {
      if (answer === 'late') await sleep(lateMs, undefined, { signal: stopping.signal });
      for (const callback of callbacksOf(answer, payload)) {
        const { what } = callback;
        onEvent({ ...subject, what, ...(await send(payload, callback, stopping.signal)) });
      }
    } catch {
      // The sink is closing.
    }
  }, at);
  return {
    ...server,
    close() {
      stopping.abort();
      return server.close();
    },
  };
}

interface Callback {
  what: string;
  body: string;
  token?: string;
}

function callbacksOf(answer: SinkAnswer, payload: ReceivedPayload): Callback[] {
  const result = (status: ResultStatus): Callback => {
    const outcome: Outcome = {
      outcomeId: 'sink',
      description: `An outcome of the sink, sent with ${status}`,
      body: 'With **Markdown**.',
      tags: { Severity: [{ label: status, level: status === 'failed' ? 'error' : 'info' }] },
    };
    const sent = { status, message: `gatehouse run-task sink says ${status}`, outcomes: [outcome] };
    return { what: status, body: JSON.stringify(resultToWire(sent, acceptsOutcomes(payload))) };
  };
  switch (answer) {
    case 'pass':
    case 'late':
      return [result('running'), result('passed')];
    case 'fail':
      return [result('running'), result('failed')];
    case 'silence':
      return [];
    case 'garbage':
      return [
        { what: 'truncated JSON', body: '{"data":' },
        { what: 'another type', body: '{"data":{"type":"tasks","attributes":{"status":"passed"}}}' },
        { what: 'status "done"', body: '{"data":{"type":"task-results","attributes":{"status":"done"}}}' },
        { ...result('passed'), what: 'passed, with another token', token: 'another' },
      ];
  }
}

async function send(
  { task_result_callback_url: url, access_token }: ReceivedPayload,
  { body, token = access_token }: Callback,
  signal: AbortSignal,
): Promise<{ status?: number }> {
  try {
    const { status } = await fetch(url, {
      method: 'PATCH',
      redirect: 'manual',
      headers: { 'content-type': resultContentType, authorization: `Bearer ${token}` },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(15_000)]),
    });
    return { status };
  } catch {
    return {};
  }
}
