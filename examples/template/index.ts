// How people sign in to the secrets service. The service's token comes from VAULT_TOKEN: set here, it would end up in the
// state. Each kind of identity provider has a component of its own, which knows what its tokens carry.

import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { Oidc, Policy } from 'gatehouse-login';

const config = new pulumi.Config();
const address = config.require('serviceAddress');
const plugin = new vault.Provider('service', { address });

const read = new Policy(
  'secrets-read',
  { name: 'secrets-read', text: 'path "secret/data/*" { capabilities = ["read"] }' },
  { providers: [plugin] },
);

const staff = new Oidc(
  'staff',
  {
    service: { address },
    issuer: config.require('issuer'),
    clientId: config.require('clientId'),
    clientSecret: config.requireSecret('clientSecret'),
    defaultRole: 'reader',
    roles: [{ name: 'reader', policies: [read.name], ttl: '1h' }],
    groups: [{ name: 'admins', alias: 'secrets-admins' }],
  },
  { providers: [plugin] },
);

export const { path, roles, groups } = staff;
