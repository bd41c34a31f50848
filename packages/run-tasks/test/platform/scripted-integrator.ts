import type { IncomingHttpHeaders } from 'node:http';
import { serveRequests } from '../../../../test/harness/bare-server.ts';

/** A run task request as it came. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  raw: Buffer;
  payload: any;
}

/** An integrator that keeps what it gets and answers as it is told. */
export interface ScriptedIntegrator {
  address: string;
  received: Received[];
  /** The verification requests, which start no work. */
  verifications: Received[];
  /** How it answers those; 200 unless a test says otherwise. */
  verify: (request: Received) => number;
  /** How it answers; 200 unless a test says otherwise. `undefined` breaks the connection off. */
  answer: (request: Received) => Promise<number | undefined> | number | undefined;
  close(): Promise<void>;
}

export async function startScriptedIntegrator(): Promise<ScriptedIntegrator> {
  const server = await serveRequests(async ({ url: path = '', headers }, raw, response) => {
    const received = { path, headers, raw, payload: JSON.parse(raw.toString()) };
    const isVerification = received.payload.access_token === 'test-token';
    integrator[isVerification ? 'verifications' : 'received'].push(received);
    const status = await (isVerification ? integrator.verify(received) : integrator.answer(received));
    if (status === undefined) response.destroy();
    else response.writeHead(status).end();
  });
  const integrator: ScriptedIntegrator = {
    ...server,
    received: [],
    verifications: [],
    verify: () => 200,
    answer: () => 200,
  };
  return integrator;
}

/** Calls a platform back as the request says. @returns the answer's status and body */
export async function callBack(
  { task_result_callback_url: url, access_token: token }: Record<string, string>,
  status: string,
  { message, outcomes = [] }: { message?: string; outcomes?: { id: string; description: string }[] } = {},
): Promise<{ status: number; body: string; contentType: string | null }> {
  const data = outcomes.map(({ id, description }) => ({
    type: 'task-result-outcomes',
    attributes: { 'outcome-id': id, description },
  }));
  const attributes = { status, ...(message === undefined ? {} : { message }) };
  return await sendCallback(url ?? '', token, {
    data: { type: 'task-results', attributes, relationships: { outcomes: { data } } },
  });
}

export async function sendCallback(url: string, token: string | undefined, body: unknown) {
  const answer = await fetch(url, {
    method: 'PATCH',
    headers: {
      'content-type': 'application/vnd.api+json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return {
    status: answer.status,
    body: await answer.text(),
    contentType: answer.headers.get('content-type'),
  };
}
