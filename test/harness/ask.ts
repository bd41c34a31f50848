import { expect } from '@jest/globals';

/** A running secrets service, and its root token. */
export interface Server {
  address: string;
  token: string;
}

export interface Request {
  method: string;
  path: string;
  /** A text is sent as it is. */
  body?: object | string;
  /** Defaults to the server's root token. Empty: none is sent. */
  token?: string;
  namespace?: string;
}

export interface Answered {
  status: number;
  body: any;
}

/** Sends a request to a secrets service. Its refusals are answers, too. */
export async function ask(
  { address, token: root }: Server,
  { method, path, body, token = root, namespace }: Request,
): Promise<Answered> {
  const response = await fetch(`${address}/v1/${path}`, {
    method,
    headers: {
      ...(token === '' ? {} : { 'X-Vault-Token': token }),
      ...(namespace === undefined ? {} : { 'X-Vault-Namespace': namespace }),
    },
    body: typeof body === 'object' ? JSON.stringify(body) : body,
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** Writes as root, or fails the test. Resolves with the body of the answer. */
export async function write(server: Server, path: string, body: object, namespace?: string): Promise<any> {
  const answer = await ask(server, { method: 'POST', path, body, namespace });
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer.body;
}

/** Expects a refusal with this status and these errors. */
export function expectRefused(answer: Answered, status: number, ...errors: string[]): void {
  expect(answer).toEqual({ status, body: { errors } });
}
