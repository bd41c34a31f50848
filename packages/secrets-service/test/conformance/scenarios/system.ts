import { get, list, post, remove, type Scenario } from '../step.ts';

const nobody = { token: '' };

export const system: Scenario[] = [
  {
    name: 'status',
    steps: [
      get('health', 'sys/health', nobody),
      get('health to one who is known', 'sys/health'),
      get('seal status', 'sys/seal-status', nobody),
      get('whether it is initialized', 'sys/init', nobody),
      get('who leads', 'sys/leader', nobody),
      get('seal status with a token that is none', 'sys/seal-status', { token: 'none' }),
    ],
  },
  {
    name: 'requests that are wrong in themselves',
    steps: [
      get('a path below nothing', 'nothing/here'),
      get('the same without a token', 'nothing/here', nobody),
      get('a path of the system that is none', 'sys/nothing'),
      get('which is so for nobody too', 'sys/nothing', nobody),
      get('a path of identity that is none', 'identity/nothing'),
      get('a path of tokens that is none', 'auth/token/nothing'),
      get('an auth method that is none', 'auth/wrong-nothing/config'),
      get('a token that is none', 'sys/auth', { token: 'none' }),
      get('no token', 'sys/auth', nobody),
      get('a bearer token', 'auth/token/lookup-self', {
        ...nobody,
        headers: { authorization: 'Bearer none' },
      }),
      post('a body that is no JSON', 'sys/policies/acl/wrong', '{"policy": '),
      post('a body with something after it', 'sys/policies/acl/wrong', '{"policy": "x"} y'),
      post('a body that is a list', 'sys/policies/acl/wrong', '[1]'),
      post('a body that is a text', 'sys/policies/acl/wrong', '"text"'),
      post('a body that is null', 'sys/policies/acl/wrong', 'null'),
      post('a body that is empty', 'sys/policies/acl/wrong', ''),
      post('a method that the path has not', 'sys/capabilities-self/more', {}),
      remove('deleting what cannot be', 'sys/capabilities-self'),
      list('listing what cannot be', 'sys/capabilities-self'),
      get('reading what can only be written', 'auth/token/create'),
      get('a namespace that is none', 'sys/auth', { namespace: 'wrong-none' }),
      get('a path that leads upwards', 'sys/auth/%2e%2e/policies/acl'),
      get('a path with two slashes', 'sys//auth'),
      get('a path with a slash behind', 'sys/policies/acl/default/'),
    ],
  },
];
