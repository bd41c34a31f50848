import type { CredentialSource } from '../../graph/nodes/credential-source.ts';
import { keyOfNode, ofKind } from '../../graph/nodes/other-node.ts';
import type { OtherRole } from '../../graph/nodes/other-role.ts';
import { mayAcceptIdentityToken, trustsIdentityTokens } from '../sign-in/identity-tokens.ts';
import {
  type CertificateSource,
  mayAcceptCertificate,
  trustsEngine,
} from '../sign-in/issued-certificates.ts';
import { type EdgeNodes, type EdgeRow, type Lookup, type NodeKey, roleNode } from './edge.ts';

/** What one can sign in by with what a source hands out. */
export const credentialRows: { [Kind in CredentialSource['kind']]: EdgeRow<EdgeNodes[Kind]>[] } = {
  identityTokenRole: [
    {
      attribute: 'claims',
      decides: ['credentials'],
      how: 'signs in',
      to: 'role',
      source: { file: 'openbao/vault/identity_store_oidc.go', symbol: 'pathOIDCGenerateToken' },
      ends: (source, { graph }) => {
        const trusting = new Set(graph.methods.filter(trustsIdentityTokens).map(({ path }) => path));
        return graph.roles
          .filter((role) => trusting.has(role.method) && mayAcceptIdentityToken(source, role))
          .map((role) => roleNode(role.method, role.name));
      },
      lists: ['methods'],
    },
  ],
  pkiRole: [
    {
      attribute: 'signs',
      decides: ['credentials'],
      how: 'signs in',
      to: 'otherRole',
      source: { file: 'openbao/builtin/credential/cert/path_login.go', symbol: 'verifyCredentials' },
      ends: certificateRoles,
      lists: ['others'],
    },
  ],
  pkiEngine: [
    {
      attribute: 'authorities',
      decides: ['credentials'],
      how: 'signs in',
      to: 'otherRole',
      source: { file: 'openbao/builtin/logical/pki/path_issue_sign.go', symbol: 'pathSignVerbatim' },
      // A plan alone does not show who asks an engine; what it gives one is a line of its own.
      ends: (source, lookup) => (source.hasAll ? certificateRoles(source, lookup) : []),
      lists: ['others'],
    },
  ],
  acmeOrders: [
    {
      attribute: 'orders',
      decides: ['credentials'],
      how: 'signs in',
      to: 'otherRole',
      source: { file: 'openbao/builtin/logical/pki/path_acme_order.go', symbol: 'acmeNewOrderHandler' },
      ends: (source, lookup) => (source.isForServers ? [] : certificateRoles(source, lookup)),
      lists: ['others'],
    },
  ],
  keptCredential: [
    {
      attribute: 'signsInBy',
      decides: ['credentials'],
      how: 'signs in',
      to: 'otherRole',
      ends: ({ signsInBy }) => [signsInBy],
    },
  ],
};

function certificateRoles(source: CertificateSource, { graph }: Lookup): NodeKey[] {
  const trust = (role: OtherRole) => trustsEngine(role, source.mount, graph.credentials);
  return ofKind(graph.others, 'otherRole')
    .filter((role) => role.type === 'cert' && mayAcceptCertificate(source, role, trust(role)))
    .map(keyOfNode);
}
