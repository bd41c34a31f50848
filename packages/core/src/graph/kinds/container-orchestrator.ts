import { z } from 'zod';
import { configFields } from '../resources/auth-method.ts';
import { checked } from '../resources/field.ts';
import type { Role } from '../resources/role.ts';
import { roleSettings } from '../resources/role-settings.ts';
import { limits } from '../values/limits.ts';
import { asText, defined } from '../values/loose-values.ts';
import {
  issuerUrl,
  type Kind,
  providerShape,
  type ReportProblem,
  reportIn,
  valueWords,
  writtenJwks,
} from './kind.ts';

/** How long a mounted token lives unless something else is asked for. */
export const mountedTokenSeconds = 3600;

const nameInCluster = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/** Every service account of a namespace. */
export const anyServiceAccount = '*';

const role = roleSettings({
  namespace: z
    .string()
    .regex(nameInCluster, 'not a name in the cluster: use lower-case letters, digits and `-`'),
  serviceAccount: z
    .string()
    .refine(
      (name) => name === anyServiceAccount || nameInCluster.test(name),
      'not a name in the cluster: use lower-case letters, digits and `-`; or "*" for all of the namespace',
    ),
  audience: z.string().min(1).optional(),
});

/** What the program creates in the cluster itself (with `@pulumi/kubernetes`), and how the cluster is reached for that. */
const cluster = z.strictObject({
  kubeconfig: z
    .string()
    // The meaning of a relative path depends on where a command runs, and the content is secret.
    .regex(/^~?\/[^\n{}]+$/, 'the path of a kubeconfig, from / or ~/; never its content')
    .optional(),
  context: z.string().min(1).optional(),
  openDiscovery: z.boolean().default(false),
  serviceAccounts: z.boolean().default(false),
  tokenExpirationSeconds: z
    .int()
    .min(
      limits.serviceAccountTokenSeconds,
      `a mounted service account token lives at least ${limits.serviceAccountTokenSeconds} seconds`,
    )
    .default(mountedTokenSeconds),
});

/** Where the keys of a cluster come from, and what is created in it. */
const clusterShape = {
  issuer: issuerUrl.optional(),
  /** Address of the cluster's API: the issuer is read from its well-known document when the program runs. */
  apiServer: issuerUrl.optional(),
  discoveryUrl: issuerUrl.optional(),
  caPem: checked(configFields.oidcDiscoveryCaPem).optional(),
  publicKeys: checked(configFields.jwtValidationPubkeys).optional(),
  /** Method 2, public keys: the cluster's JWKS document. */
  jwks: writtenJwks.optional(),
  /** Method 2, public keys: file with the cluster's JWKS document, below the folder of Pulumi.yaml. */
  jwksFile: z.string().min(1).optional(),
  /** Method 2, public keys: read them at `apiServer` when the program runs. Defaults to false. */
  keysFromCluster: z.boolean().optional(),
  cluster: cluster.optional(),
};
const keySources = ['publicKeys', 'jwks', 'jwksFile', 'keysFromCluster', 'discoveryUrl'] as const;
type ClusterSettings = z.output<z.ZodObject<typeof clusterShape>> & { roles: z.output<typeof role>[] };

/** One of several clusters. */
const namedCluster = z.strictObject({
  /** Name of the cluster: its auth method is `<provider>-<name>`. */
  name: providerShape.name,
  ...clusterShape,
  /** In addition to those of the provider. */
  roles: z.array(role).default([]),
});

const settings = z
  .strictObject({
    ...providerShape,
    kind: z.literal('container_orchestrator'),
    ...clusterShape,
    /** Several clusters, with an auth method each, so that the keys of one never sign for another. */
    clusters: z.array(namedCluster).min(1, 'give at least one cluster').optional(),
    roles: z.array(role).default([]),
  })
  .check((context) => {
    const { value } = context;
    const report = reportIn(context);
    const { clusters } = value;
    if (clusters === undefined) return checkCluster(value, report);
    const own = (Object.keys(clusterShape) as (keyof typeof clusterShape)[]).filter(
      (setting) => value[setting] !== undefined,
    );
    for (const setting of own) report([setting], 'set this for each of `clusters`');
    if (value.groups.length > 0) {
      report(
        ['groups'],
        'a group has one alias, in one auth method: declare it below a provider of one cluster',
      );
    }
    clusters.forEach((cluster, index) => {
      checkCluster(cluster, (path, message) => report(['clusters', index, ...path], message));
      // Roles of the provider have no place in the cluster.
      checkAudiences(cluster, value.roles, report);
      const { openDiscovery, serviceAccounts, kubeconfig, context } = cluster.cluster ?? {};
      if ((openDiscovery || serviceAccounts) && (kubeconfig ?? context) === undefined) {
        const message =
          'set `context` or `kubeconfig`, so that objects of several clusters do not land in one';
        report(['clusters', index, 'cluster'], message);
      }
    });
  });
type OrchestratorSettings = z.output<typeof settings>;

function checkCluster(cluster: ClusterSettings, report: ReportProblem): void {
  const { issuer, apiServer, publicKeys, jwks, jwksFile, keysFromCluster } = cluster;
  if ((issuer ?? apiServer ?? publicKeys ?? jwks ?? jwksFile) === undefined) {
    const sources = 'issuer or apiServer (discovery), or publicKeys, jwks or jwksFile (public keys)';
    report(['issuer'], `give a key source: ${sources}`);
  }
  const givenSources = keySources.filter(
    (source) => cluster[source] !== undefined && cluster[source] !== false,
  );
  if (givenSources.length > 1) {
    const second = givenSources.find((source) => source !== 'discoveryUrl') ?? 'publicKeys';
    report(
      [second],
      `exactly one key source is allowed: discovery, publicKeys, jwks, jwksFile or keysFromCluster`,
    );
  }
  if (keysFromCluster && apiServer === undefined)
    report(['apiServer'], 'required to read the keys from the cluster');
  checkAudiences(cluster, cluster.roles, report);
}

function checkAudiences(
  { issuer, apiServer }: ClusterSettings,
  roles: ClusterSettings['roles'],
  report: ReportProblem,
): void {
  if ((issuer ?? apiServer) !== undefined) return;
  roles.forEach(({ audience, boundAudiences }, index) => {
    if (audience !== undefined || boundAudiences !== undefined) return;
    report(['roles', index, 'audience'], 'required without an issuer as its default');
  });
}

/** Name, and last part of the path, of one of several clusters' provider. */
export function clusterOf(provider: string, cluster: string): string {
  return `${provider}-${cluster}`;
}

/** Claims of a token: whose namespace it is of, and its service account, which no other ever is. */
export const namespaceClaim = '/kubernetes.io/namespace';
const uidClaim = '/kubernetes.io/serviceaccount/uid';

/** Namespaces that a role binds by one claim, with all of their service accounts as far as that is concerned. */
function namespacesOf({ boundClaims = {}, boundClaimsType }: Role, claim: string): string[] | undefined {
  if (!Object.hasOwn(boundClaims, claim)) return undefined;
  const values: unknown[] = [boundClaims[claim]].flat();
  const isGlob = boundClaimsType === 'glob';
  const names = values.map((value) => {
    if (claim === namespaceClaim) return isGlob && asText(value).includes('*') ? undefined : value;
    if (claim !== 'sub' || !isGlob) return undefined;
    return /^system:serviceaccount:(?<namespace>[^:*]+):\*$/.exec(asText(value))?.groups?.['namespace'];
  });
  const texts = names.filter((name) => typeof name === 'string');
  return texts.length > 0 && texts.length === values.length ? texts : undefined;
}

function serviceAccountOf(subject = ''): { namespace?: string; serviceAccount?: string } {
  return /^system:serviceaccount:(?<namespace>[^:]+):(?<serviceAccount>[^:]+)$/.exec(subject)?.groups ?? {};
}

/** Container orchestrator, service account tokens on a JWT mount (docs/inside/specification.md B-4). */
export const containerOrchestrator = {
  kind: 'container_orchestrator',
  products: ['Kubernetes', 'k8s'],
  methodType: 'jwt',
  hasNoGroups: true,
  settings,
  issuer: '<issuer>',
  insteadOfIssuer: ['apiServer', 'publicKeys', 'jwks', 'jwksFile', 'clusters'],
  config: ({ publicKeys, issuer, discoveryUrl = issuer, caPem }) =>
    publicKeys === undefined
      ? {
          oidcDiscoveryUrl: discoveryUrl,
          ...defined({ oidcDiscoveryCaPem: caPem, boundIssuer: issuer }),
        }
      : defined({ jwtValidationPubkeys: publicKeys, boundIssuer: issuer }),
  role: (cluster, { namespace, serviceAccount, audience = cluster.issuer }) => ({
    userClaim: 'sub',
    ...(audience === undefined ? {} : { boundAudiences: [audience] }),
    ...(serviceAccount === anyServiceAccount
      ? { boundClaims: { [namespaceClaim]: namespace } }
      : { boundSubject: `system:serviceaccount:${namespace}:${serviceAccount}` }),
  }),
  each({ clusters, ...shared }) {
    if (clusters === undefined) return [shared];
    return clusters.map(({ name, roles, ...cluster }) => ({
      ...shared,
      ...cluster,
      name: clusterOf(shared.name, name),
      ...(shared.path === undefined ? {} : { path: clusterOf(shared.path, name) }),
      roles: [...shared.roles, ...roles],
    }));
  },
  hosts: /^kubernetes\.default\.svc(\.|$)|^oidc\.eks\.|^container\.googleapis\.com$/,
  recognizes: ({ type, roles }) =>
    type === 'jwt' &&
    roles.some(
      ({ boundSubject, boundClaims = {} }) =>
        boundSubject?.startsWith('system:serviceaccount:') ||
        Object.keys(boundClaims).some((claim) => claim.startsWith('/kubernetes.io/')) ||
        [boundClaims['sub']].flat().some((sub) => asText(sub).startsWith('system:serviceaccount:')),
    ),
  whom(role) {
    const { namespace, serviceAccount } = serviceAccountOf(role.boundSubject);
    if (namespace !== undefined && serviceAccount !== undefined) {
      const words = `service account ${valueWords(serviceAccount)} of namespace ${valueWords(namespace)}`;
      return { words, claims: [], subject: true };
    }
    if (role.boundSubject) return undefined;
    for (const claim of [namespaceClaim, 'sub']) {
      const namespaces = namespacesOf(role, claim)?.map(valueWords).join(' or ');
      if (namespaces !== undefined)
        return { words: `any service account of namespace ${namespaces}`, claims: [claim] };
    }
    return undefined;
  },
  shared: {
    hosts: [],
    tokens: 'any service account of the cluster',
    whose: { [namespaceClaim]: '$never', [uidClaim]: '$never' },
    subject: {
      separator: ':',
      pieces: ['system:serviceaccount:<namespace>:<service account>'],
      characters: {},
      whose: ['namespace'],
    },
    names: {},
  },
  adopt({ oidcDiscoveryUrl, boundIssuer, oidcDiscoveryCaPem, jwtValidationPubkeys, jwksUrl, jwksPairs }) {
    if ((jwksUrl ?? jwksPairs) !== undefined) return undefined;
    const issuer = boundIssuer ?? oidcDiscoveryUrl;
    return defined({
      issuer,
      publicKeys: jwtValidationPubkeys,
      discoveryUrl: oidcDiscoveryUrl && oidcDiscoveryUrl !== issuer ? oidcDiscoveryUrl : undefined,
      caPem: oidcDiscoveryCaPem,
    });
  },
  adoptRole(role) {
    const account = serviceAccountOf(role.boundSubject);
    if (account.namespace !== undefined) return { ...account };
    const { [namespaceClaim]: bound, ...boundClaims } = role.boundClaims ?? {};
    const [namespace, ...otherNamespaces] = [bound].flat();
    if (role.boundSubject || otherNamespaces.length > 0 || !nameInCluster.test(asText(namespace ?? '')))
      return undefined;
    return {
      namespace,
      serviceAccount: anyServiceAccount,
      ...(Object.keys(boundClaims).length === 0 ? {} : { boundClaims }),
      ...(role.boundClaimsType === undefined ? {} : { boundClaimsType: role.boundClaimsType }),
    };
  },
  embedded: {
    workloadClaims(subject, uid) {
      const { namespace, serviceAccount: name } = serviceAccountOf(subject);
      if (namespace === undefined) return {};
      return { 'kubernetes.io': { namespace, serviceaccount: { name, uid } } };
    },
  },
} as const satisfies Kind<OrchestratorSettings>;
