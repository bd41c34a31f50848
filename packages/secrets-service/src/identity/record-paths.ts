import { aliasFields, formatInstant } from '@gatehouse/core/graph';
import { z } from 'zod';
import { mountOfAccessor } from '../mounts/mount.ts';
import { found, keysReply, listReply } from '../protocol/answer.ts';
import { textField } from '../protocol/fields.ts';
import {
  listOnly,
  op,
  type Reply,
  type RequestContext,
  route,
  type SecretsPath,
  writeOnly,
} from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { all, bodyFields, instant, keys, keysWith, strings, textsByName } from '../protocol/schemas.ts';
import { namespaceId } from '../storage/namespace.ts';
import type { Space } from '../storage/storage.ts';
import { tidyPolicies } from '../tokens/create-token.ts';
import type { Alias, Records } from './records.ts';

type Answer = Record<string, unknown>;

/** The part of a path that names its record. */
export type RecordPath = Partial<Record<'id' | 'name', string>>;

/** An alias in a list of entities or groups, without its mount's path and type once the mount is gone. */
export const briefAliasFields = {
  ...strings('id', 'name', 'mount_accessor'),
  ...all(z.string().optional(), 'mount_path', 'mount_type'),
};
export const timeFields = all(instant, 'creation_time', 'last_update_time');
const listedAliasFields = {
  ...briefAliasFields,
  canonical_id: z.string(),
  ...all(textsByName.nullable(), 'metadata', 'custom_metadata'),
  local: z.boolean(),
};
export const aliasSchema = z.strictObject({
  ...listedAliasFields,
  ...timeFields,
  merged_from_canonical_ids: z.null(),
});
export const aliasBody = z.object({
  ...bodyFields(aliasFields),
  ...all(z.string().optional(), 'id', 'canonical_id'),
});
const lookupBody = z
  .object(strings('id', 'name', 'alias_id', 'alias_name', 'alias_mount_accessor'))
  .partial();

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
  /** One and several of them, in words. */
  called: readonly [one: string, several: string];
  /** What is written and answered. */
  schemas: Record<'record' | 'body' | 'created' | 'listed' | 'aliasBody', z.ZodType>;
}

export function recordPaths<One extends { id: string; name: string }>(
  args: RecordPathsArgs<One>,
): SecretsPath[] {
  const { records, schemas } = args;
  const { kind } = records;
  const at = `identity/${kind}`;
  const [aOne, several] = args.called;
  const written = { body: schemas.body, data: schemas.created, mayBeEmpty: true };
  const aliasWritten = {
    body: schemas.aliasBody,
    data: z.strictObject(strings('id', 'canonical_id')),
    mayBeEmpty: true,
  };

  function operations(by: 'id' | 'name'): SecretsPath['operations'] {
    const find = (context: RequestContext) =>
      by === 'id'
        ? records.get(context, context.parameters.id)
        : records.named(context, context.parameters.name);
    const read = (context: RequestContext) => ({ data: args.answer(context, found(find(context))) });
    const update = (context: RequestContext) => args.write(context, { [by]: context.parameters[by] });
    const remove = (context: RequestContext) => {
      const one = find(context);
      if (one !== undefined) args.remove(context, one);
      return {};
    };
    return {
      read: op(`Read ${aOne}`, read, { data: schemas.record }),
      update: op(`Write ${aOne}`, update, written),
      delete: op(`Delete ${aOne}`, remove),
    };
  }

  function listAliases(context: RequestContext): Reply {
    const entries = records.all(context).flatMap((one) =>
      records.aliasesOf(one).map((alias) => {
        const { id, ...answer } = listedAlias(context, one.id, alias);
        return [id, answer] as const;
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

  const list = (context: RequestContext) =>
    listReply(records.all(context).map((one) => [one.id, args.listed(context, one)]));
  const listNames = (context: RequestContext) => keysReply(records.all(context).map(({ name }) => name));
  const { id: _, ...listed } = listedAliasFields;
  return [
    writeOnly(at, `Write ${aOne}`, (context) => args.write(context, {}), written),
    listOnly(`${at}/id`, `List the ${several} by id`, list, keysWith(schemas.listed)),
    route(`${at}/id/:id`, operations('id')),
    listOnly(`${at}/name`, `List the ${several} by name`, listNames, keys),
    route(`${at}/name/:name+`, operations('name')),
    writeOnly(
      `${at}-alias`,
      `Write ${aOne} alias`,
      (context) => args.writeAlias(context, textField(context.body, 'id')),
      aliasWritten,
    ),
    listOnly(`${at}-alias/id`, `List the ${kind} aliases`, listAliases, keysWith(z.strictObject(listed))),
    route(`${at}-alias/id/:id`, {
      read: op(`Read ${aOne} alias`, readAlias, { data: aliasSchema.extend(strings('namespace_id')) }),
      update: op(
        `Write ${aOne} alias`,
        (context) => args.writeAlias(context, context.parameters.id),
        aliasWritten,
      ),
      delete: op(`Delete ${aOne} alias`, removeAlias),
    }),
    writeOnly(`identity/lookup/${kind}`, `Find ${aOne}`, lookUp, {
      body: lookupBody,
      data: schemas.record,
      mayBeEmpty: true,
    }),
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
 * The normalized policies of a group or an entity, in order.
 *
 * @throws {Refusal} 400 for root, in any spelling (CVE-2025-54996, CVE-2025-64761)
 */
export function policyNames(given: string[]): string[] {
  const names = tidyPolicies(given).sort();
  if (names.includes('root')) throw new Refusal(400, 'policies cannot contain root');
  return names;
}
