import type { CredentialSource } from '../src/graph/nodes/credential-source.ts';
import { keyOfNode } from '../src/graph/nodes/other-node.ts';
import { otherRole } from '../src/graph/nodes/other-role.ts';

type Added = ['credentials', CredentialSource];
interface Side {
  names: string[];
  fields: Record<string, unknown>;
}

const credential = (source: CredentialSource): Added => ['credentials', source];

/** Lines of `worlds.ts` for what hands out credentials. */
export const credentialNodes: Record<string, (side: Side) => Added> = {
  'pki-role': ({ names: [at = ''], fields }) => {
    const [name = '', mount = 'pki'] = at.split('/').reverse();
    return credential({ kind: 'pkiRole', mount, name, signs: fields });
  },
  'identity-token': ({ names: [name = ''], fields }) =>
    credential({ kind: 'identityTokenRole', name, template: '', ...fields }),
  /** All authorities of an engine. */
  'pki-engine': ({ names: [mount = 'pki'], fields: { authorities = [] } }) =>
    credential({ kind: 'pkiEngine', mount, authorities: [authorities].flat().map(String), hasAll: true }),
  acme: ({ names: [mount = ''], fields }) => credential({ kind: 'acmeOrders', mount, signs: fields }),
  /** A secret id of an AppRole, where it can be read. */
  kept: ({ names: [path = '', at = ''], fields }) => {
    const [name = '', method = ''] = at.split('/').reverse();
    const role = otherRole({ type: 'approle', noun: 'role', method, name }, {});
    const kept = { field: 'secret_id', signsInBy: keyOfNode(role), address: path, of: at };
    return credential({ kind: 'keptCredential', path, ...kept, ...fields });
  },
};
