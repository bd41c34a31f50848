/** Terraform plans that make a review compare much, as JSON. Each changes what it has much of. */
export interface LargePlan {
  /** What there is much of, in words. */
  name: string;
  plan: () => object;
}

type Fields = Record<string, unknown>;
/** One resource: what is there before, and after. */
type Resource = [address: string, before: Fields | null, after: Fields];

const count = <Value>(length: number, make: (at: number) => Value) =>
  Array.from({ length }, (_, at) => make(at));

function plan(...resources: Resource[][]): object {
  const changes = resources.flat().map(([address, before, after]) => ({
    address,
    mode: 'managed',
    type: address.split('.')[0],
    change: {
      actions: [before === null ? 'create' : before === after ? 'no-op' : 'update'],
      before,
      after,
      after_unknown: {},
      before_sensitive: {},
      after_sensitive: {},
    },
  }));
  return { format_version: '1.2', terraform_version: '1.9.8', resource_changes: changes };
}

function same(address: string, fields: Fields): Resource {
  return [address, fields, fields];
}

function mount(at: number): Resource {
  return same(`vault_jwt_auth_backend.m${at}`, {
    path: `ci${at}`,
    type: 'jwt',
    accessor: `auth_jwt_${at}`,
    oidc_discovery_url: 'https://ci.example.com',
    bound_issuer: 'https://ci.example.com',
  });
}

function role(at: number, fields: Fields = {}): Fields {
  return {
    backend: 'ci0',
    role_name: `r${at}`,
    role_type: 'jwt',
    user_claim: 'sub',
    bound_audiences: ['https://secrets.example.com'],
    bound_subject: `job-${at}`,
    token_policies: [`p${at}`],
    token_ttl: 600,
    ...fields,
  };
}

function rulesOf(paths: string[], ...capabilities: string[]): string {
  return paths.map((path) => `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }`).join('\n');
}

/** Policies that allow to read a folder each; every tenth allows more after the change. */
function policies(length: number): Resource[] {
  return count(length, (at) => {
    const text = (...capabilities: string[]) => rulesOf([`secret/data/t${at}/*`], 'read', ...capabilities);
    const before = { name: `p${at}`, policy: text() };
    return [`vault_policy.p${at}`, before, at % 10 === 0 ? { ...before, policy: text('update') } : before];
  });
}

/**
 * Roles with a policy each, ten to a mount; of three, one is new, one accepts more subjects, and one accepts other
 * subjects.
 */
export function rolesPlan(roles: number): LargePlan {
  const roleEntries = () =>
    count(roles, (at): Resource => {
      const before = role(at, { backend: `ci${at % (roles / 10)}` });
      const claims = { bound_subject: null, bound_claims: { sub: `job-${at}*` }, bound_claims_type: 'glob' };
      const after = { ...before, ...(at % 3 === 1 ? claims : { bound_subject: `other-${at}` }) };
      return [`vault_jwt_auth_backend_role.r${at}`, at % 3 === 0 ? null : before, after];
    });
  return {
    name: `${roles} roles`,
    plan: () => plan(count(roles / 10, mount), policies(roles), roleEntries()),
  };
}

/** Roles that are bound to many source addresses each: to one that is others, to more, and to a few less. */
export function addressesPlan(addresses: number): LargePlan {
  const address = (at: number) => `${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;
  const cidrs = (first: number, of: (at: number) => number = (at) => at) =>
    count(addresses, (at) => `${first}.${address(of(at))}/32`);
  const sides: [string[], string[]][] = [
    [cidrs(10), cidrs(11)],
    [cidrs(10, (at) => at * 2), cidrs(10, (at) => at * 2 + 1)],
    [cidrs(10), cidrs(10).reverse()],
    [cidrs(10), ['10.0.0.0/8']],
    [['10.0.0.0/8'], cidrs(10)],
    [cidrs(10), cidrs(10).slice(1)],
  ];
  const changedRoles = () =>
    sides.map(([before, after], at): Resource => {
      const [was, is] = [before, after].map((token_bound_cidrs) => role(at, { token_bound_cidrs }));
      return [`vault_jwt_auth_backend_role.r${at}`, was ?? {}, is ?? {}];
    });
  return { name: `${addresses} source addresses`, plan: () => plan([mount(0)], policies(6), changedRoles()) };
}

/** Roles with so many policies in all, of so many rules each; every fifth rule allows more after the change. */
export function rulesPlan(rules: number, perPolicy = 1, perRole = rules): LargePlan {
  const policyEntries = () =>
    count(rules / perPolicy, (at): Resource => {
      const paths = count(perPolicy, (one) => `secret/+/t${one % 500}/p${at}/${one}/*`);
      const text = (capabilities: string[]) =>
        paths
          .map((path, one) => rulesOf([path], 'read', ...((at + one) % 5 === 0 ? capabilities : [])))
          .join('\n');
      return [
        `vault_policy.p${at}`,
        { name: `p${at}`, policy: text([]) },
        { name: `p${at}`, policy: text(['update']) },
      ];
    });
  const held = Math.ceil(perRole / perPolicy);
  const roles = () =>
    count(rules / perPolicy / held, (at) => {
      const token_policies = count(held, (one) => `p${at * held + one}`);
      return same(`vault_jwt_auth_backend_role.r${at}`, role(at, { token_policies }));
    });
  return {
    name: `${rules} rules, ${perPolicy} in a policy, ${held} policies in a role`,
    plan: () => plan([mount(0)], policyEntries(), roles()),
  };
}

/** Roles of which half are new and half accept other subjects, and groups that each of them lets people into. */
export function rolesAndGroupsPlan(roles: number, groups: number): LargePlan {
  const changedRoles = () =>
    count(roles, (at): Resource => {
      const before = role(at, { groups_claim: 'groups' });
      const after = { ...before, bound_subject: 'other' };
      return [`vault_jwt_auth_backend_role.r${at}`, at % 2 === 0 ? null : before, after];
    });
  const joined = () =>
    count(groups, (at) => [
      same(`vault_identity_group.g${at}`, {
        id: `id-${at}`,
        name: `g${at}`,
        type: 'external',
        policies: [`p${roles + at}`],
      }),
      same(`vault_identity_group_alias.a${at}`, {
        name: `team-${at}`,
        mount_accessor: 'auth_jwt_0',
        canonical_id: `id-${at}`,
      }),
    ]).flat();
  return {
    name: `${roles} roles and ${groups} groups`,
    plan: () => plan([mount(0)], policies(roles + groups), changedRoles(), joined()),
  };
}
