import { by, get, keep, list, post, remove, type Scenario, type Step } from '../step.ts';

const few = { token: '{acl}' };
const may = (does: string, ...paths: string[]): Step => post(does, 'sys/capabilities-self', { paths }, few);

export const acl: Scenario[] = [
  {
    name: 'what policies allow',
    steps: [
      post('a policy with all kinds of paths', 'sys/policies/acl/acl-kinds', {
        policy: `
          path "sys/policies/acl/acl-exact" { capabilities = ["read"] }
          path "sys/policies/acl/acl-pre*" { capabilities = ["create", "read", "update"] }
          path "sys/policies/acl/acl-prefix-denied" { capabilities = ["deny"] }
          path "identity/entity/+/acl-one" { capabilities = ["read"] }
          path "identity/+/name/acl-two" { capabilities = ["read", "delete"] }
          path "sys/auth" { capabilities = ["read"] }
          path "sys/auth/acl-weak" { capabilities = ["create", "update", "read", "delete"] }
          path "sys/auth/acl-strong" { capabilities = ["create", "update", "read", "delete", "sudo"] }
          path "sys/mounts/auth/acl-read" { capabilities = ["read"] }
          path "auth/token/accessors" { capabilities = ["list"] }
          path "sys/acl-folder/" { capabilities = ["list"] }
          path "identity/group/name/*" { capabilities = ["update"] allowed_parameters = { "policies" = ["a", "b*"] "metadata" = [] } }
          path "identity/group/name/acl-denied" { capabilities = ["update"] denied_parameters = { "type" = ["external"] } }
          path "identity/group/name/acl-required" { capabilities = ["update", "create"] required_parameters = ["metadata"] }
        `,
      }),
      keep(
        { acl: 'auth.client_token', aclAccessor: 'auth.accessor' },
        post('its token', 'auth/token/create', { policies: ['acl-kinds'], ttl: '1h' }),
      ),
      get('an exact path', 'sys/policies/acl/acl-exact', few),
      get('a path beside it', 'sys/policies/acl/acl-exactly', few),
      post('an exact path, written', 'sys/policies/acl/acl-exact', { policy: '#' }, few),
      post('a prefix', 'sys/policies/acl/acl-prefix', { policy: '#' }, few),
      get('a prefix, read', 'sys/policies/acl/acl-prefix', few),
      remove('a prefix, deleted', 'sys/policies/acl/acl-prefix', few),
      get('a denial within it', 'sys/policies/acl/acl-prefix-denied', few),
      list('what nobody named', 'sys/policies/acl', few),
      get('a segment', 'identity/entity/name/acl-one', few),
      get('a segment before it', 'identity/entity/name/acl-two', few),
      get('two segments for one', 'identity/entity/name/more/acl-one', few),
      get('what needs no more than reading', 'sys/auth', few),
      post('what needs sudo, without', 'sys/auth/acl-weak', { type: 'jwt' }, few),
      post('what needs sudo, with', 'sys/auth/acl-strong', { type: 'jwt' }, few),
      remove('the same, deleted', 'sys/auth/acl-strong', few),
      post('a method to read', 'sys/auth/acl-read', { type: 'jwt' }),
      get('a method among all mounts, without sudo', 'sys/mounts/auth/acl-read', few),
      get('its tune, which was not named', 'sys/mounts/auth/acl-read/tune', few),
      get('the method itself, which was not named', 'sys/auth/acl-read', few),
      get('another method among all mounts', 'sys/mounts/auth/acl-none', few),
      list('accessors without sudo', 'auth/token/accessors', few),
      post('a parameter that is allowed', 'identity/group/name/acl-g', { policies: 'a' }, few),
      post('a parameter by its glob', 'identity/group/name/acl-g', { policies: 'bob' }, few),
      post('a value that is not allowed', 'identity/group/name/acl-g', { policies: 'c' }, few),
      post('a parameter that is not allowed', 'identity/group/name/acl-g', { type: 'external' }, few),
      post('any value of one', 'identity/group/name/acl-g', { metadata: { a: 'b' } }, few),
      post('a parameter that is denied', 'identity/group/name/acl-denied', { type: 'external' }, few),
      post('another value of it', 'identity/group/name/acl-denied', { type: 'internal' }, few),
      post('a parameter that is missing', 'identity/group/name/acl-required', { policies: 'a' }, few),
      post('a parameter that is there', 'identity/group/name/acl-required', { metadata: { a: 'b' } }, few),
      post('its own policy', 'sys/policies/acl/acl-kinds', { policy: '#' }, few),
      get('default: oneself', 'auth/token/lookup-self', few),
      post('default: renewing', 'auth/token/renew-self', {}, few),
      post('not: another', 'auth/token/lookup-accessor', { accessor: '{aclAccessor}' }, few),
    ],
  },
  {
    name: 'capabilities',
    steps: [
      may('an exact path', 'sys/policies/acl/acl-exact'),
      may('a prefix', 'sys/policies/acl/acl-pre', 'sys/policies/acl/acl-prefix/deep'),
      may('a denial', 'sys/policies/acl/acl-prefix-denied'),
      may('a segment', 'identity/entity/x/acl-one', 'identity/x/name/acl-two'),
      may('what nobody named', 'sys/none'),
      may('with sudo', 'sys/auth/acl-strong'),
      may('oneself', 'auth/token/lookup-self'),
      may('with slashes before', '/sys/auth', '//sys/auth/acl-strong'),
      may('with a slash behind', 'sys/auth/acl-strong/', 'sys/acl-folder', 'sys/acl-folder/'),
      may('an empty path among others', 'sys/auth', ''),
      may('no path'),
      post('a path by its older name', 'sys/capabilities-self', { path: 'sys/auth' }, few),
      post('paths as one text', 'sys/capabilities-self', { paths: 'sys/auth,sys/none' }, few),
      post('of root', 'sys/capabilities-self', { paths: ['sys/auth'] }),
      post('of another', 'sys/capabilities', { token: '{acl}', paths: ['sys/auth'] }),
      post('of another that is none', 'sys/capabilities', { token: 'none', paths: ['sys/auth'] }),
      post('of nobody', 'sys/capabilities', { paths: ['sys/auth'] }),
      post('of an accessor', 'sys/capabilities-accessor', { accessor: '{aclAccessor}', paths: ['sys/auth'] }),
      post('of an accessor that is none', 'sys/capabilities-accessor', { accessor: 'none', paths: ['a'] }),
      post('of no accessor', 'sys/capabilities-accessor', { paths: ['sys/auth'] }),
      post('of another, without the right', 'sys/capabilities', { token: '{acl}', paths: ['sys/auth'] }, few),
      by('', post('without a token', 'sys/capabilities-self', { paths: ['sys/auth'] })),
      post('changing its policy', 'sys/policies/acl/acl-kinds', { policy: '# nothing' }),
      get('what it allowed before', 'sys/policies/acl/acl-exact', few),
    ],
  },
];
