import { describe, expect, test } from '@jest/globals';
import { CloudDirectory, type CloudDirectoryArgs } from '../../providers/cloud-directory.ts';
import {
  named,
  type Registration,
  register,
  registration,
  secret,
  unknown,
} from '../harness/pulumi-mocks.ts';
import { fromOutputs, service } from './provider-fixture.ts';

const args: CloudDirectoryArgs = {
  service,
  tenantId: '3f0e9d5c-1a2b-4c3d-8e4f-5a6b7c8d9e0f',
  roles: [{ name: 'reader' }],
  application: { displayName: 'Secrets', groupMembership: 'All', secretEndDate: '2027-01-01T00:00:00Z' },
};
const graph = '00000003-0000-0000-c000-000000000000';
const userRead = { id: 'e1fe6dd8-ba31-4d61-89e7-88639da4683d', type: 'Scope' };
const inDirectory = (registered: Registration[]) =>
  registered.filter(({ type }) => type.startsWith('azuread:'));
const registering = (settings: Partial<CloudDirectoryArgs> = {}, preview = false) =>
  register(() => new CloudDirectory('staff', { ...args, ...settings }), { preview });

describe('CloudDirectory with an application to create', () => {
  test('registers the application, its service principal and its secret', async () => {
    const type = 'gatehouse:index:CloudDirectory$azuread:index';
    expect(inDirectory(await registering())).toEqual([
      registration(`${type}/application:Application`, 'staff-application', {
        parent: 'staff',
        inputs: {
          displayName: 'Secrets',
          groupMembershipClaims: ['All'],
          optionalClaims: { idTokens: [{ name: 'email' }, { name: 'groups' }] },
          requiredResourceAccesses: [{ resourceAppId: graph, resourceAccesses: [userRead] }],
          web: {
            redirectUris: [
              'http://localhost:8250/oidc/callback',
              'https://secrets.example.com/ui/vault/auth/staff/oidc/callback',
            ],
          },
        },
      }),
      registration(`${type}/applicationPassword:ApplicationPassword`, 'staff-secret', {
        parent: 'staff',
        inputs: { applicationId: 'staff-application-id', endDate: '2027-01-01T00:00:00Z' },
        additionalSecretOutputs: ['value'],
        dependencies: ['staff-application'],
      }),
      registration(`${type}/servicePrincipal:ServicePrincipal`, 'staff-principal', {
        parent: 'staff',
        inputs: { clientId: 'client-id-of-staff-application' },
        dependencies: ['staff-application'],
      }),
    ]);
  });

  test('feeds its id and its secret into the mount', async () => {
    expect(named(await registering(), 'staff-mount').inputs).toMatchObject({
      oidcClientId: 'client-id-of-staff-application',
      oidcClientSecret: secret('secret-of-staff-secret'),
    });
  });

  test('puts groups of type SecurityGroup into the token unless told otherwise', async () => {
    const registered = await registering({ application: { displayName: 'Secrets' } });
    expect(named(registered, 'staff-application').inputs['groupMembershipClaims']).toEqual(['SecurityGroup']);
  });

  test('redirects to the path of the method', async () => {
    const { inputs } = named(await registering({ path: 'people' }), 'staff-application');
    expect(inputs['web'].redirectUris[1]).toBe(
      'https://secrets.example.com/ui/vault/auth/people/oidc/callback',
    );
  });

  test('shows every role in a preview, whose client id is not known yet', async () => {
    const registered = await registering({}, true);
    expect(named(registered, 'staff-reader').inputs).toMatchObject({
      roleName: 'reader',
      userClaim: 'email',
    });
    expect(named(registered, 'staff-mount').inputs['oidcClientId']).toBe(unknown);
  });

  test('registers, from outputs, what it registers from plain values', async () => {
    const inputs = (registered: Registration[]) => registered.map(({ urn, inputs }) => [urn, inputs]);
    const lifted = await register(() => new CloudDirectory('staff', fromOutputs(args)));
    expect(inputs(lifted)).toEqual(inputs(await registering()));
  });
});

describe('CloudDirectory with people in more than 200 groups', () => {
  test('may read the directory in the name of whoever signs in, and asks it', async () => {
    const registered = await registering({ manyGroups: true });
    const readAll = { id: '06da0dbc-49e2-44d2-8312-53f166ab848a', type: 'Scope' };
    expect(named(registered, 'staff-application').inputs['requiredResourceAccesses']).toEqual([
      { resourceAppId: graph, resourceAccesses: [userRead, readAll] },
    ]);
    expect(named(registered, 'staff-graph').inputs).toEqual({ clientId: graph, useExisting: true });
    expect(named(registered, 'staff-directory-read').inputs).toEqual({
      servicePrincipalObjectId: 'object-id-of-staff-principal',
      resourceServicePrincipalObjectId: 'object-id-of-staff-graph',
      claimValues: ['openid', 'profile', 'User.Read', 'Directory.Read.All'],
    });
    expect(named(registered, 'staff-mount').inputs['providerConfig']).toEqual({ provider: 'azure' });
    expect(named(registered, 'staff-reader').inputs['oidcScopes']).toEqual(['profile']);
  });
});

describe('CloudDirectory with an application that exists', () => {
  test('registers nothing in the directory', async () => {
    const { application: _, ...existing } = args;
    const given = { ...existing, clientId: 'client', clientSecret: 'hunter2' };
    const registered = await register(() => new CloudDirectory('staff', given));
    expect(inDirectory(registered)).toEqual([]);
    expect(named(registered, 'staff-mount').inputs).toMatchObject({
      oidcClientId: 'client',
      oidcClientSecret: secret('hunter2'),
    });
  });
});
