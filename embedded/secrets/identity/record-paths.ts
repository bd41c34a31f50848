import { formatInstant } from '../../../core/model/values/instant.ts';
import { mountOfAccessor } from '../mounts/mount.ts';
import { found, keysReply, listReply } from '../protocol/answer.ts';
import { textField } from '../protocol/fields.ts';
import { type Reply, type RequestContext, type SecretsPath, writeOnly } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { namespaceId } from '../storage/namespace.ts';
import type { Space } from '../storage/storage.ts';
import { tidyPolicies } from '../tokens/create-token.ts';
import type { Alias, Records } from './records.ts';

type Answer = Record<string, unknown>;

/** What a path says of the record it is about. */
export type RecordPath = Partial<Record<'id' | 'name', string>>;

interface RecordPathsArgs<One extends { id: string; name: string }> {
  records: Records<One>;
  /** Writes the record that the path or the body identifies, or a new one. */
  write(context: RequestContext, path: RecordPath): Reply;
  remove(context: RequestContext, one: One): void;
  /** A record as reads and lookups return it. */
  answer(context: RequestContext, one: One): Answer;
  /** A record as lists by id return it. */
  listed(context: RequestContext, one: One): Answer;
  /** Writes the alias with the id of the path or the body, or a new one. */
  writeAlias(context: RequestContext, id: string | undefined): Reply;
  withoutAlias(one: One, id: string, time: string): One;
}

export function recordPaths<One extends { id: string; name: string }>(
  args: RecordPathsArgs<One>,
): SecretsPath[] {
  const { records } = args;
  const at = `identity/${records.kind}`;

  function operations(by: 'id' | 'name'): SecretsPath['operations'] {
    const find = (context: RequestContext) =>
      by === 'id'
        ? records.get(context, context.parameters.id)
        : records.named(context, context.parameters.name);
    return {
      read: (context) => ({ data: args.answer(context, found(find(context))) }),
      update: (context) => args.write(context, { [by]: context.parameters[by] }),
      delete(context) {
        const one = find(context);
        if (one !== undefined) args.remove(context, one);
        return {};
      },
    };
  }

  function listAliases(context: RequestContext): Reply {
    const entries = records.all(context).flatMap((one) =>
      records.aliasesOf(one).map((alias) => {
        const { id, ...told } = listedAlias(context, one.id, alias);
        return [id, told] as const;
      }),
    );
    return listReply(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  function readAlias(context: RequestContext): Reply {
    const { id } = context.parameters;
    const one = found(records.ofAlias(context, id));
    const alias = found(records.aliasesOf(one).find((each) => each.id === id));
    return { data: { ...aliasAnswer(context, one.id, alias), namespace_id: namespaceId(context) } };
  }

  function removeAlias(context: RequestContext): Reply {
    const { parameters, now } = context;
    const one = records.ofAlias(context, parameters.id);
    if (one === undefined) return {};
    records.put(context, one.id, args.withoutAlias(one, parameters.id, formatInstant(now)));
    return {};
  }

  /** Not found is 204 (openbao/openbao vault/identity_lookup.go). */
  function lookUp(context: RequestContext): Reply {
    const one = findBy(context, records);
    return one === undefined ? {} : { data: args.answer(context, one) };
  }

  return [
    writeOnly(at, (context) => args.write(context, {})),
    {
      pattern: `${at}/id`,
      operations: {
        list: (context) => listReply(records.all(context).map((one) => [one.id, args.listed(context, one)])),
      },
    },
    { pattern: `${at}/id/:id`, operations: operations('id') },
    {
      pattern: `${at}/name`,
      operations: { list: (context) => keysReply(records.all(context).map(({ name }) => name)) },
    },
    { pattern: `${at}/name/:name+`, operations: operations('name') },
    writeOnly(`${at}-alias`, (context) => args.writeAlias(context, textField(context.body, 'id'))),
    { pattern: `${at}-alias/id`, operations: { list: listAliases } },
    {
      pattern: `${at}-alias/id/:id`,
      operations: {
        read: readAlias,
        update: (context) => args.writeAlias(context, context.parameters.id),
        delete: removeAlias,
      },
    },
    writeOnly(`identity/lookup/${records.kind}`, lookUp),
  ];
}

/** Finds by id, name, alias id, or alias name and mount; the body must give exactly one. */
function findBy<One extends { id: string; name: string }>(
  context: RequestContext,
  records: Records<One>,
): One | undefined {
  const given = (field: string) => textField(context.body, field) ?? '';
  const [id, name, aliasId] = [given('id'), given('name'), given('alias_id')];
  const [aliasName, mount] = [given('alias_name'), given('alias_mount_accessor')];
  const count = [id, name, aliasId, aliasName || mount].filter((one) => one !== '').length;
  if (count === 0) throw new Refusal(400, 'query parameter not supplied');
  if (count > 1) {
    throw new Refusal(400, 'query parameter conflict; please supply distinct set of query parameters');
  }
  if (id !== '') return records.get(context, id);
  if (name !== '') return records.named(context, name);
  if (aliasId !== '') return records.ofAlias(context, aliasId);
  if (aliasName !== '' && mount !== '') return records.aliasedAs(context, mount, aliasName);
  throw new Refusal(400, "both 'alias_name' and 'alias_mount_accessor' needs to be set");
}

function listedAlias(space: Space, canonicalId: string, alias: Alias) {
  return {
    ...briefAlias(space, alias),
    canonical_id: canonicalId,
    metadata: alias.metadata ?? null,
    custom_metadata: alias.customMetadata ?? null,
    local: false,
  };
}

export function aliasAnswer(space: Space, canonicalId: string, alias: Alias) {
  return {
    ...listedAlias(space, canonicalId, alias),
    merged_from_canonical_ids: null,
    creation_time: alias.created,
    last_update_time: alias.updated,
  };
}

/** An alias in a list, without its mount's path and type once the mount is gone. */
export function briefAlias(space: Space, { id, name, mountAccessor }: Alias) {
  const mount = mountOfAccessor(space, mountAccessor);
  return {
    id,
    name,
    mount_accessor: mountAccessor,
    ...(mount && { mount_path: `auth/${mount.path}/`, mount_type: mount.type }),
  };
}

export function orNull<Value extends object>(value: Value): Value | null {
  return Object.keys(value).length === 0 ? null : value;
}

/**
 * The normalized policies of a group or an entity.
 *
 * @throws {Refusal} 400 for root, in any spelling (CVE-2025-54996, CVE-2025-64761)
 */
export function policyNames(given: string[]): string[] {
  const names = tidyPolicies(given);
  if (names.includes('root')) throw new Refusal(400, 'policies cannot contain root');
  return names;
}
