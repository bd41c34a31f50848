import { by, get, keep, post, type Scenario } from '../step.ts';

/** Policies of each caller's token. */
const callers: Record<string, string> = {
  operator: `path "auth/vm-staff/role/*" { capabilities = ["read", "create"] }
    path "sys/mounts" { capabilities = ["read"] }
    path "sys/internal/ui/resultant-acl" { capabilities = ["read"] }`,
  segments: `path "auth/+/role/x" { capabilities = ["read"] }
    path "sys/internal/ui/resultant-acl" {
      capabilities = ["read", "update"]
      allowed_parameters = { "a" = ["b"] }
      denied_parameters = { "c" = [] }
      required_parameters = ["a"]
    }`,
  denied:
    'path "auth/vm-staff/config" { capabilities = ["deny"] } path "cubbyhole/x" { capabilities = ["list"] }',
  nobody: 'path "elsewhere" { capabilities = ["read"] }',
};
const paths = [
  'sys/mounts',
  'sys/mounts/sys',
  'sys/mounts/cubbyhole',
  'sys/mounts/nope',
  'sys/mounts/identity/tune',
  'sys/mounts/nope/tune',
  'sys/internal/ui/mounts',
  'sys/internal/ui/mounts/cubbyhole/a/b',
  'sys/internal/ui/mounts/auth/vm-staff',
  'sys/internal/ui/mounts/auth/vm-open/role/x',
  'sys/internal/ui/mounts/auth/token',
  'sys/internal/ui/mounts/nope',
  'sys/internal/ui/resultant-acl',
];

export const visibleMounts: Scenario[] = [
  {
    name: 'what callers see of mounts and of what they may do',
    steps: [
      post('a method', 'sys/auth/vm-staff', { type: 'jwt', description: 'd' }),
      post('one that everyone sees', 'sys/auth/vm-open', {
        type: 'oidc',
        config: { listing_visibility: 'unauth' },
      }),
      ...Object.entries(callers).flatMap(([name, policy]) => [
        post(`a policy: ${name}`, `sys/policies/acl/vm-${name}`, { policy }),
        keep(
          { [`vm${name}`]: 'auth.client_token' },
          post(`its token: ${name}`, 'auth/token/create', {
            policies: [`vm-${name}`],
            no_default_policy: true,
          }),
        ),
      ]),
      ...paths.flatMap((path) => [
        get(`${path}, by root`, path),
        get(`${path}, by an unknown token`, path, { token: 'unknown' }),
        get(`${path}, without a token`, path, { token: '' }),
        ...Object.keys(callers).map((name) => by(`vm${name}`, get(`${path}, by ${name}`, path))),
      ]),
    ],
  },
];
