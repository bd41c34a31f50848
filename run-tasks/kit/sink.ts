import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { acceptsOutcomes, isVerification, type ReceivedPayload } from '../../core/run-task/payload.ts';
import { type ResultStatus, resultContentType, resultToWire } from '../../core/run-task/result.ts';
import { httpAddress, listen } from '../../web/listen.ts';
import { verifyRequest } from '../integrator/verify-request.ts';

/** What a sink does after its 200. */
export const sinkAnswers = ['pass', 'fail', 'silence', 'late', 'garbage'] as const;
export type SinkAnswer = (typeof sinkAnswers)[number];

export interface SinkArgs {
  /** Defaults to a free port that the system chooses. */
  port?: number;
  /** Defaults to 127.0.0.1. */
  host?: string;
  answer: SinkAnswer;
  /** What requests must be signed with. Without a key every request is accepted. */
  key?: string | undefined;
  /** Milliseconds before the result, for `late`. */
  lateMs: number;
  /** Told what was received and answered; never a token. */
  onEvent: (event: SinkEvent) => void;
}

export interface SinkEvent {
  taskResultId?: string;
  stage?: string;
  /** `request`, or what was sent with the callback. */
  what: string;
  /** Status of the answer; absent if there was none. */
  status?: number;
}

/** An integrator that does as it is told, to test a platform. It calls any address that it is given. */
export async function startSink({ port = 0, host = '127.0.0.1', answer, key, lateMs, onEvent }: SinkArgs) {
  const stopping = new AbortController();
  const server = createServer(async (request, response) => {
    const verdict = verifyRequest(key === undefined ? [] : [key], request.headers, await buffer(request));
    const status = 'errors' in verdict ? verdict.status : 200;
    response.writeHead(status).end();
    if ('errors' in verdict) return onEvent({ what: 'request', status });
    const { payload } = verdict;
    onEvent({
      ...subject(payload),
      what: isVerification(payload) ? 'verification request' : 'request',
      status,
    });
    if (isVerification(payload)) return;
    try {
      if (answer === 'late') await sleep(lateMs, undefined, { signal: stopping.signal });
      for (const callback of callbacksOf(answer, payload)) {
        onEvent({
          ...subject(payload),
          what: callback.what,
          ...(await send(payload, callback, stopping.signal)),
        });
      }
    } catch {
      // It stops.
    }
  });
  const bound = await listen(server, port, host);
  return {
    address: httpAddress(host, bound),
    async close(): Promise<void> {
      stopping.abort();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

interface Callback {
  what: string;
  body: string;
  token?: string;
}

function callbacksOf(answer: SinkAnswer, payload: ReceivedPayload): Callback[] {
  const result = (status: ResultStatus): Callback => ({
    what: status,
    body: JSON.stringify(
      resultToWire(
        {
          status,
          message: `gatehouse run-task sink says ${status}`,
          outcomes: [
            {
              outcomeId: 'sink',
              description: `An outcome of the sink, sent with ${status}`,
              body: 'With **Markdown**.',
              tags: { Severity: [{ label: status, level: status === 'failed' ? 'error' : 'info' }] },
            },
          ],
        },
        acceptsOutcomes(payload),
      ),
    ),
  });
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

function subject({ task_result_id: taskResultId, stage }: ReceivedPayload) {
  return { taskResultId, stage };
}
