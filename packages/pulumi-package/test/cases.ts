import { componentName } from '../../../providers/providers.ts';
import { serviceAccountKey } from '../../../test/harness/service-account-key.ts';
import { plainArgs, service } from '../../../test/providers/provider-fixture.ts';
import { kinds, providerKinds } from '../../core/src/graph/kinds/kinds.ts';
import {
  type PropertyMap,
  type PropertyValue,
  Signature,
  signatureKey,
} from '../../engine/src/property-value.ts';
import { schema, type TypeSpec } from '../schema.ts';

/** A component and its arguments as a program in TypeScript gives them; `{ secret }` is a secret. */
interface Case {
  component: string;
  name: string;
  args: Record<string, unknown>;
}

const secret = (value: string) => ({ secret: value });

const ofKinds: Case[] = providerKinds.map((kind) => ({
  component: componentName(kind),
  name: kind.replaceAll('_', '-'),
  args: {
    ...plainArgs[kind],
    ...('clientSecret' in plainArgs[kind] && { clientSecret: secret('hunter2') }),
    ...(kind === 'hosted_identity_platform' && { groupsClaim: 'https://example.com/groups' }),
    ...(!('hasNoGroups' in kinds[kind]) && {
      groups: [
        { name: 'Admins', policies: ['admin'], alias: 'Directory-Admins', metadata: { team: 'platform' } },
        { name: 'nobody' },
      ],
    }),
  },
}));

const alone: Case[] = [
  {
    component: 'AuthMethod',
    name: 'method',
    args: {
      path: 'people',
      type: 'oidc',
      oidcDiscoveryUrl: 'https://id.example.com',
      oidcClientId: 'client',
      oidcClientSecret: secret('hunter2'),
      providerConfig: { provider: 'gsuite', key: secret('hunter3') },
      tune: { defaultLeaseTtl: '90m', maxLeaseTtl: '24h' },
    },
  },
  {
    component: 'Role',
    name: 'role',
    args: {
      method: 'people',
      name: 'reader',
      roleType: 'oidc',
      userClaim: 'sub',
      policies: ['read'],
      ttl: '1h',
      clockSkewLeeway: -1,
      boundClaims: { team: ['a', 'b'], department: 'sales' },
      claimMappings: { email: 'email' },
      allowedRedirectUris: ['https://secrets.example.com/callback'],
    },
  },
  {
    component: 'Role',
    name: 'typed-role',
    args: {
      method: 'jobs',
      name: 'deployer',
      roleType: 'jwt',
      userClaim: 'sub',
      boundClaims: { email_verified: true, level: [1, 2] },
    },
  },
  {
    component: 'ExternalGroup',
    name: 'group',
    args: { name: 'Admins', policies: ['admin'], alias: 'directory-admins', mountAccessor: 'auth_oidc_1' },
  },
  {
    component: 'InternalGroup',
    name: 'both',
    args: {
      name: 'all-admins',
      policies: ['admin'],
      memberGroupIds: ['id-1', 'id-2'],
      metadata: { team: 'a' },
    },
  },
  {
    component: 'Namespace',
    name: 'shop',
    args: { path: 'shop', namespace: 'outer' },
  },
  {
    component: 'Policy',
    name: 'policy',
    args: { name: 'read', text: 'path "secret/*" { capabilities = ["read"] }' },
  },
  {
    component: 'CustomMessage',
    name: 'message',
    args: {
      title: 'Maintenance',
      message: 'On Saturday',
      authenticated: false,
      startTime: '2026-12-01T00:00:00Z',
      link: { more: 'https://status.example.com' },
    },
  },
  {
    component: 'CloudDirectory',
    name: 'created-application',
    args: {
      service,
      tenantId: '3f0e9d5c-1a2b-4c3d-8e4f-5a6b7c8d9e0f',
      application: { displayName: 'Secrets' },
      roles: [{ name: 'reader' }],
    },
  },
  {
    component: 'WorkspaceSuite',
    name: 'suite-with-key',
    args: {
      service,
      clientId: 'client',
      clientSecret: secret('hunter2'),
      hostedDomain: 'example.com',
      directory: { adminImpersonate: 'admin@example.com' },
      serviceAccountKey: secret(JSON.stringify(serviceAccountKey)),
    },
  },
  {
    component: 'ContainerOrchestrator',
    name: 'with-objects',
    args: {
      service,
      issuer: 'https://oidc.cluster.example.com',
      roles: [{ name: 'Web', namespace: 'shop', serviceAccount: 'web', policies: ['read'] }],
      cluster: { context: 'staging', openDiscovery: true, serviceAccounts: true },
    },
  },
];

export const cases: Case[] = [...ofKinds, ...alone];

/** What a program knows of an output; without a value it is not known yet. */
export const outputValue = (known: {
  value?: PropertyValue;
  secret?: true;
  dependencies?: string[];
}): PropertyMap => ({
  [signatureKey]: Signature.outputValue,
  ...known,
});

export const typeOf = (component: string) => `gatehouse:index:${component}`;

/** The inputs of a case as another language gives them: as the schema has them. */
export function inputsOf({ component, args }: Pick<Case, 'component' | 'args'>): PropertyMap {
  const spec = schema.resources[typeOf(component)];
  return objectAs(spec?.inputProperties ?? {}, args);
}

function objectAs(properties: Record<string, TypeSpec>, given: object): PropertyMap {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, valueAs(properties[name], value)]),
  );
}

function valueAs(type: TypeSpec | undefined, given: any): PropertyValue {
  if (given?.secret !== undefined) return outputValue({ secret: true, value: given.secret });
  if (type?.items !== undefined) return [given].flat().map((one) => valueAs(type.items, one));
  if (type?.type === 'string' && typeof given === 'number') return String(given);
  if (typeof given !== 'object' || Array.isArray(given)) return given;
  const object = schema.types[type?.$ref?.slice('#/types/'.length) ?? ''];
  const properties = object && 'properties' in object ? object.properties : undefined;
  return properties === undefined
    ? Object.fromEntries(Object.entries(given).map(([key, one]) => [key, valueAs(undefined, one)]))
    : objectAs(properties, given);
}
