import { expect } from '@jest/globals';

/** One request of a table that two servers are to answer alike. */
export interface Request {
  method: string;
  path: string;
  body?: object;
  /** Defaults to the server's root token. */
  token?: string;
  namespace?: string;
}

export interface Answered {
  status: number;
  body: any;
}

export async function ask(
  { address, token: root }: { address: string; token: string },
  { method, path, body, token = root, namespace }: Request,
): Promise<Answered> {
  const response = await fetch(`${address}/v1/${path}`, {
    method,
    headers: {
      'X-Vault-Token': token,
      ...(namespace === undefined ? {} : { 'X-Vault-Namespace': namespace }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** Expects a refusal with this status and these errors. */
export function expectRefused(answer: Answered, status: number, ...errors: string[]): void {
  expect(answer).toEqual({ status, body: { errors } });
}
