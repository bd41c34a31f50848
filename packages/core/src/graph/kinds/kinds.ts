import type { AuthMethod } from '../resources/auth-method.ts';
import type { Role } from '../resources/role.ts';
import { asText, defined } from '../values/loose-values.ts';
import { nearest } from '../values/nearest.ts';
import type { SecretKey } from '../values/secret-keys.ts';
import { accessManagementSuite } from './access-management-suite.ts';
import { bitbucketPipelines } from './bitbucket-pipelines.ts';
import { buildkite } from './buildkite.ts';
import { circleci } from './circleci.ts';
import { cloudDirectory } from './cloud-directory.ts';
import { containerOrchestrator } from './container-orchestrator.ts';
import { enterpriseIdentityProvider } from './enterprise-identity-provider.ts';
import { githubActions } from './github-actions.ts';
import { gitlabCi } from './gitlab-ci.ts';
import { hcpTerraform } from './hcp-terraform.ts';
import { hostedIdentityPlatform } from './hosted-identity-platform.ts';
import { jwt } from './jwt.ts';
import { type Kind, matchIssuer } from './kind.ts';
import { oidc } from './oidc.ts';
import { openSourceIdentityServer } from './open-source-identity-server.ts';
import { sourceHosting } from './source-hosting.ts';
import { workspaceSuite } from './workspace-suite.ts';

const all = [
  cloudDirectory,
  hostedIdentityPlatform,
  accessManagementSuite,
  sourceHosting,
  workspaceSuite,
  openSourceIdentityServer,
  enterpriseIdentityProvider,
  containerOrchestrator,
  oidc,
  jwt,
  githubActions,
  gitlabCi,
  hcpTerraform,
  circleci,
  bitbucketPipelines,
  buildkite,
] as const;
type ListedKind = (typeof all)[number];

/** The kinds of identity provider, by their identifiers. */
export const kinds = Object.fromEntries(all.map((kind) => [kind.kind, kind])) as {
  [One in ListedKind as One['kind']]: One;
};
/** The id of a kind of identity provider: docs/inside/specification.md B-2. */
export type ProviderKind = ListedKind['kind'];
/** The ids of all kinds. */
export const providerKinds = all.map(({ kind }) => kind);

/** A kind, for code that does not depend on which one it is. */
export function kindById(kind: ProviderKind): Kind & { kind: ProviderKind } {
  const byId: Record<ProviderKind, Kind & { kind: ProviderKind }> = kinds;
  return byId[kind];
}

/** The product that people know a kind by: `Keycloak`. */
export function productOf(kind: ProviderKind): string {
  return kinds[kind].products[0];
}

/** A kind and its product: `open_source_identity_server (Keycloak)`. */
function kindTitle(kind: ProviderKind): string {
  return `${kind} (${productOf(kind)})`;
}

/** The secrets that a person has to give for a provider. Its settings need not be valid. */
export function secretsOf(kind: ProviderKind, settings: object): readonly SecretKey[] {
  const { methodType, secrets } = kindById(kind);
  return secrets?.(settings as Record<string, unknown>) ?? (methodType === 'oidc' ? ['clientSecrets'] : []);
}

/** Identifiers and products' names, without case and marks → the kind that they mean. */
const spellings = new Map<string, ProviderKind>(
  all.flatMap(({ kind, products }) => [kind, ...products].map((name) => [plain(name), kind] as const)),
);

/** The kind that a text means: its identifier, or the name of one of its products. */
export function kindNamed(text: unknown): ProviderKind | undefined {
  return typeof text === 'string' ? spellings.get(plain(text)) : undefined;
}

/** What to say of a text that means no kind. */
export function unknownKind(text: unknown): { what: string; allowed: string; fix?: string } {
  const meant = kindNamed(nearest(plain(asText(text ?? '')), [...spellings.keys()]));
  return {
    what: text === undefined ? 'no provider kind is given' : 'unknown provider kind',
    allowed: providerKinds.map(kindTitle).join(', '),
    ...(meant === undefined ? {} : { fix: `did you mean ${kindTitle(meant)}?` }),
  };
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** The kind of the provider behind a live method; undefined where nothing tells. */
export function recognizeKind({ path, type, config }: AuthMethod, roles: readonly Role[]) {
  const named = config.providerConfig?.provider;
  // A service can hold one that no kind is for.
  if (named !== undefined) return Object.hasOwn(kinds, named) ? named : undefined;
  const urls = [config.oidcDiscoveryUrl, config.boundIssuer];
  const issuers = urls.flatMap((url) => (url !== undefined && URL.canParse(url) ? [new URL(url)] : []));
  const live = { type, issuers, roles: roles.filter(({ method }) => method === path) };
  const known = providerKinds.map(kindById);
  const recognized =
    known.find(({ hosts }) => issuers.some(({ hostname }) => hosts?.test(hostname))) ??
    known.find((kind) => kind.recognizes?.(live));
  return recognized?.kind;
}

/**
 * What the administrator of the provider behind a live method would have in hand, apart from what all kinds share: as the
 * kind that fits best, and as one for any issuer, which binds roles by no settings of its own. None where no kind has such
 * a method.
 */
export function adoptedSettings(method: AuthMethod, roles: readonly Role[]) {
  const recognized = recognizeKind(method, roles);
  const known = providerKinds.map(kindById);
  // Shapes that say most first. A bare base URL says nothing of its kind: such methods are taken by the kinds for any.
  const shaped = known
    .filter(({ issuer }) => !/^<\w+>$/.test(issuer))
    .sort((left, right) => right.issuer.length - left.issuer.length);
  const as = (kind: (typeof known)[number]) => {
    const settings = settingsOf(kind, method, roles);
    return settings === undefined ? [] : [{ kind: kind.kind, ...settings }];
  };
  const [best] = [...known.filter(({ kind }) => kind === recognized), ...shaped].flatMap(as);
  return [...(best ? [best] : []), ...known.filter(({ fitsAnyIssuer }) => fitsAnyIssuer).flatMap(as)];
}

function settingsOf(
  { methodType, issuer, settingsIn, adopt }: Kind,
  { type, config }: AuthMethod,
  roles: readonly Role[],
) {
  if (methodType !== type) return undefined;
  const own = adopt === undefined ? {} : adopt(config, roles);
  if (own === undefined || type === 'jwt') return own;
  const { oidcDiscoveryUrl = '', oidcClientId: clientId, oidcDiscoveryCaPem: caPem } = config;
  const named = matchIssuer(issuer, oidcDiscoveryUrl) ?? settingsIn?.(oidcDiscoveryUrl);
  if (named === undefined) return undefined;
  return { clientId, ...defined({ caPem, oidcResponseMode: config.oidcResponseMode }), ...named, ...own };
}
