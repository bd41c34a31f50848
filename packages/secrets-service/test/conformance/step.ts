/** One request that both servers are to answer alike. `{name}` in a text stands for what an earlier step kept. */
export interface Step {
  /** What it does: the name of its test. */
  does: string;
  method: 'GET' | 'LIST' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/v1/`, with its query. */
  path: string;
  /** Sent as JSON; a text is sent as it is. */
  body?: object | string;
  /** Whose token: a kept one as `{name}`, a text of its own, or none where empty. Defaults to the root token. */
  token?: string;
  /** Defaults to the root namespace. */
  namespace?: string;
  headers?: Record<string, string>;
  /** Places in the answer that later steps know by name: `auth.client_token`, or `data.url?state` for a query field. */
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
const step =
  (method: Step['method']) =>
  (does: string, path: string, rest?: Rest): Step => ({
    does,
    method,
    path,
    ...rest,
  });

export const get = step('GET');
export const list = step('LIST');
export const remove = step('DELETE');
export const post = (does: string, path: string, body?: Step['body'], rest?: Rest): Step => ({
  does,
  method: 'POST',
  path,
  ...(body === undefined ? {} : { body }),
  ...rest,
});

/** A step whose answer is kept by name: a part of it, or the id that it holds. */
export function keep(kept: string | Record<string, string>, step: Step): Step {
  return { ...step, keep: typeof kept === 'string' ? { [kept]: 'data.id' } : kept };
}

/** A step with a token that an earlier one kept; without any where the name is empty. */
export function by(name: string, step: Step): Step {
  return { ...step, token: name === '' ? '' : `{${name}}` };
}

/** A method at a path, for tokens of these tests; its accessor is kept by a name. */
export const jwtMethod = (path: string, accessor: string): Step[] => [
  post('a method', `sys/auth/${path}`, { type: 'jwt' }),
  keep({ [accessor]: 'data.accessor' }, get('its accessor', `sys/auth/${path}`)),
  post('configuring it', `auth/${path}/config`, { jwt_validation_pubkeys: ['{pem}'] }),
];

/** An alias of a group or an entity, by the method that it is at. */
export const alias =
  (kind: 'entity' | 'group') =>
  (does: string, name?: string, mount_accessor?: string, canonical_id?: string, fields: object = {}): Step =>
    post(does, `identity/${kind}-alias`, { name, mount_accessor, canonical_id, ...fields });

/** The same steps, each in a namespace. */
export function inNamespace(namespace: string, steps: Step[]): Step[] {
  return steps.map((step) => ({ namespace, ...step }));
}
