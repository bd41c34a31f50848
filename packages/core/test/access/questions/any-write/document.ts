import { isObject } from '../../../../src/graph/values/json.ts';
import type { Field } from './values.ts';

/** A path of the server's OpenAPI document that an administrator may write to or delete. */
export interface DocumentPath {
  /** `auth/approle/role/{role_name}` */
  template: string;
  isWritten: boolean;
  isDeleted: boolean;
  fields: Record<string, Field>;
}

const areas = /^\/(?:auth|identity|sys|pki|ssh|kv|secret)\//;
/** What ends the server or a namespace for all, acts on one token or lease, or only answers. */
const apart =
  /seal|step-down|rekey|rotate|generate-root|\/raw|\/init$|plugins|loggers|reload|leases|audit|internal\/(?:specs|counters|ui|inspect)|capabilities|api-lock|\/tools\/|wrapping|lookup|renew|revoke|tidy|decode|control-group|external-keys|workflows|cors|\/ui\/|\/ocsp|introspect|authorize|userinfo|verify|\/password$/;

/** What the document of a server says that can be written, in its order; without what needs no token. */
export async function documentPaths(
  server: { address: string; token: string },
  namespace: string,
): Promise<DocumentPath[]> {
  const answer = await fetch(`${server.address}/v1/sys/internal/specs/openapi`, {
    headers: { 'x-vault-token': server.token, 'x-vault-namespace': namespace },
  });
  const document: unknown = await answer.json();
  const schemas = at(document, 'components', 'schemas');
  return Object.entries(at(document, 'paths')).flatMap(([path, operations]) => {
    if (!areas.test(path) || apart.test(path) || !isObject(operations)) return [];
    if (operations['x-vault-unauthenticated'] === true) return [];
    const [isWritten, isDeleted] = ['post' in operations, 'delete' in operations];
    if (!isWritten && !isDeleted) return [];
    const schema = at(operations, 'post', 'requestBody', 'content', 'application/json', 'schema');
    const name = String(schema['$ref'] ?? '')
      .split('/')
      .at(-1);
    const fields = at(name ? schemas[name] : schema, 'properties') as Record<string, Field>;
    return [{ template: path.slice(1), isWritten, isDeleted, fields }];
  });
}

function at(value: unknown, ...names: string[]): Record<string, unknown> {
  const [first, ...rest] = names;
  if (!isObject(value)) return {};
  return first === undefined ? value : at(value[first], ...rest);
}
