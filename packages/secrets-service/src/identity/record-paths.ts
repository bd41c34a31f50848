import { aliasFields, formatInstant } from '@gatehouse/core/graph';
import { z } from 'zod';
import { mountOfAccessor } from '../mounts/mount.ts';
import { keysReply, listReply, orNotFound } from '../protocol/answer.ts';
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
import { RequestRefusal } from '../protocol/refusal.ts';
import { all, bodyFields, instant, keys, keysWith, strings, textsByName } from '../protocol/schemas.ts';
import { namespaceId } from '../storage/namespace.ts';
import type { Space } from '../storage/storage.ts';
import { tidyPolicies } from '../tokens/create-token.ts';
import type { Alias, Records } from './records.ts';

type RecordData = Record<string, unknown>;

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

/** An entity or a group. */
interface NamedRecord {
  id: string;
  name: string;
}

interface RecordPathsArgs<Stored extends NamedRecord> {
  records: Records<Stored>;
  /** Writes the record that the path or the body identifies, or a new one. */
  write(context: RequestContext, path: RecordPath): Reply;
  remove(context: RequestContext, record: Stored): void;
  /** A record as reads and lookups return it. */
  answer(context: RequestContext, record: Stored): RecordData;
  /** A record as lists by id return it. */
  listed(context: RequestContext, record: Stored): RecordData;
  /** Writes the alias with the id of the path or the body, or a new one. */
  writeAlias(context: RequestContext, id: string | undefined): Reply;
  withoutAlias(record: Stored, id: string, time: string): Stored;
  /** `an entity`, `entities` */
  called: readonly [singular: string, plural: string];
  /** What is written and answered. */
  schemas: Record<'record' | 'body' | 'created' | 'listed' | 'aliasBody', z.ZodType>;
}

export function recordPaths<Stored extends NamedRecord>(args: RecordPathsArgs<Stored>): SecretsPath[] {
  const { records, schemas } = args;
  const at = `identity/${records.kind}`;
  const [singular, plural] = args.called;
  const list = (context: RequestContext) =>
    listReply(records.all(context).map((record) => [record.id, args.listed(context, record)]));
  const listNames = (context: RequestContext) => keysReply(records.all(context).map(({ name }) => name));
  return [
    writeOnly(at, `Write ${singular}`, (context) => args.write(context, {}), writtenSchema(args)),
    listOnly(`${at}/id`, `List the ${plural} by id`, list, keysWith(schemas.listed)),
    route(`${at}/id/:id`, recordOperations(args, 'id')),
    listOnly(`${at}/name`, `List the ${plural} by name`, listNames, keys),
    route(`${at}/name/:name+`, recordOperations(args, 'name')),
    ...aliasPaths(args),
    writeOnly(`identity/lookup/${records.kind}`, `Find ${singular}`, (context) => lookUp(args, context), {
      body: lookupBody,
      data: schemas.record,
      mayBeEmpty: true,
    }),
  ];
}

function writtenSchema<Stored extends NamedRecord>({ schemas }: RecordPathsArgs<Stored>) {
  return { body: schemas.body, data: schemas.created, mayBeEmpty: true };
}

/** What can be done to one record, found by its id or its name. */
function recordOperations<Stored extends NamedRecord>(
  args: RecordPathsArgs<Stored>,
  by: 'id' | 'name',
): SecretsPath['operations'] {
  const { records, schemas } = args;
  const [singular] = args.called;
  const find = (context: RequestContext) =>
    by === 'id'
      ? records.get(context, context.parameters.id)
      : records.named(context, context.parameters.name);
  const read = (context: RequestContext) => ({ data: args.answer(context, orNotFound(find(context))) });
  const update = (context: RequestContext) => args.write(context, { [by]: context.parameters[by] });
  const remove = (context: RequestContext) => {
    const record = find(context);
    if (record !== undefined) args.remove(context, record);
    return {};
  };
  return {
    read: op(`Read ${singular}`, read, { data: schemas.record }),
    update: op(`Write ${singular}`, update, writtenSchema(args)),
    delete: op(`Delete ${singular}`, remove),
  };
}

function aliasPaths<Stored extends NamedRecord>(args: RecordPathsArgs<Stored>): SecretsPath[] {
  const { kind } = args.records;
  const at = `identity/${kind}-alias`;
  const [singular] = args.called;
  const written = {
    body: args.schemas.aliasBody,
    data: z.strictObject(strings('id', 'canonical_id')),
    mayBeEmpty: true,
  };
  const { id: _, ...listed } = listedAliasFields;
  return [
    writeOnly(
      at,
      `Write ${singular} alias`,
      (context) => args.writeAlias(context, textField(context.body, 'id')),
      written,
    ),
    listOnly(
      `${at}/id`,
      `List the ${kind} aliases`,
      (context) => listAliases(args, context),
      keysWith(z.strictObject(listed)),
    ),
    route(`${at}/id/:id`, {
      read: op(`Read ${singular} alias`, (context) => readAlias(args, context), {
        data: aliasSchema.extend(strings('namespace_id')),
      }),
      update: op(
        `Write ${singular} alias`,
        (context) => args.writeAlias(context, context.parameters.id),
        written,
      ),
      delete: op(`Delete ${singular} alias`, (context) => removeAlias(args, context)),
    }),
  ];
}

function listAliases<Stored extends NamedRecord>(
  { records }: RecordPathsArgs<Stored>,
  context: RequestContext,
): Reply {
  const entries = records.all(context).flatMap((record) =>
    records.aliasesOf(record).map((alias) => {
      const { id, ...answer } = listedAlias(context, record.id, alias);
      return [id, answer] as const;
    }),
  );
  return listReply(entries.sort(([id], [otherId]) => (id < otherId ? -1 : 1)));
}

function readAlias<Stored extends NamedRecord>(
  { records }: RecordPathsArgs<Stored>,
  context: RequestContext,
): Reply {
  const { id } = context.parameters;
  const record = orNotFound(records.ofAlias(context, id));
  const alias = orNotFound(records.aliasesOf(record).find((candidate) => candidate.id === id));
  return { data: { ...aliasAnswer(context, record.id, alias), namespace_id: namespaceId(context) } };
}

function removeAlias<Stored extends NamedRecord>(
  { records, withoutAlias }: RecordPathsArgs<Stored>,
  context: RequestContext,
): Reply {
  const { parameters, now } = context;
  const record = records.ofAlias(context, parameters.id);
  if (record === undefined) return {};
  records.put(context, record.id, withoutAlias(record, parameters.id, formatInstant(now)));
  return {};
}

/** Not found is 204 (openbao/openbao vault/identity_lookup.go). */
function lookUp<Stored extends NamedRecord>(
  { records, answer }: RecordPathsArgs<Stored>,
  context: RequestContext,
): Reply {
  const record = findBy(context, records);
  return record === undefined ? {} : { data: answer(context, record) };
}

/** Finds by id, name, alias id, or alias name and mount; the body must give exactly one. */
function findBy<Stored extends NamedRecord>(
  context: RequestContext,
  records: Records<Stored>,
): Stored | undefined {
  const input = (field: string) => textField(context.body, field) ?? '';
  const id = input('id');
  const name = input('name');
  const aliasId = input('alias_id');
  const aliasName = input('alias_name');
  const mount = input('alias_mount_accessor');
  const count = [id, name, aliasId, aliasName || mount].filter((criterion) => criterion !== '').length;
  if (count === 0) throw new RequestRefusal(400, 'query parameter not supplied');
  if (count > 1) {
    throw new RequestRefusal(400, 'query parameter conflict; please supply distinct set of query parameters');
  }
  if (id !== '') return records.get(context, id);
  if (name !== '') return records.named(context, name);
  if (aliasId !== '') return records.ofAlias(context, aliasId);
  if (aliasName !== '' && mount !== '') return records.aliasedAs(context, mount, aliasName);
  throw new RequestRefusal(400, "both 'alias_name' and 'alias_mount_accessor' needs to be set");
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
 * @throws {RequestRefusal} 400 for root, in any spelling (CVE-2025-54996, CVE-2025-64761)
 */
export function policyNames(policies: string[]): string[] {
  const names = tidyPolicies(policies).sort();
  if (names.includes('root')) throw new RequestRefusal(400, 'policies cannot contain root');
  return names;
}
