import { z } from 'zod';
import { roleSettings } from '../resources/role.ts';
import { limits } from '../values/limits.ts';
import { textList } from '../values/text-list.ts';
import { issuerUrl, jwksDocument, type Kind, providerShape } from './kind.ts';

/** How long a mounted token lives unless something else is asked for. */
export const mountedTokenSeconds = 3600;

const dnsLabel = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/,
    'not a name in the cluster: use lower-case letters, digits and `-`',
  );

const role = roleSettings({
  /** Namespace and name of the service account whose tokens may sign in. */
  namespace: dnsLabel,
  serviceAccount: dnsLabel,
  /** Audience of the token. Defaults to the issuer. */
  audience: z.string().min(1).optional(),
});

/** What the program creates in the cluster itself (with `@pulumi/kubernetes`). */
const cluster = z.strictObject({
  /** Open the issuer's discovery documents to callers who are not signed in. Defaults to false. */
  openDiscovery: z.boolean().default(false),
  /** Create the roles' service accounts. Defaults to false. */
  serviceAccounts: z.boolean().default(false),
  /** Seconds that a mounted token lives; at least 600. Defaults to 3600. */
  tokenExpirationSeconds: z
    .int()
    .min(
      limits.serviceAccountTokenSeconds,
      `a mounted service account token lives at least ${limits.serviceAccountTokenSeconds} seconds`,
    )
    .default(mountedTokenSeconds),
});

const settings = z
  .strictObject({
    ...providerShape,
    kind: z.literal('container_orchestrator'),
    /** Exact issuer of the cluster's service account tokens. */
    issuer: issuerUrl.optional(),
    /** Address of the cluster's API: the issuer is read from its well-known document when the program runs. */
    apiServer: issuerUrl.optional(),
    /** Where the secrets service finds the discovery document, if not at the issuer (for example in the cluster). */
    discoveryUrl: issuerUrl.optional(),
    /** CA certificate to trust when contacting the discovery URL. */
    caPem: z.string().optional(),
    /** Method 2, public keys: PEM. */
    publicKeys: textList.optional(),
    /** Method 2, public keys: the cluster's JWKS document. */
    jwks: jwksDocument.optional(),
    cluster: cluster.optional(),
    roles: z.array(role).default([]),
  })
  .refine(
    ({ issuer, apiServer, publicKeys, jwks }) => (issuer ?? apiServer ?? publicKeys ?? jwks) !== undefined,
    {
      path: ['issuer'],
      message: 'give a key source: issuer or apiServer (discovery), or publicKeys or jwks (public keys)',
    },
  )
  .refine(
    ({ publicKeys, jwks, discoveryUrl }) =>
      [publicKeys, jwks, discoveryUrl].filter((source) => source !== undefined).length < 2,
    {
      path: ['publicKeys'],
      message: 'exactly one key source is allowed: discovery, publicKeys or jwks',
    },
  )
  .check((context) => {
    const { issuer, apiServer, roles } = context.value;
    if ((issuer ?? apiServer) !== undefined) return;
    roles.forEach((given, index) => {
      if (given.audience !== undefined || given.boundAudiences !== undefined) return;
      context.issues.push({
        code: 'custom',
        input: given,
        path: ['roles', index, 'audience'],
        message: 'required without an issuer to default to',
      });
    });
  });

/** The service account that a subject names. */
function serviceAccountOf(subject = ''): { namespace?: string; serviceAccount?: string } {
  return /^system:serviceaccount:(?<namespace>[^:]+):(?<serviceAccount>[^:]+)$/.exec(subject)?.groups ?? {};
}

/** Container orchestrator, service account tokens on a JWT mount (interface.md B-4). */
export const containerOrchestrator = {
  kind: 'container_orchestrator',
  products: ['Kubernetes', 'k8s'],
  methodType: 'jwt',
  hasNoGroups: true,
  settings,
  issuer: '<issuer>',
  insteadOfIssuer: ['apiServer', 'publicKeys', 'jwks'],
  questions: [{ setting: 'issuer', asks: "issuer of the cluster's service account tokens" }],
  roleQuestions: [
    {
      setting: 'serviceAccount',
      asks: 'workload that may sign in, namespace/name',
      parts: ['namespace', 'serviceAccount'],
    },
  ],
  config: (given) => ({
    ...(given.publicKeys === undefined
      ? {
          oidcDiscoveryUrl: given.discoveryUrl ?? given.issuer,
          ...(given.caPem === undefined ? {} : { oidcDiscoveryCaPem: given.caPem }),
        }
      : { jwtValidationPubkeys: given.publicKeys }),
    ...(given.issuer === undefined ? {} : { boundIssuer: given.issuer }),
  }),
  role: (given, { namespace, serviceAccount, audience = given.issuer }) => ({
    userClaim: 'sub',
    ...(audience === undefined ? {} : { boundAudiences: [audience] }),
    boundSubject: `system:serviceaccount:${namespace}:${serviceAccount}`,
  }),
  hosts: /^kubernetes\.default\.svc(\.|$)|^oidc\.eks\.|^container\.googleapis\.com$/,
  recognises: ({ roles }) =>
    roles.some(({ boundSubject }) => boundSubject?.startsWith('system:serviceaccount:')),
  adopt({ oidcDiscoveryUrl, boundIssuer, oidcDiscoveryCaPem, jwtValidationPubkeys, jwksUrl, jwksPairs }) {
    if ((jwksUrl ?? jwksPairs) !== undefined) return undefined;
    const issuer = boundIssuer ?? oidcDiscoveryUrl;
    return {
      ...(issuer === undefined ? {} : { issuer }),
      ...(jwtValidationPubkeys === undefined ? {} : { publicKeys: jwtValidationPubkeys }),
      ...(oidcDiscoveryUrl && oidcDiscoveryUrl !== issuer ? { discoveryUrl: oidcDiscoveryUrl } : {}),
      ...(oidcDiscoveryCaPem === undefined ? {} : { caPem: oidcDiscoveryCaPem }),
    };
  },
  adoptRole({ boundSubject }) {
    const account = serviceAccountOf(boundSubject);
    return account.namespace === undefined ? undefined : { ...account };
  },
  embedded: {
    workloadClaims(subject, uid) {
      const { namespace, serviceAccount: name } = serviceAccountOf(subject);
      if (namespace === undefined) return {};
      return { 'kubernetes.io': { namespace, serviceaccount: { name, uid } } };
    },
  },
} as const satisfies Kind<z.output<typeof settings>>;
