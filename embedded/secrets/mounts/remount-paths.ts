import { randomUUID } from 'node:crypto';
import { textField } from '../protocol/fields.ts';
import type { Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { type Json, key } from '../storage/storage.ts';
import { revokeTokensOf } from '../tokens/token-store.ts';
import { deleteMount, getMount, putMount } from './mount.ts';
import { refuseTaken } from './mount-paths.ts';

/** Moving an auth method with its accessor, configuration and roles. Its tokens are revoked. */
export const remountPaths: SecretsPath[] = [
  { pattern: 'sys/remount', operations: { update: remount } },
  { pattern: 'sys/remount/status/:id', operations: { read: status } },
];

const statusKey = (namespace: string, id: string) => key(namespace, 'remount', id);

/** Most moves that a namespace remembers; the oldest are dropped. */
const remembered = 100;

function remount({ storage, now, request }: RequestContext): Reply {
  const { namespace, body } = request;
  const pathIn = (name: string) => (textField(body, name) ?? '').replace(/^\/+|\/+$/g, '');
  const [from, to] = [pathIn('from'), pathIn('to')];
  if (from === '' || to === '') {
    throw new Refusal(400, "both 'from' and 'to' path must be specified as a string");
  }
  const source = /^auth\/(.+)$/.exec(from)?.[1];
  if (source === 'token') throw new Refusal(400, `cannot remount "${from}/"`);
  const target = /^auth\/(.+)$/.exec(to)?.[1];
  if (target === 'token') throw new Refusal(400, `cannot remount to destination "${to}/"`);
  if (source !== undefined && target === undefined) {
    throw new Refusal(400, `cannot remount auth mount to non-auth mount "${to}/"`);
  }
  return storage.transaction(() => {
    const mount = source === undefined ? undefined : getMount(storage, namespace, source);
    if (mount === undefined || target === undefined) {
      throw new Refusal(400, `no matching mount at "${from}/"`);
    }
    refuseTaken(storage, namespace, target, (taken) => `path already in use at "auth/${taken}/"`);
    deleteMount(storage, namespace, mount.path);
    putMount(storage, namespace, { ...mount, path: target });
    revokeTokensOf(storage, namespace, `auth/${mount.path}/`);

    const id = randomUUID();
    const info = { source_mount: `${from}/`, target_mount: `${to}/`, status: 'success' };
    const moves = storage.list(statusKey(namespace, '')).map(([name, move]) => ({ name, at: atOf(move) }));
    moves.sort((one, other) => (one.at < other.at ? -1 : 1));
    for (const { name } of moves.slice(0, Math.max(0, moves.length + 1 - remembered))) storage.delete(name);
    storage.put(statusKey(namespace, id), { info, at: String(now) });
    return { data: { migration_id: id } };
  });
}

function atOf(move: Json): bigint {
  return BigInt((move as { at: string }).at);
}

function status({ storage, request, parameters }: RequestContext): Reply {
  const id = parameters['id'] ?? '';
  const move = storage.get(statusKey(request.namespace, id)) as { info: Json } | undefined;
  if (move === undefined) throw new Refusal(404);
  return { data: { migration_id: id, migration_info: move.info } };
}
