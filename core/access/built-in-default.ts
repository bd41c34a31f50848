import { type PathRule, parsePolicy } from '../model/policies/parse-policy.ts';

let read: PathRule[] | undefined;

/**
 * The policy `default` as Vault and OpenBao come with it (openbao vault/policy_store.go, `defaultPolicy`): taken for
 * what it says where neither a plan nor an environment holds its text.
 */
export function builtInDefault(): PathRule[] {
  read ??= parsePolicy(text);
  return read;
}

const rule = (path: string, ...capabilities: string[]) =>
  `path ${JSON.stringify(path)} { capabilities = ${JSON.stringify(capabilities)} }`;

const text = [
  rule('auth/token/lookup-self', 'read'),
  rule('auth/token/renew-self', 'update'),
  rule('auth/token/revoke-self', 'update'),
  rule('sys/capabilities-self', 'update'),
  rule('identity/entity/id/{{identity.entity.id}}', 'read'),
  rule('identity/entity/name/{{identity.entity.name}}', 'read'),
  rule('sys/internal/ui/resultant-acl', 'read'),
  rule('sys/renew', 'update'),
  rule('sys/leases/renew', 'update'),
  rule('sys/leases/lookup', 'update'),
  rule('cubbyhole/*', 'create', 'read', 'update', 'delete', 'list'),
  rule('sys/wrapping/wrap', 'update'),
  rule('sys/wrapping/lookup', 'update'),
  rule('sys/wrapping/unwrap', 'update'),
  rule('sys/tools/hash', 'update'),
  rule('sys/tools/hash/*', 'update'),
  rule('sys/control-group/request', 'update'),
  rule('identity/oidc/provider/+/authorize', 'read', 'update'),
].join('\n');
