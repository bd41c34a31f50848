/** One request that both servers are to answer alike. `{name}` in a text stands for what an earlier step kept. */
export interface Step {
  /** What it does: the name of its test. */
  does: string;
  method: 'GET' | 'LIST' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/v1/`, with its query. */
  path: string;
  /** Sent as JSON; a text is sent as it is. */
  body?: object | string;
  /** Whose token: a kept one as `{name}`, a text of its own, or none where empty. Defaults to the root token. */
  token?: string;
  /** Defaults to the root namespace. */
  namespace?: string;
  headers?: Record<string, string>;
  /** What later steps know by name: where it stands in the answer, as `auth.client_token`; `data.url?state` is a query field of a URL. */
  keep?: Record<string, string>;
  /** Asked again until the answer has this value in this place. */
  until?: [place: string, value: string];
}

/** Steps that run in their order, on paths that no other scenario uses. */
export interface Scenario {
  name: string;
  steps: Step[];
}

type Rest = Omit<Step, 'does' | 'method' | 'path' | 'body'>;

export const get = (does: string, path: string, rest: Rest = {}): Step => ({
  does,
  method: 'GET',
  path,
  ...rest,
});
export const list = (does: string, path: string, rest: Rest = {}): Step => ({
  does,
  method: 'LIST',
  path,
  ...rest,
});
export const remove = (does: string, path: string, rest: Rest = {}): Step => ({
  does,
  method: 'DELETE',
  path,
  ...rest,
});
export const post = (does: string, path: string, body: Step['body'] = undefined, rest: Rest = {}): Step => ({
  does,
  method: 'POST',
  path,
  ...(body === undefined ? {} : { body }),
  ...rest,
});

/** The same steps, each in a namespace. */
export function inNamespace(namespace: string, steps: Step[]): Step[] {
  return steps.map((step) => ({ namespace, ...step }));
}
