import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { Policy } from '../../components/policy.ts';
import { CloudDirectory } from '../../providers/cloud-directory.ts';
import { ContainerOrchestrator } from '../../providers/container-orchestrator.ts';

const config = new pulumi.Config('sign-in');
const service = { address: config.require('address') };

// The token comes from VAULT_TOKEN: set here, it would end up in the state.
const plugin = new vault.Provider('service', { address: service.address });

const reader = new Policy(
  'secrets-read',
  { name: 'secrets-read', text: 'path "secret/data/*" { capabilities = ["read"] }' },
  { provider: plugin },
);

const staff = new CloudDirectory(
  'staff',
  {
    service,
    tenantId: '3f0e9d5c-1a2b-4c3d-8e4f-5a6b7c8d9e0f',
    clientId: '6731de76-14a6-49ae-97bc-6eba6914391e',
    clientSecret: config.requireSecret('clientSecret'),
    roles: [{ name: 'reader', policies: [reader.name], ttl: 3600 }],
    groups: [{ name: 'admins', alias: '00000000-0000-0000-c000-000000000046', policies: ['secrets-admin'] }],
  },
  { providers: [plugin] },
);

const cluster = new ContainerOrchestrator(
  'cluster',
  {
    service,
    issuer: 'https://cluster.example.com',
    roles: [{ name: 'web', namespace: 'shop', serviceAccount: 'web', policies: [reader.name], ttl: 600 }],
  },
  { providers: [plugin] },
);

export const accessors = { staff: staff.accessor, cluster: cluster.accessor };
