import { found, listReply } from '../protocol/answer.ts';
import { pairsField } from '../protocol/fields.ts';
import type { Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import {
  deleteNamespace,
  findNamespace,
  type Namespace,
  namespacesIn,
  putNamespace,
} from '../storage/namespace.ts';
import { revokeTokensOf } from '../tokens/token-store.ts';

/** Namespaces directly below the request's. */
export const namespacePaths: SecretsPath[] = [
  { pattern: 'sys/namespaces', operations: { list } },
  { pattern: 'sys/namespaces/:name+', operations: { read, update: write, delete: remove } },
];

/** First segments of paths cannot name a namespace (openbao/openbao helper/namespace). */
const reserved = ['.', '..', 'root', 'sys', 'auth', 'identity', 'cubbyhole', 'audit'];

function list({ storage, request }: RequestContext): Reply {
  const namespaces = namespacesIn(storage, request.namespace);
  return listReply(namespaces.map((one) => [`${one.path.split('/').at(-1)}/`, namespaceData(one)]));
}

function read(context: RequestContext): Reply {
  const namespace = findNamespace(context.storage, context.request.namespace, nameOf(context));
  return { data: namespaceData(found(namespace)) };
}

function write(context: RequestContext): Reply {
  const { storage, request } = context;
  const name = nameOf(context);
  if (reserved.includes(name)) {
    throw new Refusal(400, `"${name}/" is a reserved path and cannot be used as a namespace name`);
  }
  if (/\s/.test(name)) {
    throw new Refusal(400, `"${name}" contains space characters that cannot be used in a namespace name`);
  }
  const metadata = pairsField(request.body, 'custom_metadata');
  return { data: namespaceData(putNamespace(storage, request.namespace, name, metadata)) };
}

function remove(context: RequestContext): Reply {
  const { storage, request } = context;
  const name = nameOf(context);
  const namespace = findNamespace(storage, request.namespace, name);
  if (namespace === undefined) return { warnings: ['requested namespace does not exist'] };
  if (namespacesIn(storage, namespace.path).length > 0) {
    throw new Refusal(400, 'unable to delete namespace containing child namespaces');
  }
  storage.transaction(() => {
    revokeTokensOf(storage, namespace.path);
    deleteNamespace(storage, request.namespace, name);
  });
  // It is done, but clients expect this status.
  return { data: { status: 'in-progress' } };
}

function nameOf({ parameters }: RequestContext): string {
  const name = parameters['name'] ?? '';
  if (name.includes('/')) throw new Refusal(400, 'namespace name cannot contain /');
  return name;
}

function namespaceData({ path, id, uuid, metadata }: Namespace): Record<string, unknown> {
  return { custom_metadata: metadata, id, locked: false, path: `${path}/`, tainted: false, uuid };
}
