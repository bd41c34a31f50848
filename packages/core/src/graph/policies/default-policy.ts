import { type Capability, type PathRule, readPolicy } from './parse-policy.ts';

/** What `default` allows from the start: OpenBao 2.7, Vault 1.21 and the embedded service together. */
const fromTheStart = new Map<string, Capability[]>(
  Object.entries({
    'auth/token/lookup-self': ['read'],
    'auth/token/renew-self': ['update'],
    'auth/token/revoke-self': ['update'],
    'sys/capabilities-self': ['update'],
    'identity/entity/id/{{identity.entity.id}}': ['read'],
    'identity/entity/name/{{identity.entity.name}}': ['read'],
    'sys/internal/ui/resultant-acl': ['read'],
    'sys/internal/ui/authenticated-messages': ['read'],
    'sys/renew': ['update'],
    'sys/leases/renew': ['update'],
    'sys/leases/lookup': ['update'],
    'cubbyhole/*': ['create', 'read', 'update', 'delete', 'list'],
    'sys/wrapping/wrap': ['update'],
    'sys/wrapping/lookup': ['update'],
    'sys/wrapping/unwrap': ['update'],
    'sys/tools/hash': ['update'],
    'sys/tools/hash/*': ['update'],
    'sys/control-group/request': ['update'],
    'identity/oidc/provider/+/authorize': ['read', 'update'],
  }),
);

/** Only the embedded service and Vault show messages after sign-in. */
const notOfOpenBao = 'sys/internal/ui/authenticated-messages';

const builtIn: PathRule[] = [...fromTheStart]
  .filter(([path]) => path !== notOfOpenBao)
  .map(([path, capabilities]) => ({ path, capabilities }));

/**
 * The policy `default` as Vault and OpenBao come with it (openbao vault/policy_store.go, `defaultPolicy`).
 */
export function builtInDefault(): PathRule[] {
  return builtIn;
}

const unwrap: PathRule = { path: 'sys/wrapping/unwrap', capabilities: ['update'] };

/**
 * Policies that services come with (openbao vault/policy_store.go): `default`, and those of wrapping tokens and control
 * groups, which no list shows and no one changes.
 */
const byName: Readonly<Record<string, PathRule[]>> = {
  default: builtIn,
  'response-wrapping': [{ path: 'cubbyhole/response', capabilities: ['create', 'read'] }, unwrap],
  'control-group': [{ path: 'cubbyhole/control-group', capabilities: ['update', 'create', 'read'] }, unwrap],
};

/** What a policy says that services come with, where neither a plan nor an environment holds its text. */
export function builtInRules(name: string): PathRule[] | undefined {
  return Object.hasOwn(byName, name) ? byName[name] : undefined;
}

/** What all of them allow. */
const everywhere = [...fromTheStart.keys()].slice(0, 4);

/**
 * What the text of the policy `default`, which nearly every token has, says differently from what services have from the
 * start; undefined for nothing. Services differ, so only what none of them has, or all have, counts.
 */
export function defaultPolicyChange(text: string): string | undefined {
  const rules = readPolicy(text);
  if (rules === undefined) return 'it cannot be read';
  const added = rules.flatMap(({ path, capabilities }) => {
    const usual: readonly string[] = fromTheStart.get(path) ?? [];
    const added = capabilities.filter((one) => !usual.includes(one));
    return added.length === 0 ? [] : [`${added.join(', ')} on ${JSON.stringify(path)}`];
  });
  const gone = everywhere.filter((path) => !rules.some((rule) => rule.path === path));
  const parts = [
    ...(added.length === 0 ? [] : [`it adds ${added.join('; ')}`]),
    ...(gone.length === 0 ? [] : [`it leaves out ${gone.join(', ')}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', and ');
}
