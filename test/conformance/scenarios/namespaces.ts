import { by, get, inNamespace, keep, list, post, remove, type Scenario } from '../step.ts';
import { jwt, jwtRole } from '../tokens.ts';

export const namespaces: Scenario[] = [
  {
    name: 'namespaces',
    steps: [
      post('making one', 'sys/namespaces/n-one', { custom_metadata: { a: 'b' } }),
      get('reading it', 'sys/namespaces/n-one'),
      post('making it again', 'sys/namespaces/n-one', { custom_metadata: { c: 'd' } }),
      get('has what was written last', 'sys/namespaces/n-one'),
      post('one with a reserved name', 'sys/namespaces/sys', {}),
      post('one with another reserved name', 'sys/namespaces/root', {}),
      post('one with a blank in its name', 'sys/namespaces/a%20b', {}),
      post('one with a slash in its name', 'sys/namespaces/a/b', {}),
      get('one that is none', 'sys/namespaces/n-none'),
      remove('deleting one that is none', 'sys/namespaces/n-none'),
      ...inNamespace('n-one', [
        list('listing those within', 'sys/namespaces'),
        post('one within', 'sys/namespaces/two', {}),
        list('listing it', 'sys/namespaces'),
        post('a policy', 'sys/policies/acl/n-read', {
          policy:
            'path "sys/auth" { capabilities = ["read"] } path "two/sys/auth" { capabilities = ["read"] }',
        }),
        list('policies of its own', 'sys/policies/acl'),
        get('root is no policy here', 'sys/policies/acl/root'),
        keep({ nToken: 'auth.client_token' }, post('a token', 'auth/token/create', { policies: ['n-read'] })),
        post('a token of root', 'auth/token/create', { policies: ['root'] }),
        keep({ nBare: 'auth.client_token' }, post('a token that names no policies', 'auth/token/create', {})),
        get('a token that names no policies, looked up', 'auth/token/lookup-self', { token: '{nBare}' }),
        post('a token with an empty list of policies', 'auth/token/create', { policies: [] }),
        post('a batch token that names no policies', 'auth/token/create', { type: 'batch' }),
        post('an orphan that names no policies', 'auth/token/create-orphan', {}),
        get('its token', 'auth/token/lookup-self', { token: '{nToken}' }),
        get('its token at work', 'sys/auth', { token: '{nToken}' }),
        post('a method', 'sys/auth/n-jwt', { type: 'jwt' }),
        post('configuring it', 'auth/n-jwt/config', { jwt_validation_pubkeys: ['{pem}'] }),
        post('a role', 'auth/n-jwt/role/r', jwtRole),
        keep(
          { nLogin: 'auth.client_token' },
          by('', post('a login', 'auth/n-jwt/login', { role: 'r', jwt: jwt() })),
        ),
        get('the token of the login', 'auth/token/lookup-self', { token: '{nLogin}' }),
        get('the methods', 'sys/auth'),
      ]),
      get('its token outside', 'sys/auth', { token: '{nToken}' }),
      get('its token, asked outside', 'auth/token/lookup-self', { token: '{nToken}' }),
      get('its token in the one within', 'sys/auth', { token: '{nToken}', namespace: 'n-one/two' }),
      get('by its path', 'n-one/sys/auth/n-jwt'),
      get('a method is not seen outside', 'auth/n-jwt/config'),
      post('its token looked up from outside', 'auth/token/lookup', { token: '{nToken}' }),
      remove('deleting one with one within', 'sys/namespaces/n-one'),
      post('another', 'sys/namespaces/n-two', {}),
      remove('deleting it', 'sys/namespaces/n-two'),
      get('without a token', 'sys/namespaces/n-one', { token: '' }),
    ],
  },
];
