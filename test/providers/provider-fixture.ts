import * as pulumi from '@pulumi/pulumi';
import { kinds, type ProviderKind, providerKinds } from '../../packages/core/src/graph/kinds/kinds.ts';
import { exampleOf } from '../../packages/core/test/environment/environment-fixture.ts';
import { certificatePem } from '../../packages/core/test/pems.ts';
import { providers } from '../../providers/providers.ts';

export const service = { address: 'https://secrets.example.com', dialect: 'vault' };

const people = {
  service,
  clientId: 'client',
  clientSecret: 'hunter2',
  roles: [
    {
      name: 'Reader',
      policies: ['read'],
      ttl: 3_600,
      boundClaims: { team: ['a', 'b'] },
      claimMappings: { email: 'email' },
    },
    { name: 'admin' },
  ],
};

const ofKind: Partial<Record<ProviderKind, Record<string, any>>> = {
  cloud_directory: { ...people, tenantId: '3f0e9d5c-1a2b-4c3d-8e4f-5a6b7c8d9e0f', manyGroups: true },
  hosted_identity_platform: { ...people, domain: 'example.eu.auth0.com' },
  access_management_suite: { ...people, authority: 'https://am.example.com/am', scopes: ['mail'] },
  source_hosting: {
    ...people,
    tune: { defaultLeaseTtl: 3_600, maxLeaseTtl: '24h', listingVisibility: 'unauth' },
  },
  workspace_suite: {
    ...people,
    directory: {
      adminImpersonate: 'admin@example.com',
      serviceAccountFile: '/key.json',
      groupsRecurseMaxDepth: 2,
    },
  },
  open_source_identity_server: {
    ...people,
    authority: 'https://id.example.com',
    realm: 'main',
    path: 'people',
  },
  enterprise_identity_provider: { ...people, authority: 'https://example.okta.com', defaultRole: 'admin' },
  container_orchestrator: {
    service,
    description: 'The shop’s cluster',
    issuer: 'https://oidc.cluster.example.com',
    discoveryUrl: 'https://kubernetes.default.svc',
    caPem: certificatePem.trim(),
    roles: [
      { name: 'web', namespace: 'shop', serviceAccount: 'web', audience: 'secrets', policies: ['read'] },
    ],
  },
};

/** Arguments of each kind's component, all plain; where there are none above, those of the example of its page. */
export const plainArgs = Object.fromEntries(
  providerKinds.map((kind) => {
    const { kind: _, ...example } = ofKind[kind] === undefined ? exampleOf(kind) : {};
    const least = kinds[kind].methodType === 'oidc' ? people : { service };
    return [kind, ofKind[kind] ?? { ...least, ...example }];
  }),
) as Record<ProviderKind, Record<string, any>>;

/** What names a resource, or decides which there are, is plain whatever the rest is. */
const alwaysPlain = ['name', 'namespace', 'serviceAccount', 'manyGroups', 'openDiscovery', 'serviceAccounts'];

/** The same arguments, each value inside an output. */
export function fromOutputs(value: any): any {
  if (Array.isArray(value)) return value.map(fromOutputs);
  if (typeof value !== 'object' || value === null) return pulumi.output(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      alwaysPlain.includes(key) ? inner : fromOutputs(inner),
    ]),
  );
}

/** Makes the component of a kind, as a program would. */
export function make(
  kind: ProviderKind,
  args: Record<string, any>,
  opts?: pulumi.ComponentResourceOptions,
): pulumi.ComponentResource {
  const Provider = providers[kind] as new (
    name: string,
    args: any,
    opts?: pulumi.ComponentResourceOptions,
  ) => pulumi.ComponentResource;
  return new Provider('it', args, opts);
}
