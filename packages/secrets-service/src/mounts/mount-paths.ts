import { randomUUID } from 'node:crypto';
import { isMethodType, tuneFields } from '@gatehouse/core/graph';
import { z } from 'zod';
import { orNotFound } from '../protocol/answer.ts';
import {
  FieldRefusal,
  flagField,
  listField,
  mapField,
  pairsField,
  type RequestFields,
  textDurationField,
  textField,
} from '../protocol/fields.ts';
import {
  op,
  type Reply,
  type RequestContext,
  readOnly,
  route,
  type SecretsPath,
  writeOnly,
} from '../protocol/path.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import { all, bodyFields, flag, list, pairs, strings } from '../protocol/schemas.ts';
import { Collection, key, type Space } from '../storage/storage.ts';
import { revokeTokensOf } from '../tokens/token-store.ts';
import {
  type AnyMount,
  authMounts,
  deepestMount,
  findMount,
  type MountConfig,
  methods,
  mountData,
  mountSchema,
  mountsData,
  newMount,
  systemTtl,
  tokenMount,
  tuneData,
  tunedLists,
  tuneSchema,
} from './mount.ts';

const listing = op('List the auth methods', listMethods, { data: z.record(z.string(), mountSchema) });
const tuneBody = z.object({
  ...bodyFields(tuneFields),
  description: z.string().optional(),
  ...all(list.optional(), ...tunedLists),
});
const move = z.strictObject(strings('source_mount', 'target_mount', 'status'));

export const mountPaths: SecretsPath[] = [
  route('sys/auth', { read: listing, list: listing }),
  route('sys/auth/:path+', {
    read: op('Read an auth method; its tune at …/tune', read, { data: z.union([mountSchema, tuneSchema]) }),
    update: op('Enable an auth method; its tune at …/tune', update, {
      body: tuneBody.extend({
        type: z.string().optional(),
        config: tuneBody.optional(),
        local: flag.optional(),
        options: pairs.nullish(),
      }),
    }),
    delete: op('Disable an auth method', disable),
  }),
  route('sys/mounts/auth/:path+', {
    read: op('Read an auth method; its tune at …/tune', readMounted, {
      data: z.union([mountSchema, tuneSchema]),
    }),
    update: op('Tune an auth method (…/tune)', updateMounted, { body: tuneBody }),
  }),
  writeOnly('sys/remount', 'Move an auth method', remount, {
    body: z.object(strings('from', 'to')),
    data: z.strictObject(strings('migration_id')),
  }),
  readOnly('sys/remount/status/:id', 'Read the status of a move', status, {
    data: z.strictObject({ migration_id: z.string(), migration_info: move }),
  }),
];

const trimmed = (path: string) => path.replace(/^\/+|\/+$/g, '');
const pathOf = ({ parameters }: RequestContext) => trimmed(parameters.path);

function listMethods(context: RequestContext): Reply {
  return { data: mountsData(authMounts(context)) };
}

function mountAt(context: RequestContext, path: string): AnyMount | undefined {
  return path === 'token' ? tokenMount(context.namespace) : methods.get(context, path);
}

/** The method at a path or above it: `sys/mounts` and tunes are about that, unlike `sys/auth`. */
function mountOver(context: RequestContext, path: string): AnyMount | undefined {
  const isToken = path === 'token' || path.startsWith('token/');
  return isToken ? tokenMount(context.namespace) : findMount(context, path)?.mount;
}

function read(context: RequestContext): Reply {
  const path = pathOf(context);
  const mount = mountAt(context, path);
  if (mount !== undefined) return { data: mountData(mount) };
  if (isTune(path)) return readTune(context);
  throw new RequestRefusal(400, `No auth engine at ${path}/`);
}

function update(context: RequestContext): Reply {
  return isTune(pathOf(context)) ? writeTune(context) : enable(context);
}

/** The official plugin reads auth methods here, and never at `sys/auth`. */
function readMounted(context: RequestContext): Reply {
  const path = pathOf(context);
  if (isTune(path)) return readTune(context);
  const mount = mountOver(context, path);
  if (mount === undefined) throw new RequestRefusal(400, `No secret engine mount at auth/${path}/`);
  return { data: mountData(mount) };
}

function updateMounted(context: RequestContext): Reply {
  const path = pathOf(context);
  if (isTune(path)) return writeTune(context);
  if ((textField(context.body, 'type') ?? '') === '') {
    throw new RequestRefusal(400, 'backend type must be specified as a string');
  }
  throw new RequestRefusal(400, `cannot mount "auth/${path}/"`);
}

function enable(context: RequestContext): Reply {
  const { body } = context;
  const path = pathOf(context);
  const type = textField(body, 'type') ?? '';
  if (type === '') throw new RequestRefusal(400, 'backend type must be specified as a string');
  if (!isMethodType(type)) throw new RequestRefusal(400, `plugin not found in the catalog: ${type}`);
  const config = tuned(untuned, mapField(body, 'config') ?? {}, {
    unreadable: (which, text) => `unable to parse ${which} TTL of ${text}: `,
    tooLong: () => 'given default lease TTL greater than given max lease TTL',
  });
  if (config.max_lease_ttl === 0 && config.default_lease_ttl > systemTtl) {
    throw new RequestRefusal(
      400,
      `given default lease TTL greater than system max lease TTL of ${systemTtl}`,
    );
  }
  const description = textField(body, 'description') ?? '';
  const local = flagField(body, 'local') ?? false;
  // HashiCorp's client sends null for none; a read returns what was sent.
  const options = body['options'] === null ? null : (pairsField(body, 'options') ?? {});
  refuseTaken(context, path, (taken) => `path is already in use at ${taken}/`);
  methods.put(context, path, newMount({ path, type, description, local, options, config }));
  return {};
}

/** @throws {RequestRefusal} 400 for a mount at the path, above it or below it. */
function refuseTaken(space: Space, path: string, message: (taken: string) => string): void {
  if (path === 'token' || path.startsWith('token/')) throw new RequestRefusal(400, message('token'));
  if (path.split('/').length > deepestMount) {
    throw new RequestRefusal(400, `a path may have ${deepestMount} parts at most`);
  }
  const taken =
    findMount(space, path)?.mount ?? methods.all(space).find((mount) => mount.path.startsWith(`${path}/`));
  if (taken !== undefined) throw new RequestRefusal(400, message(taken.path));
}

/** Also revokes the method's tokens. As on real servers, its aliases stay, and an unknown method is not an error. */
function disable(context: RequestContext): Reply {
  const path = pathOf(context);
  if (path === 'token') throw new RequestRefusal(400, 'token credential backend cannot be disabled');
  const mount = methods.get(context, path);
  if (mount === undefined) return {};
  methods.delete(context, path);
  revokeTokensOf(context, `auth/${path}/`);
  const owned = context.storage.list(key(context.namespace, 'auth', mount.uuid, ''));
  for (const [storageKey] of owned) context.storage.delete(storageKey);
  return {};
}

const isTune = (path: string) => path.endsWith('/tune');
const tunedPath = (context: RequestContext) => pathOf(context).slice(0, -'/tune'.length);

function readTune(context: RequestContext): Reply {
  const path = tunedPath(context);
  const mount = mountOver(context, path);
  if (mount === undefined) throw new RequestRefusal(400, `cannot fetch sysview for path "auth/${path}/"`);
  return { data: tuneData(mount) };
}

function writeTune(context: RequestContext): Reply {
  const { body } = context;
  const path = tunedPath(context);
  const mount = findMount(context, path)?.mount;
  if (mount === undefined) {
    throw new RequestRefusal(400, `tune of path "auth/${path}/" failed: no mount entry found`);
  }
  methods.put(context, mount.path, {
    ...mount,
    config: tuned(mount.config, body),
    description: textField(body, 'description') ?? mount.description,
  });
  return {};
}

const { tokenType, listingVisibility } = tuneFields;
const tokenTypes: readonly string[] = tokenType.schema.options;
const visibilities: readonly string[] = ['', ...listingVisibility.schema.options];
const untuned: MountConfig = { default_lease_ttl: 0, max_lease_ttl: 0, token_type: tokenType.default };

/** Real servers word problems with times differently when a mount is created. */
const tuneTexts = {
  unreadable: (_which: string, _given: unknown) => '',
  tooLong: (byDefault: number, longest: number) =>
    `backend max lease TTL of ${longest} would be less than backend default lease TTL of ${byDefault}`,
};

/**
 * A mount's config with the changes of a request.
 *
 * @throws {RequestRefusal} 400
 */
function tuned(config: MountConfig, fields: RequestFields, texts = tuneTexts): MountConfig {
  const changed = { ...config };
  for (const name of ['default_lease_ttl', 'max_lease_ttl'] as const) {
    // An empty string leaves a time as it is. Older clients say `system` for the service's own.
    const source = fields[name] === 'system' ? { [name]: 0 } : fields;
    try {
      changed[name] = source[name] === '' ? config[name] : (textDurationField(source, name) ?? config[name]);
      if (changed[name] < 0) throw new FieldRefusal(name, `cannot provide negative value '${changed[name]}'`);
    } catch (error) {
      if (!(error instanceof FieldRefusal)) throw error;
      const which = name.replace('_lease_ttl', '');
      throw new RequestRefusal(400, `${texts.unreadable(which, fields[name])}${error.problem}`);
    }
  }
  const { default_lease_ttl: byDefault, max_lease_ttl: longest } = changed;
  if (longest !== 0 && byDefault > longest) throw new RequestRefusal(400, texts.tooLong(byDefault, longest));
  changed.token_type = textField(fields, 'token_type') || config.token_type;
  if (!tokenTypes.includes(changed.token_type))
    throw new RequestRefusal(400, "invalid value for 'token_type'");
  const visibility = textField(fields, 'listing_visibility') ?? config.listing_visibility;
  if (visibility !== undefined && !visibilities.includes(visibility)) {
    throw new RequestRefusal(400, `invalid listing_visibility ${visibility}`);
  }
  if (visibility !== undefined) changed.listing_visibility = visibility;
  for (const name of tunedLists) {
    const value = listField(fields, name);
    if (value?.length === 0) delete changed[name];
    else if (value !== undefined) changed[name] = value;
  }
  return changed;
}

/** The latest moves of each namespace, by id. `at` is in nanoseconds. */
const moves = new Collection<{ info: Record<string, string>; at: string }>('remount');
/** Most moves that a namespace remembers; the oldest are dropped. */
const remembered = 100;

/** Moves an auth method with its accessor, configuration and roles. Its tokens are revoked. */
function remount(context: RequestContext): Reply {
  const pathIn = (name: string) => trimmed(textField(context.body, name) ?? '');
  const from = pathIn('from');
  const to = pathIn('to');
  if (from === '' || to === '') {
    throw new RequestRefusal(400, "both 'from' and 'to' path must be specified as a string");
  }
  const source = /^auth\/(.+)$/.exec(from)?.[1];
  if (source === 'token') throw new RequestRefusal(400, `cannot remount "${from}/"`);
  const target = /^auth\/(.+)$/.exec(to)?.[1];
  if (target === 'token') throw new RequestRefusal(400, `cannot remount to destination "${to}/"`);
  if (source !== undefined && target === undefined) {
    throw new RequestRefusal(400, `cannot remount auth mount to non-auth mount "${to}/"`);
  }
  const mount = source === undefined ? undefined : methods.get(context, source);
  if (mount === undefined || target === undefined) {
    throw new RequestRefusal(400, `no matching mount at "${from}/"`);
  }
  refuseTaken(context, target, (taken) => `path already in use at "auth/${taken}/"`);
  methods.delete(context, mount.path);
  methods.put(context, target, { ...mount, path: target });
  revokeTokensOf(context, `auth/${mount.path}/`);

  const id = randomUUID();
  const info = { source_mount: `${from}/`, target_mount: `${to}/`, status: 'success' };
  const latestFirst = moves
    .entries(context)
    .sort(([, move], [, otherMove]) => (BigInt(move.at) > BigInt(otherMove.at) ? -1 : 1));
  for (const [oldId] of latestFirst.slice(remembered - 1)) moves.delete(context, oldId);
  moves.put(context, id, { info, at: String(context.now) });
  return { data: { migration_id: id } };
}

function status(context: RequestContext): Reply {
  const { id } = context.parameters;
  return { data: { migration_id: id, migration_info: orNotFound(moves.get(context, id)).info } };
}
