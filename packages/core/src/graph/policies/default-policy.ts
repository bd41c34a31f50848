import { type Product, parseServiceVersion, productIn } from '../values/service-version.ts';
import { type Capability, type PathRule, readPolicy } from './parse-policy.ts';
import { policyText } from './policy-text.ts';

/** What a service says of itself at `sys/seal-status`. */
export type SealStatus = Readonly<Record<string, unknown>>;

type CapabilitiesByPath = Readonly<Record<string, Capability[]>>;

/** The rules that all of these texts have. */
const everywhere: CapabilitiesByPath = {
  'auth/token/lookup-self': ['read'],
  'auth/token/renew-self': ['update'],
  'auth/token/revoke-self': ['update'],
  'sys/capabilities-self': ['update'],
  'sys/internal/ui/resultant-acl': ['read'],
};
const entity: CapabilitiesByPath = {
  'identity/entity/id/{{identity.entity.id}}': ['read'],
  'identity/entity/name/{{identity.entity.name}}': ['read'],
};
const renew: CapabilitiesByPath = { 'sys/renew': ['update'] };
const leases: CapabilitiesByPath = {
  'sys/leases/renew': ['update'],
  'sys/leases/lookup': ['update'],
  'cubbyhole/*': ['create', 'read', 'update', 'delete', 'list'],
  'sys/wrapping/wrap': ['update'],
  'sys/wrapping/lookup': ['update'],
  'sys/wrapping/unwrap': ['update'],
  'sys/tools/hash': ['update'],
  'sys/tools/hash/*': ['update'],
};
const random: CapabilitiesByPath = { 'sys/tools/random': ['update'], 'sys/tools/random/*': ['update'] };
const authorize: CapabilitiesByPath = { 'identity/oidc/provider/+/authorize': ['read', 'update'] };
const controlGroup: CapabilitiesByPath = { 'sys/control-group/request': ['update'] };

/**
 * The texts of `default` that products came with, by the version since which each is theirs (2.6 is 206), the newest last. Sources:
 * `defaultPolicy` in openbao/openbao vault/policy_store.go from 2.0 and vault/policy/policy_store.go from 2.6, the history
 * of the first for Vault up to 1.14, and packages/secrets-service/src/policies/policy.ts.
 */
const texts: Readonly<Record<Product, readonly { since: number; rules: CapabilitiesByPath }[]>> = {
  OpenBao: [
    { since: 200, rules: { ...everywhere, ...entity, ...renew, ...leases, ...authorize } },
    { since: 206, rules: { ...everywhere, ...entity, ...leases, ...authorize } },
  ],
  Vault: [
    { since: 11, rules: { ...everywhere, ...renew, ...leases, ...random, ...controlGroup } },
    { since: 101, rules: { ...everywhere, ...entity, ...renew, ...leases, ...random, ...controlGroup } },
    { since: 102, rules: { ...everywhere, ...entity, ...renew, ...leases, ...controlGroup } },
    { since: 109, rules: { ...everywhere, ...entity, ...renew, ...leases, ...controlGroup, ...authorize } },
  ],
  Gatehouse: [
    {
      since: 0,
      rules: { ...everywhere, ...entity, 'sys/internal/ui/authenticated-messages': ['read'] },
    },
  ],
};

const rulesOf = (rules: CapabilitiesByPath): PathRule[] =>
  Object.entries(rules).map(([path, capabilities]) => ({ path, capabilities }));

const builtIn = rulesOf(
  Object.fromEntries(
    [...texts.OpenBao, ...texts.Vault.slice(-1)].flatMap(({ rules }) => Object.entries(rules)),
  ),
);

/**
 * What the policy `default` of Vault and OpenBao says, taken together: what it is taken for where neither a plan nor an
 * environment holds its text, and no service is asked.
 */
export function builtInDefault(): PathRule[] {
  return builtIn;
}

/** The texts of `default` that a service may have; undefined where it does not say what it is. */
function textsOfService(status: SealStatus): { of: string; kept: readonly CapabilitiesByPath[] } | undefined {
  const product = productIn(status);
  const version = parseServiceVersion(String(status['version'] ?? ''));
  if (product === undefined || version === undefined) return undefined;
  const { major, minor } = version;
  const kept = texts[product].filter(({ since }) => since <= major * 100 + minor);
  return {
    of: product === 'Gatehouse' ? 'the embedded service' : `${product} ${major}.${minor}`,
    kept: (kept.length === 0 ? texts[product] : kept).map(({ rules }) => rules),
  };
}

/** The difference between a text of `default` and the one that its service came with. */
export interface DefaultChange {
  /** How the text differs, in words. */
  note: string;
  /** The text of the service that it is the nearest to. */
  declared: string;
}
/** Rules that a note names of each kind. */
const mostNamed = 3;
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

/**
 * What the text of the policy `default`, which nearly every token has, says differently from the one that its service comes
 * with; undefined for nothing. A service keeps the text that it was set up with when it is upgraded, so that of an older
 * version of the product is one of its own.
 *
 * @param status undefined where the service does not answer: then all texts that are known count
 */
export function defaultPolicyChange(text: string, status?: SealStatus): DefaultChange | undefined {
  const all = Object.values(texts).flatMap((of) => of.map(({ rules }) => rules));
  const { of, kept } = textsOfService(status ?? {}) ?? {
    of: 'any service, as this one does not say its version',
    kept: all,
  };
  const rules = readPolicy(text);
  const newest = kept.at(-1) ?? {};
  if (rules === undefined || rules.length === 0) {
    const note = rules === undefined ? 'it cannot be read' : 'it is empty: tokens may not look themselves up';
    return { note, declared: textOfRules(newest) };
  }
  // The newest, if several are as near.
  const nearest = kept
    .toReversed()
    .map((original) => ({ original, parts: partsOf(rules, original) }))
    .toSorted((left, right) => left.parts.size - right.parts.size)[0];
  if (nearest === undefined || nearest.parts.size === 0) return undefined;
  const { added, gone, limited } = nearest.parts;
  const words = Object.entries({ adds: added, 'leaves out': gone, limits: limited }).flatMap(([verb, all]) =>
    all.length === 0 ? [] : [`it ${verb} ${listOf(all)}`],
  );
  return {
    note: `${words.join(', and ')}; compared with that of ${of}`,
    declared: textOfRules(nearest.original),
  };
}

/** Rules in one line; who gains and loses by all of them is judged apart. */
function listOf(all: readonly string[]): string {
  const left = all.length - mostNamed;
  return [...all.slice(0, mostNamed), ...(left > 0 ? [`${left} more`] : [])].join('; ');
}

const textOfRules = (rules: CapabilitiesByPath): string => policyText(rulesOf(rules)) ?? '';

function partsOf(rules: readonly PathRule[], original: CapabilitiesByPath) {
  const ofPath = (path: string) => rules.filter((rule) => rule.path === path);
  const paths = new Set(rules.map(({ path }) => path));
  const words = (capabilities: string[], path: string) =>
    capabilities.length === 0 ? [] : [`${capabilities.join(', ')} on ${JSON.stringify(path)}`];
  const added = [...paths].flatMap((path) => {
    const present = [...new Set(ofPath(path).flatMap(({ capabilities }) => capabilities))];
    const usual: readonly string[] = original[path] ?? [];
    return words(
      present.filter((capability) => !usual.includes(capability)),
      path,
    );
  });
  const gone = Object.entries(original).flatMap(([path, usual]) =>
    words(
      usual.filter(
        (capability) => !ofPath(path).some(({ capabilities }) => capabilities.includes(capability)),
      ),
      path,
    ),
  );
  const limited = Object.keys(original).flatMap((path) =>
    ofPath(path).some(({ path: _, capabilities: __, ...limits }) =>
      Object.values(limits).some((limit) => limit !== undefined),
    )
      ? [JSON.stringify(path)]
      : [],
  );
  return { added, gone, limited, size: added.length + gone.length + limited.length };
}
