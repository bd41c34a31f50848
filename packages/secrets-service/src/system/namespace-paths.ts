import { reservedNames } from '@gatehouse/core/graph';
import { z } from 'zod';
import { listReply, orNotFound } from '../protocol/answer.ts';
import { pairsField } from '../protocol/fields.ts';
import { listOnly, op, type Reply, type RequestContext, route, type SecretsPath } from '../protocol/path.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import { all, keysWith, pairs, strings, textsByName } from '../protocol/schemas.ts';
import { deleteNamespace, type NamespaceRecord, namespaces, putNamespace } from '../storage/namespace.ts';
import { revokeTokensOf } from '../tokens/token-store.ts';

const namespaceSchema = z.strictObject({
  ...strings('id', 'path', 'uuid'),
  ...all(z.boolean(), 'locked', 'tainted'),
  custom_metadata: textsByName,
});

export const namespacePaths: SecretsPath[] = [
  listOnly('sys/namespaces', 'List the namespaces', list, keysWith(namespaceSchema)),
  route('sys/namespaces/:name+', {
    read: op('Read a namespace', read, { data: namespaceSchema }),
    update: op('Create a namespace, or change its metadata', write, {
      body: z.object({ custom_metadata: pairs.optional() }),
      data: namespaceSchema,
    }),
    delete: op('Delete a namespace with everything in it', remove, {
      data: z.strictObject({ status: z.string() }).nullable(),
      mayBeEmpty: true,
    }),
  }),
];

/** First segments of paths cannot name a namespace (openbao/openbao helper/namespace). */
const reserved = ['.', '..', ...reservedNames];

function list(context: RequestContext): Reply {
  const all = namespaces.all(context);
  return listReply(
    all.map((namespace) => [`${namespace.path.split('/').at(-1)}/`, namespaceData(namespace)]),
  );
}

function read(context: RequestContext): Reply {
  return { data: namespaceData(orNotFound(namespaces.get(context, nameOf(context)))) };
}

function write(context: RequestContext): Reply {
  const name = nameOf(context);
  if (reserved.includes(name)) {
    throw new RequestRefusal(400, `"${name}/" is a reserved path and cannot be used as a namespace name`);
  }
  if (/\s/.test(name)) {
    throw new RequestRefusal(
      400,
      `"${name}" contains space characters that cannot be used in a namespace name`,
    );
  }
  const metadata = pairsField(context.body, 'custom_metadata');
  return { data: namespaceData(putNamespace(context, name, metadata)) };
}

function remove(context: RequestContext): Reply {
  const { storage } = context;
  const name = nameOf(context);
  const namespace = namespaces.get(context, name);
  if (namespace === undefined) return { warnings: ['requested namespace does not exist'] };
  const inside = { storage, namespace: namespace.path };
  if (namespaces.all(inside).length > 0) {
    throw new RequestRefusal(400, 'unable to delete namespace containing child namespaces');
  }
  revokeTokensOf(inside);
  deleteNamespace(context, name, namespace);
  // The namespace is already deleted, but clients expect this status.
  return { data: { status: 'in-progress' } };
}

function nameOf({ parameters: { name } }: RequestContext): string {
  if (name.includes('/')) throw new RequestRefusal(400, 'namespace name cannot contain /');
  return name;
}

function namespaceData({ path, id, uuid, metadata }: NamespaceRecord): Record<string, unknown> {
  return { custom_metadata: metadata, id, locked: false, path: `${path}/`, tainted: false, uuid };
}
